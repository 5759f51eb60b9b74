/* XML 1.0 without a DTD: elements, attributes, text, CDATA, internal entities. Nothing outside is ever loaded. */
#include "hotgate/body.h"

#include "base/utf.h"
#include "value/encoder.h"
#include "value/scratch.h"
#include "value/utf16_text.h"
#include "value/xml_entities.h"

enum { DEPTH_MAX = 30 };

typedef struct xml_reader {
    hg_slice rest;
    hg_encoder *e;
    bool compact, borrow;
    hg_slice *open; /* names of open elements */
    size_t depth, room;
    hg_buffer text;   /* character data collected since the last tag, when it is not one plain slice */
    hg_slice piece;   /* ... or that slice */
    hg_buffer name;   /* "@attribute" */
    xml_entities entities;
    bool seen_element;
} xml_reader;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name_char(char c)
{
    return !is_space(c) && c != '>' && c != '/' && c != '=' && c != '<' && c != '"' && c != '\'' && c != '&' && c != 0;
}

static void advance(xml_reader *r, size_t n)
{
    r->rest = hg_slice_skip(r->rest, n);
}

static void skip_space(xml_reader *r)
{
    size_t n = 0;
    while (n < r->rest.len && is_space(r->rest.ptr[n]))
        n++;
    advance(r, n);
}

static bool starts_with(hg_slice s, hg_slice prefix)
{
    return s.len >= prefix.len && memcmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

/* Everything up to `end`, which is consumed too; false when it never comes. */
static bool take_until(xml_reader *r, hg_slice end, hg_slice *out)
{
    const char *at = r->rest.len ? memmem(r->rest.ptr, r->rest.len, end.ptr, end.len) : NULL;
    if (at == NULL)
        return false;
    *out = hg_slice_take(r->rest, (size_t)(at - r->rest.ptr));
    advance(r, out->len + end.len);
    return true;
}

static hg_slice take_name(xml_reader *r)
{
    size_t n = 0;
    while (n < r->rest.len && is_name_char(r->rest.ptr[n]))
        n++;
    hg_slice name = hg_slice_take(r->rest, n);
    advance(r, n);
    return name;
}

/* Whether the current element is kept at all. */
static bool is_kept(const xml_reader *r)
{
    return r->depth <= DEPTH_MAX;
}

/* ---- character data ---- */

static bool is_blank(hg_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_space(s.ptr[i]))
            return false;
    }
    return true;
}

/* Adds to the text since the last tag. A single piece without references is not copied. */
static void collect(xml_reader *r, hg_slice s, bool references)
{
    if (s.len == 0 || r->depth == 0)
        return;
    bool plain = !references || memchr(s.ptr, '&', s.len) == NULL;
    if (plain && r->piece.len == 0 && r->text.len == 0) {
        r->piece = s;
        return;
    }
    hg_buffer_append(&r->text, r->piece);
    r->piece.len = 0;
    if (plain)
        hg_buffer_append(&r->text, s);
    else
        xml_entities_expand(&r->entities, s, &r->text);
}

static bool flush_text(xml_reader *r)
{
    bool plain = r->text.len == 0;
    hg_slice s = plain ? r->piece : hg_slice_of(r->text.ptr, r->text.len);
    r->piece.len = 0;
    r->text.len = 0;
    if (r->text.failed) {
        r->e->b.failed = true;
        return false;
    }
    if (is_blank(s) || !is_kept(r))
        return true;
    if (r->compact && !encoder_key_utf8(r->e, HG_SLICE("#text"), false))
        return false;
    return encoder_utf8(r->e, s, plain && r->borrow);
}

/* ---- elements ---- */

/* An attribute's name and value behind the tag's name; false at the end of the tag or on malformed input. */
static bool take_attribute(xml_reader *r, hg_slice *name, hg_slice *value)
{
    skip_space(r);
    *name = take_name(r);
    if (name->len == 0)
        return false;
    skip_space(r);
    *value = (hg_slice){NULL, 0};
    if (r->rest.len == 0 || r->rest.ptr[0] != '=')
        return true;
    advance(r, 1);
    skip_space(r);
    if (r->rest.len == 0)
        return false;
    char quote = r->rest.ptr[0];
    if (quote != '"' && quote != '\'') {
        *value = take_name(r);
        return true;
    }
    advance(r, 1);
    return take_until(r, hg_slice_of(&quote, 1), value);
}

static bool push_attribute(xml_reader *r, hg_slice name, hg_slice value)
{
    r->name.len = 0;
    hg_buffer_byte(&r->name, '@');
    hg_buffer_append(&r->name, name);
    if (r->name.failed)
        return false;
    if (!encoder_key_utf8(r->e, hg_slice_of(r->name.ptr, r->name.len), false))
        return false;
    if (value.len == 0 || memchr(value.ptr, '&', value.len) == NULL)
        return encoder_utf8(r->e, value, r->borrow && value.len > 0);
    r->name.len = 0;
    xml_entities_expand(&r->entities, value, &r->name);
    return !r->name.failed && encoder_utf8(r->e, hg_slice_of(r->name.ptr, r->name.len), false);
}

