/* The public face of the encoder. */
#include "value/encoder.h"

#include "value/number.h"

#include <stdlib.h>

hg_encoder *hg_encoder_new(void)
{
    hg_encoder *e = malloc(sizeof *e);
    if (e != NULL)
        encoder_init(e, NULL, hg_heap(), NULL);
    return e;
}

void hg_encoder_free(hg_encoder *e)
{
    if (e == NULL)
        return;
    encoder_end(e);
    free(e);
}

void hg_encode_begin(hg_encoder *e, const hg_limits *limits, const hg_allocator *a, hg_report *report)
{
    encoder_end(e);
    encoder_init(e, limits, a, report);
}

hg_status hg_encode_end(hg_encoder *e, hg_value *out)
{
    hg_status status = encoder_finish(e, out);
    const hg_allocator *a = e->b.a;
    encoder_end(e);
    encoder_init(e, NULL, a, NULL);
    return status;
}

bool hg_encode_null(hg_encoder *e)
{
    hg_value v;
    hg_set_null(&v);
    return encoder_put(e, &v);
}

bool hg_encode_invalid(hg_encoder *e)
{
    return encoder_invalid(e);
}

bool hg_encode_bool(hg_encoder *e, bool b)
{
    hg_value v;
    hg_set_bool(&v, b);
    return encoder_put(e, &v);
}

bool hg_encode_signed(hg_encoder *e, int64_t i)
{
    hg_value v;
    hg_set_signed(&v, i);
    return encoder_put(e, &v);
}

bool hg_encode_unsigned(hg_encoder *e, uint64_t u)
{
    hg_value v;
    hg_set_unsigned(&v, u);
    return encoder_put(e, &v);
}

bool hg_encode_float(hg_encoder *e, double d)
{
    hg_value v;
    hg_set_float(&v, d);
    return encoder_put(e, &v);
}

bool hg_encode_number(hg_encoder *e, hg_slice digits)
{
    return encoder_number(e, digits);
}

bool hg_encode_utf8(hg_encoder *e, hg_slice s)
{
    return encoder_utf8(e, s, false);
}

bool hg_encode_utf8_borrowed(hg_encoder *e, hg_slice s)
{
    return encoder_utf8(e, s, true);
}

bool hg_encode_utf16(hg_encoder *e, const uint16_t *units, size_t n)
{
    return encoder_utf16(e, units, n);
}

bool hg_encode_latin1(hg_encoder *e, hg_slice s)
{
    return encoder_latin1(e, s);
}

bool hg_encode_bytes(hg_encoder *e, hg_slice s)
{
    return encoder_bytes(e, s);
}

bool hg_encode_key_utf8(hg_encoder *e, hg_slice s)
{
    return encoder_key_utf8(e, s, false);
}

bool hg_encode_key_literal(hg_encoder *e, hg_slice s)
{
    return encoder_key_literal(e, s);
}

bool hg_encode_key_utf16(hg_encoder *e, const uint16_t *units, size_t n)
{
    return encoder_key_utf16(e, units, n);
}

bool hg_encode_key_latin1(hg_encoder *e, hg_slice s)
{
    return encoder_key_latin1(e, s);
}

bool hg_encode_key_signed(hg_encoder *e, int64_t i)
{
    char text[20];
    return encoder_key_utf8(e, hg_slice_of(text, number_signed(i, text)), false);
}

bool hg_encode_key_unsigned(hg_encoder *e, uint64_t u)
{
    char text[20];
    return encoder_key_utf8(e, hg_slice_of(text, number_digits(u, text)), false);
}

bool hg_encode_key_float(hg_encoder *e, double d)
{
    char text[32];
    return encoder_key_utf8(e, hg_slice_of(text, hg_float_text(d, text)), false);
}

bool hg_encode_key_bool(hg_encoder *e, bool b)
{
    return encoder_key_utf8(e, b ? HG_SLICE("true") : HG_SLICE("false"), false);
}

bool hg_encode_key_unusable(hg_encoder *e)
{
    return encoder_key_drop(e, HG_REASON_UNSUPPORTED);
}

bool hg_encode_open_array(hg_encoder *e, const void *identity)
{
    return encoder_open(e, HG_ARRAY, identity) && !encoder_is_muted(e);
}

bool hg_encode_open_map(hg_encoder *e, const void *identity)
{
    return encoder_open(e, HG_MAP, identity) && !encoder_is_muted(e);
}

bool hg_encode_close(hg_encoder *e)
{
    return e->depth > 1 && encoder_close(e);
}

bool hg_encode_wants_more(const hg_encoder *e)
{
    return e->muted == 0 && e->left > 0;
}

void hg_encode_skipped(hg_encoder *e, size_t n)
{
    encoder_skipped(e, n);
}

void hg_encode_note(hg_encoder *e, hg_reason reason, uint64_t true_size)
{
    encoder_note(e, reason, true_size, true);
}
