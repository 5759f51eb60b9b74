/* application/x-www-form-urlencoded and query strings (WHATWG URL section 5.1). */
#include "value/form.h"

#include "base/percent.h"
#include "value/charset.h"
#include "value/fields.h"

#include "value/scratch.h"

/* Text as it is, or decoded behind *at in the buffer. */
static hg_slice decoded(hg_slice s, char **at, bool *same)
{
    *same = !hg_percent_needed(s, true);
    if (*same)
        return s;
    hg_slice out = hg_slice_of(*at, hg_percent_decode(s, true, *at));
    *at += out.len;
    return out;
}

static hg_slice until(hg_slice s, char stop)
{
    const char *at = s.len ? memchr(s.ptr, stop, s.len) : NULL;
    return at ? hg_slice_take(s, (size_t)(at - s.ptr)) : s;
}

static void add_pair(fields *f, hg_slice pair, char **at)
{
    bool name_same, value_same, lent = f->flags & HG_BODY_BORROW;
    hg_slice raw_name = until(pair, '=');
    hg_slice name = decoded(raw_name, at, &name_same);
    hg_slice value = decoded(hg_slice_skip(pair, raw_name.len + 1), at, &value_same);
    fields_add(f, name, (field_value){.text = value, .borrow = lent && value_same}, lent && name_same);
    if (hg_slice_equal(name, HG_SLICE("_charset_")))
        f->charset = charset_named(value, f->charset);
}

/* The charset is known only at the end, so it is set on all values then. */
static void settle_charset(fields *f)
{
    for (size_t i = 0; i < f->value_count; i++)
        f->values[i].charset = (uint8_t)f->charset;
}

bool form_read_into(hg_slice text, unsigned flags, hg_charset charset, hg_encoder *e)
{
    bool needs_room = hg_percent_needed(text, true);
    char *buffer = needs_room ? hg_pool_rent(NULL, text.len) : NULL, *at = buffer;
    fields f;
    fields_init(&f, &e->limits, flags, charset);
    f.failed |= needs_room && buffer == NULL;
    for (hg_slice rest = text; rest.len > 0 && !f.failed;) {
        hg_slice pair = until(rest, '&');
        if (pair.len > 0)
            add_pair(&f, pair, &at);
        rest = hg_slice_skip(rest, pair.len + 1);
    }
    settle_charset(&f);
    bool ok = fields_push(&f, e);
    fields_end(&f);
    scratch_free(buffer);
    return ok;
}

hg_status hg_form_read(hg_slice text, const hg_body_options *options, hg_value *out, const hg_allocator *a)
{
    static const hg_body_options defaults = {NULL, NULL, 0, HG_CHARSET_UTF8};
    if (options == NULL)
        options = &defaults;
    hg_encoder e;
    encoder_init(&e, options->limits, a, options->report);
    form_read_into(text, options->flags, options->charset, &e);
    hg_status status = encoder_finish(&e, out);
    encoder_end(&e);
    return status;
}