/* False when the tag ends early or memory ran out. In the default shape a map is opened for the first attribute. */
static bool read_attributes(xml_reader *r)
{
    hg_slice name, value;
    bool any = false;
    while (take_attribute(r, &name, &value)) {
        if (!is_kept(r))
            continue;
        if (!any && !r->compact && !encoder_open(r->e, HG_MAP, NULL))
            return false;
        any = true;
        if (!push_attribute(r, name, value))
            return false;
    }
    if (any && !r->compact && !encoder_close(r->e))
        return false;
    skip_space(r);
    return r->rest.len > 0 && (r->rest.ptr[0] == '>' || r->rest.ptr[0] == '/');
}

static bool open_element(xml_reader *r, hg_slice name)
{
    if (r->depth == r->room && !scratch_grow((void **)&r->open, &r->room, sizeof *r->open)) {
        r->e->b.failed = true;
        return false;
    }
    r->open[r->depth++] = name;
    r->seen_element = true;
    if (!is_kept(r)) {
        if (r->depth == DEPTH_MAX + 1)
            encoder_note(r->e, HG_REASON_OBJECT_TOO_DEEP, r->depth, true);
        return true;
    }
    if (r->compact)
        return encoder_key_utf8(r->e, name, r->borrow) && encoder_open(r->e, HG_MAP, NULL);
    return encoder_open(r->e, HG_MAP, NULL) && encoder_key_utf8(r->e, name, r->borrow) &&
           encoder_open(r->e, HG_ARRAY, NULL);
}

/* Compact: an element that has nothing is null, one that has only text is that text. */
static bool close_compact(xml_reader *r)
{
    if (encoder_is_muted(r->e))
        return encoder_close(r->e);
    if (!encoder_gather_duplicates(r->e))
        return false;
    size_t start = r->e->b.frames[r->e->b.depth - 1].start, slots = (size_t)(r->e->b.top - r->e->b.values) - start;
    hg_value *first = r->e->b.values + start;
    bool only_text = slots == 2 && hg_slice_equal(hg_value_string(first), HG_SLICE("#text"));
    if (slots != 0 && !only_text)
        return encoder_close(r->e);
    hg_value lone;
    hg_set_null(&lone);
    if (only_text) {
        lone = first[1];
        hg_value_free(first, r->e->b.a); /* its key may be on the heap: a limits preset can say so */
    }
    r->e->b.top = first;
    if (!encoder_close(r->e)) {
        hg_value_free(&lone, r->e->b.a);
        return false;
    }
    r->e->b.top[-1] = lone;
    return true;
}

static bool close_element(xml_reader *r)
{
    bool kept = is_kept(r);
    r->depth--;
    if (!kept)
        return true;
    if (r->compact)
        return close_compact(r);
    return encoder_close(r->e) && encoder_close(r->e);
}

/* r->rest behind the <. */
static bool read_start_tag(xml_reader *r)
{
    hg_slice name = take_name(r);
    if (name.len == 0 || !flush_text(r) || !open_element(r, name) || !read_attributes(r))
        return false;
    if (r->rest.ptr[0] == '/') {
        advance(r, 1);
        if (r->rest.len == 0 || r->rest.ptr[0] != '>')
            return false;
        advance(r, 1);
        return close_element(r);
    }
    advance(r, 1);
    return true;
}

static bool read_end_tag(xml_reader *r)
{
    advance(r, 1);
    hg_slice name = take_name(r);
    skip_space(r);
    if (r->depth == 0 || !hg_slice_equal(name, r->open[r->depth - 1]) || r->rest.len == 0 || r->rest.ptr[0] != '>')
        return false;
    advance(r, 1);
    return flush_text(r) && close_element(r);
}

/* ---- the document type ---- */

static bool take_quoted(xml_reader *r, hg_slice *value)
{
    skip_space(r);
    if (r->rest.len == 0 || (r->rest.ptr[0] != '"' && r->rest.ptr[0] != '\''))
        return false;
    char quote = r->rest.ptr[0];
    advance(r, 1);
    return take_until(r, hg_slice_of(&quote, 1), value);
}

/* <!ENTITY name "text">: parameter entities (%) and external ones (SYSTEM, PUBLIC) are passed over. */
static bool read_declaration(xml_reader *r)
{
    hg_slice unused, name, text;
    if (starts_with(r->rest, HG_SLICE("<!ENTITY"))) {
        advance(r, 8);
        skip_space(r);
        name = take_name(r);
        if (take_quoted(r, &text))
            xml_entities_declare(&r->entities, name, text);
    } else if (starts_with(r->rest, HG_SLICE("<!--"))) {
        advance(r, 4);
        return take_until(r, HG_SLICE("-->"), &unused);
    }
    return take_until(r, HG_SLICE(">"), &unused);
}

