/* A body and its content type to a value. */
#include "hotgate/body.h"

#include "hotgate/msgpack.h"

#include "value/charset.h"
#include "value/form.h"
#include "value/json.h"

#include <strings.h>

/* "type/subtype" without parameters and spaces. */
static hg_slice essence(hg_slice type)
{
    size_t end = 0, start = 0;
    if (type.len == 0)
        return type;
    while (start < type.len && (type.ptr[start] == ' ' || type.ptr[start] == '\t'))
        start++;
    for (end = start; end < type.len && type.ptr[end] != ';' && type.ptr[end] != ',';)
        end++;
    while (end > start && (type.ptr[end - 1] == ' ' || type.ptr[end - 1] == '\t'))
        end--;
    return hg_slice_of(type.ptr + start, end - start);
}

static bool is_type(hg_slice type, const char *name)
{
    return strlen(name) == type.len && strncasecmp(type.ptr, name, type.len) == 0;
}

static bool ends_with(hg_slice type, const char *suffix)
{
    size_t n = strlen(suffix);
    return type.len >= n && strncasecmp(type.ptr + type.len - n, suffix, n) == 0;
}

hg_body_kind hg_body_kind_of(hg_slice content_type)
{
    static const struct {
        const char *name;
        hg_body_kind kind;
    } types[] = {
        {"application/json", HG_BODY_JSON},
        {"text/json", HG_BODY_JSON},
        {"text/x-json", HG_BODY_JSON},
        {"application/x-www-form-urlencoded", HG_BODY_FORM},
        {"multipart/form-data", HG_BODY_MULTIPART},
        {"application/xml", HG_BODY_XML},
        {"text/xml", HG_BODY_XML},
        {"text/plain", HG_BODY_TEXT},
        {"application/msgpack", HG_BODY_MSGPACK},
        {"application/x-msgpack", HG_BODY_MSGPACK},
        {"application/vnd.msgpack", HG_BODY_MSGPACK},
    };
    hg_slice type = essence(content_type);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (is_type(type, types[i].name))
            return types[i].kind;
    }
    if (ends_with(type, "+json"))
        return HG_BODY_JSON;
    return ends_with(type, "+xml") ? HG_BODY_XML : HG_BODY_UNKNOWN;
}

static hg_status read_json(hg_slice body, const hg_body_options *o, hg_value *out, const hg_allocator *a)
{
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    hg_json_options options = {.dialect = HG_JSON_LENIENT,
                               .limits = o->limits ? o->limits : &limits,
                               .report = o->report,
                               .borrow = o->flags & HG_BODY_BORROW};
    return hg_json_read(body, &options, out, a, NULL);
}

static hg_status read_msgpack(hg_slice body, const hg_body_options *o, hg_value *out, const hg_allocator *a)
{
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    hg_msgpack_options options = {.limits = o->limits ? o->limits : &limits,
                                  .report = o->report,
                                  .borrow = o->flags & HG_BODY_BORROW,
                                  .partial = true};
    return hg_msgpack_read(body, &options, out, NULL, a);
}

static hg_status read_text(hg_slice body, hg_charset charset, const hg_body_options *o, hg_value *out,
                           const hg_allocator *a)
{
    hg_encoder e;
    encoder_init(&e, o->limits, a, o->report);
    charset_push(&e, body, charset, o->flags & HG_BODY_BORROW, false);
    hg_status status = encoder_finish(&e, out);
    encoder_end(&e);
    return status;
}

static hg_status read_kind(hg_slice type, hg_slice body, const hg_body_options *o, hg_body *out, const hg_allocator *a)
{
    hg_body_options named = *o;
    named.charset = charset_named(hg_header_parameter(type, HG_SLICE("charset")), o->charset);
    switch (out->kind) {
    case HG_BODY_JSON:
        return read_json(body, o, &out->value, a);
    case HG_BODY_FORM:
        return hg_form_read(body, &named, &out->value, a);
    case HG_BODY_MULTIPART:
        return hg_multipart_read(body, hg_header_parameter(type, HG_SLICE("boundary")), &named, &out->value,
                                 &out->filenames, &out->files, a);
    case HG_BODY_XML:
        return hg_xml_read(body, o, &out->value, a);
    case HG_BODY_TEXT:
        return read_text(body, named.charset, o, &out->value, a);
    case HG_BODY_MSGPACK:
        return read_msgpack(body, o, &out->value, a);
    default:
        return HG_ERR_UNSUPPORTED;
    }
}

static void note(const hg_body_options *o, hg_reason reason, size_t size)
{
    if (o->report == NULL)
        return;
    hg_report one;
    hg_report_init(&one);
    one.reasons = (uint32_t)reason;
    one.of[__builtin_ctz((unsigned)reason)] = (hg_truncation){1, size, size};
    hg_report_merge(o->report, &one);
}

hg_status hg_body_decode(hg_slice content_type, hg_slice body, const hg_body_options *options, hg_body *out,
                         const hg_allocator *a)
{
    static const hg_body_options defaults = {NULL, NULL, 0, HG_CHARSET_UTF8};
    if (options == NULL)
        options = &defaults;
    *out = (hg_body){.kind = hg_body_kind_of(content_type)};
    hg_set_invalid(&out->value);
    hg_set_invalid(&out->filenames);
    hg_set_invalid(&out->files);
    if (out->kind == HG_BODY_UNKNOWN)
        note(options, HG_REASON_UNSUPPORTED, body.len);
    if (out->kind == HG_BODY_UNKNOWN || body.len == 0)
        return HG_OK;
    hg_status status = read_kind(content_type, body, options, out, a);
    if (status == HG_OK || status == HG_ERR_NOMEM)
        return status;
    note(options, HG_REASON_PARTIAL_INPUT, body.len);
    return HG_OK;
}

void hg_body_free(hg_body *body, const hg_allocator *a)
{
    hg_value_free(&body->value, a);
    hg_value_free(&body->filenames, a);
    hg_value_free(&body->files, a);
}
