/* multipart/form-data: RFC 2046 section 5.1.1 delimiters, RFC 7578 parts, RFC 5987 extended names. */
#include "base/percent.h"
#include "value/charset.h"
#include "value/fields.h"

#include "value/scratch.h"

#include <strings.h>

enum { FILE_CONTENT_MAX = 4096, BOUNDARY_MAX = 256 };

typedef struct multipart {
    hg_slice rest;      /* behind the last delimiter line */
    hg_slice boundary;
    fields names;       /* the form's fields */
    fields files;       /* file name -> content */
    hg_encoder *filenames;
    char *decoded;      /* names after unescaping */
    bool cut;           /* the closing delimiter is missing */
    bool lent;
} multipart;

typedef struct part {
    hg_slice disposition;
    hg_slice type;
    hg_slice content;
} part;

/* What may stand behind a delimiter: its line's end, white space, or the closing dashes. */
static bool ends_delimiter(hg_slice s, size_t i)
{
    return i == s.len || memchr("\r\n \t-", s.ptr[i], 5) != NULL;
}

/* Offset of the next delimiter ("--boundary" at the start of a line) at or after `from`, or SIZE_MAX. *text_end is
 * where the text before it ends, without its line end. */
static size_t find_delimiter(hg_slice s, hg_slice boundary, size_t from, size_t *text_end)
{
    size_t need = boundary.len + 2;
    for (size_t i = from; i + need <= s.len;) {
        const char *dash = memchr(s.ptr + i, '-', s.len - i);
        if (dash == NULL)
            return SIZE_MAX;
        size_t at = (size_t)(dash - s.ptr);
        if (at + need > s.len)
            return SIZE_MAX;
        bool line_start = at == from || s.ptr[at - 1] == '\n';
        if (line_start && dash[1] == '-' && memcmp(dash + 2, boundary.ptr, boundary.len) == 0 &&
            ends_delimiter(s, at + need)) {
            *text_end = at;
            if (at > from && s.ptr[*text_end - 1] == '\n')
                --*text_end;
            if (*text_end > from && *text_end < at && s.ptr[*text_end - 1] == '\r')
                --*text_end;
            return at;
        }
        i = at + 1;
    }
    return SIZE_MAX;
}