static bool read_doctype(xml_reader *r)
{
    while (r->rest.len > 0 && r->rest.ptr[0] != '[' && r->rest.ptr[0] != '>')
        advance(r, 1);
    if (r->rest.len > 0 && r->rest.ptr[0] == '[') {
        advance(r, 1);
        for (skip_space(r); r->rest.len > 0 && r->rest.ptr[0] != ']'; skip_space(r)) {
            if (!read_declaration(r))
                return false;
        }
    }
    hg_slice unused;
    return take_until(r, HG_SLICE(">"), &unused);
}

/* ---- the document ---- */

/* Something that begins with <. */
static bool read_markup(xml_reader *r)
{
    hg_slice inside;
    if (starts_with(r->rest, HG_SLICE("<!--"))) {
        advance(r, 4);
        return take_until(r, HG_SLICE("-->"), &inside);
    }
    if (starts_with(r->rest, HG_SLICE("<![CDATA["))) {
        advance(r, 9);
        bool whole = take_until(r, HG_SLICE("]]>"), &inside);
        collect(r, whole ? inside : r->rest, false);
        return whole;
    }
    if (starts_with(r->rest, HG_SLICE("<?")))
        return take_until(r, HG_SLICE("?>"), &inside);
    if (starts_with(r->rest, HG_SLICE("<!DOCTYPE")))
        return read_doctype(r);
    advance(r, 1);
    return r->rest.len > 0 && (r->rest.ptr[0] == '/' ? read_end_tag(r) : read_start_tag(r));
}

/* False when the document is cut or malformed: what is open then stays as far as it went. */
static bool read_document(xml_reader *r)
{
    while (r->rest.len > 0) {
        const char *tag = memchr(r->rest.ptr, '<', r->rest.len);
        size_t plain = tag ? (size_t)(tag - r->rest.ptr) : r->rest.len;
        if (r->depth == 0 && !is_blank(hg_slice_take(r->rest, plain)))
            return false;
        collect(r, hg_slice_take(r->rest, plain), true);
        advance(r, plain);
        if (r->rest.len > 0 && (!read_markup(r) || encoder_failed(r->e)))
            return false;
        if (r->depth == 0 && r->seen_element) {
            skip_space(r);
            return r->rest.len == 0 || starts_with(r->rest, HG_SLICE("<!--")) || starts_with(r->rest, HG_SLICE("<?"));
        }
    }
    return r->depth == 0 && r->seen_element;
}

static hg_status read_utf8(hg_slice text, bool borrow, const hg_body_options *o, hg_value *out, const hg_allocator *a)
{
    hg_encoder e;
    encoder_init(&e, o->limits, a, o->report);
    xml_reader r = {.rest = text, .e = &e, .compact = o->flags & HG_BODY_XML_COMPACT, .borrow = borrow,
                    .text = {.a = hg_pooled()}, .name = {.a = hg_pooled()}};
    if (r.compact)
        encoder_open(&e, HG_MAP, NULL);
    bool whole = read_document(&r);
    if (!whole && r.seen_element && !encoder_failed(&e)) {
        encoder_note(&e, HG_REASON_PARTIAL_INPUT, text.len, true);
        flush_text(&r);
        while (r.depth > 0 && close_element(&r))
            ;
    }
    hg_status status = encoder_finish(&e, out);
    if (status == HG_OK && !r.seen_element) {
        hg_value_free(out, a);
        status = HG_ERR_SYNTAX;
    }
    if (status == HG_ERR_ARGUMENT)
        status = HG_ERR_SYNTAX;
    encoder_end(&e);
    scratch_free(r.open);
    hg_buffer_free(&r.text);
    hg_buffer_free(&r.name);
    return status;
}

hg_status hg_xml_read(hg_slice text, const hg_body_options *options, hg_value *out, const hg_allocator *a)
{
    static const hg_body_options defaults = {NULL, NULL, 0, HG_CHARSET_UTF8};
    if (options == NULL)
        options = &defaults;
    bool borrow = options->flags & HG_BODY_BORROW;
    if (!utf16_has_mark(text)) {
        bool mark = starts_with(text, HG_SLICE("\xEF\xBB\xBF"));
        return read_utf8(hg_slice_skip(text, mark ? 3 : 0), borrow, options, out, a);
    }
    hg_buffer copy = {.a = hg_pooled()};
    hg_set_invalid(out);
    hg_status status = utf16_to_buffer(text, &copy);
    if (status == HG_OK)
        status = read_utf8(hg_slice_of(copy.ptr, copy.len), false, options, out, a);
    hg_buffer_free(&copy);
    return status;
}
