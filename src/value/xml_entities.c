#include "value/xml_entities.h"

#include "base/percent.h"
#include "base/utf.h"

void xml_entities_declare(xml_entities *x, hg_slice name, hg_slice text)
{
    for (size_t i = 0; i < x->count; i++) {
        if (hg_slice_equal(x->list[i].name, name))
            return;
    }
    if (x->count < XML_ENTITIES_MAX)
        x->list[x->count++] = (xml_entity){name, text};
}

/* &#10; and &#x1F600; without their & and ; -- UINT32_MAX when malformed. */
static uint32_t numeric_reference(hg_slice body)
{
    bool hex = body.len > 1 && (body.ptr[1] | 0x20) == 'x';
    uint32_t cp = 0;
    size_t first = hex ? 2 : 1;
    for (size_t i = first; i < body.len; i++) {
        int digit = hg_hex_digit(body.ptr[i]);
        if (digit < 0 || (!hex && digit > 9) || cp > HG_CODE_POINT_MAX)
            return UINT32_MAX;
        cp = cp * (hex ? 16 : 10) + (uint32_t)digit;
    }
    bool valid = body.len > first && cp != 0 && cp <= HG_CODE_POINT_MAX && (cp < 0xD800 || cp > 0xDFFF);
    return valid ? cp : UINT32_MAX;
}

static char built_in(hg_slice name)
{
    static const struct {
        hg_slice name;
        char c;
    } table[] = {{{"lt", 2}, '<'}, {{"gt", 2}, '>'}, {{"amp", 3}, '&'}, {{"apos", 4}, '\''}, {{"quot", 4}, '"'}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (hg_slice_equal(name, table[i].name))
            return table[i].c;
    }
    return 0;
}

static void expand(xml_entities *x, hg_slice s, int nesting, hg_buffer *out);

static bool expand_internal(xml_entities *x, hg_slice name, int nesting, hg_buffer *out)
{
    for (size_t i = 0; i < x->count; i++) {
        if (!hg_slice_equal(x->list[i].name, name))
            continue;
        size_t len = x->list[i].text.len;
        if (nesting == XML_ENTITY_NESTING || len + 1 > XML_EXPANSION_MAX - x->expanded)
            return false;
        x->expanded += len + 1; /* empty ones count too: each costs a step */
        expand(x, x->list[i].text, nesting + 1, out);
        return true;
    }
    return false;
}

/* One reference, body being what stands between & and ; -- false when it stays as written. */
static bool expand_reference(xml_entities *x, hg_slice body, int nesting, hg_buffer *out)
{
    if (body.len > 0 && body.ptr[0] == '#') {
        uint32_t cp = numeric_reference(body);
        char text[4];
        if (cp == UINT32_MAX)
            return false;
        hg_buffer_append(out, hg_slice_of(text, hg_utf8_encode(cp, text)));
        return true;
    }
    char c = built_in(body);
    if (c != 0) {
        hg_buffer_byte(out, c);
        return true;
    }
    return expand_internal(x, body, nesting, out);
}

enum { REFERENCE_MAX = 64 };

/* Recursion is bounded by XML_ENTITY_NESTING. */
static void expand(xml_entities *x, hg_slice s, int nesting, hg_buffer *out)
{
    while (s.len > 0) {
        const char *amp = memchr(s.ptr, '&', s.len);
        size_t plain = amp ? (size_t)(amp - s.ptr) : s.len;
        hg_buffer_append(out, hg_slice_take(s, plain));
        s = hg_slice_skip(s, plain);
        if (s.len == 0)
            return;
        const char *end = memchr(s.ptr, ';', s.len < REFERENCE_MAX ? s.len : REFERENCE_MAX);
        hg_slice body = end ? hg_slice_of(s.ptr + 1, (size_t)(end - s.ptr) - 1) : (hg_slice){NULL, 0};
        if (end != NULL && expand_reference(x, body, nesting, out)) {
            s = hg_slice_skip(s, body.len + 2);
        } else {
            hg_buffer_byte(out, '&');
            s = hg_slice_skip(s, 1);
        }
    }
}

void xml_entities_expand(xml_entities *x, hg_slice s, hg_buffer *out)
{
    expand(x, s, 0, out);
}