static hg_slice next_line(hg_slice *rest)
{
    const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    hg_slice line = hg_slice_take(*rest, len);
    *rest = hg_slice_skip(*rest, len + 1);
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static bool header_is(hg_slice line, const char *name, hg_slice *value)
{
    size_t n = strlen(name);
    if (line.len <= n || strncasecmp(line.ptr, name, n) != 0 || line.ptr[n] != ':')
        return false;
    *value = hg_slice_skip(line, n + 1);
    while (value->len > 0 && (value->ptr[0] == ' ' || value->ptr[0] == '\t'))
        *value = hg_slice_skip(*value, 1);
    return true;
}

static part read_part(hg_slice text)
{
    part p = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    p.content = text;
    for (hg_slice line = next_line(&p.content); line.len > 0; line = next_line(&p.content)) {
        if (!header_is(line, "content-disposition", &p.disposition))
            header_is(line, "content-type", &p.type);
    }
    return p;
}

/* Backslash escapes of a quoted string; a backslash before any other character stays, as browsers send it. */
static hg_slice unescape(hg_slice s, char **at)
{
    if (s.len == 0 || memchr(s.ptr, '\\', s.len) == NULL)
        return s;
    char *start = *at, *to = start;
    for (size_t i = 0; i < s.len; i++) {
        bool escape = s.ptr[i] == '\\' && i + 1 < s.len && (s.ptr[i + 1] == '"' || s.ptr[i + 1] == '\\');
        *to++ = s.ptr[escape ? ++i : i];
    }
    *at = to;
    return hg_slice_of(start, (size_t)(to - start));
}

/* %22, %0D and %0A are how browsers write those characters in names (WHATWG form submission). */
static hg_slice unescape_percent(hg_slice s, char **at)
{
    if (!hg_percent_needed(s, false))
        return s;
    hg_slice out = hg_slice_of(*at, hg_percent_decode(s, false, *at));
    *at += out.len;
    return out;
}

/* charset'language'percent-encoded */
static hg_slice extended_value(hg_slice s, char **at, hg_charset *charset)
{
    const char *first = memchr(s.ptr, '\'', s.len);
    if (first == NULL)
        return unescape_percent(s, at);
    size_t name_len = (size_t)(first - s.ptr);
    *charset = charset_named(hg_slice_take(s, name_len), HG_CHARSET_UTF8);
    hg_slice rest = hg_slice_skip(s, name_len + 1);
    const char *second = rest.len ? memchr(rest.ptr, '\'', rest.len) : NULL;
    return unescape_percent(second ? hg_slice_skip(rest, (size_t)(second - rest.ptr) + 1) : rest, at);
}

/* name, or name* when there; false when the part has neither. */
static bool parameter(hg_slice disposition, hg_slice plain, hg_slice extended, char **at, hg_slice *out,
                      hg_charset *charset)
{
    hg_slice raw = hg_header_parameter(disposition, extended);
    if (raw.len > 0) {
        *out = extended_value(raw, at, charset);
        return true;
    }
    raw = hg_header_parameter(disposition, plain);
    *out = unescape_percent(unescape(raw, at), at);
    return raw.ptr != NULL;
}

static field_format format_of(hg_slice type)
{
    switch (hg_body_kind_of(type)) {
    case HG_BODY_JSON:
        return FIELD_JSON;
    case HG_BODY_FORM:
        return FIELD_FORM;
    default:
        return FIELD_TEXT;
    }
}

static void add_part(multipart *m, part p, char **at)
{
    hg_slice name, file;
    hg_charset name_charset = HG_CHARSET_UTF8, file_charset = HG_CHARSET_UTF8;
    bool has_name = parameter(p.disposition, HG_SLICE("name"), HG_SLICE("name*"), at, &name, &name_charset);
    if (parameter(p.disposition, HG_SLICE("filename"), HG_SLICE("filename*"), at, &file, &file_charset)) {
        charset_push(m->filenames, file, file_charset, false, false);
        if (m->names.flags & HG_BODY_FILE_CONTENT)
            fields_add(&m->files, file,
                       (field_value){.text = hg_slice_take(p.content, FILE_CONTENT_MAX), .borrow = m->lent}, false);
        return;
    }
    if (!has_name)
        return;
    hg_charset charset = charset_named(hg_header_parameter(p.type, HG_SLICE("charset")), m->names.charset);
    if (hg_slice_equal(name, HG_SLICE("_charset_")))
        m->names.charset = charset_named(p.content, m->names.charset);
    fields_add(&m->names, name,
               (field_value){.text = p.content,
                             .format = (uint8_t)format_of(p.type),
                             .charset = (uint8_t)charset,
                             .borrow = m->lent},
               false);
}

/* The text between two delimiters. False at the end of the body. */
static bool next_part(multipart *m, hg_slice *text)
{
    if (m->rest.len >= 2 && m->rest.ptr[0] == '-' && m->rest.ptr[1] == '-')
        return false; /* the closing delimiter */
    next_line(&m->rest); /* white space behind the delimiter */
    if (m->rest.len == 0) {
        m->cut = true;
        return false;
    }
    size_t end, at = find_delimiter(m->rest, m->boundary, 0, &end);
    m->cut = at == SIZE_MAX;
    *text = m->cut ? m->rest : hg_slice_take(m->rest, end);
    m->rest = m->cut ? hg_slice_skip(m->rest, m->rest.len) : hg_slice_skip(m->rest, at + 2 + m->boundary.len);
    return true;
}

static void read_parts(multipart *m)
{
    size_t end, first = find_delimiter(m->rest, m->boundary, 0, &end);
    char *at = m->decoded;
    m->cut = first == SIZE_MAX;
    if (m->cut)
        return;
    m->rest = hg_slice_skip(m->rest, first + 2 + m->boundary.len);
    hg_slice text;
    while (next_part(m, &text)) {
        add_part(m, read_part(text), &at);
        if (m->cut)
            break;
    }
}

static hg_status finish_fields(const fields *f, hg_encoder *e, hg_value *out)
{
    fields_push(f, e);
    return encoder_finish(e, out);
}

/* Runs the reader with its encoders in place. */
static hg_status read_body(multipart *m, const hg_body_options *o, hg_value *out, hg_value *filenames, hg_value *files,
                           const hg_allocator *a)
{
    hg_encoder names, list, contents;
    encoder_init(&names, o->limits, a, o->report);
    encoder_init(&list, o->limits, a, o->report);
    encoder_init(&contents, o->limits, a, o->report);
    m->filenames = &list;
    fields_init(&m->names, &names.limits, o->flags, o->charset);
    fields_init(&m->files, &contents.limits, 0, HG_CHARSET_UTF8);
    encoder_open(&list, HG_ARRAY, NULL);
    read_parts(m);
    if (m->cut)
        encoder_note(&names, HG_REASON_PARTIAL_INPUT, m->rest.len, true);
    hg_status status = finish_fields(&m->names, &names, out);
    if (status == HG_OK)
        status = encoder_finish(&list, filenames);
    if (status == HG_OK)
        status = finish_fields(&m->files, &contents, files);
    fields_end(&m->names);
    fields_end(&m->files);
    encoder_end(&names);
    encoder_end(&list);
    encoder_end(&contents);
    return status;
}

hg_status hg_multipart_read(hg_slice body, hg_slice boundary, const hg_body_options *options, hg_value *out,
                            hg_value *filenames, hg_value *files, const hg_allocator *a)
{
    static const hg_body_options defaults = {NULL, NULL, 0, HG_CHARSET_UTF8};
    hg_body all = {.kind = HG_BODY_MULTIPART};
    if (options == NULL)
        options = &defaults;
    hg_set_invalid(out);
    if (filenames != NULL)
        hg_set_invalid(filenames);
    if (files != NULL)
        hg_set_invalid(files);
    if (boundary.len == 0 || boundary.len > BOUNDARY_MAX)
        return HG_ERR_ARGUMENT;
    /* Names of parts are unescaped twice at most (quotes, then percent), so twice the body always suffices. */
    multipart m = {.rest = body, .boundary = boundary, .lent = options->flags & HG_BODY_BORROW};
    m.decoded = hg_pool_rent(NULL, 2 * body.len + 1);
    if (m.decoded == NULL)
        return HG_ERR_NOMEM;
    hg_status status = read_body(&m, options, &all.value, &all.filenames, &all.files, a);
    scratch_free(m.decoded);
    if (status != HG_OK) {
        hg_body_free(&all, a);
        return status;
    }
    *out = all.value;
    if (filenames != NULL)
        *filenames = all.filenames;
    else
        hg_value_free(&all.filenames, a);
    if (files != NULL)
        *files = all.files;
    else
        hg_value_free(&all.files, a);
    return HG_OK;
}
