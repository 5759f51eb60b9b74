/* Attribute names, event handlers among them: a perfect hash over the upper-case name without NULs. */
#include "text/bytes.h"
#include "text/xss/xss.h"

typedef struct entry {
    char name[31];
    uint8_t len;
    uint8_t kind;
} entry;

#include "text/xss/attributes_table.h"

/* tools/injection-tables holds the twin of this function. */
static uint64_t hash_name(const char *name, size_t len)
{
    const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t value = len;
    for (size_t i = 0; i < len; i++)
        value = (value ^ (unsigned char)name[i]) * factor;
    value = (value ^ value >> 32) * factor;
    return value ^ value >> 29;
}

static bool starts_with_on(const unsigned char *name)
{
    return (name[0] | 32) == 'o' && (name[1] | 32) == 'n';
}

static hg_xss_kind listed_kind(const unsigned char *name, size_t len)
{
    char upper[LONGEST];
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        if (name[i] == 0)
            continue;
        if (used == LONGEST)
            return HG_XSS_NONE;
        upper[used++] = (char)hg_to_upper(name[i]);
    }
    /* Handlers alone start with ON, and only count when the name does so before its NULs are taken out. */
    if (used >= 2 && upper[0] == 'O' && upper[1] == 'N' && !starts_with_on(name))
        return HG_XSS_NONE;
    uint64_t h = hash_name(upper, used);
    const entry *e = &entries[((uint32_t)h + displacements[h >> 58] * ((h >> 20 & 0xFFFF) | 1)) & 511];
    return e->len == used && memcmp(e->name, upper, used) == 0 ? (hg_xss_kind)e->kind : HG_XSS_NONE;
}

static bool is_namespace(const unsigned char *name)
{
    hg_slice head = hg_slice_of((const char *)name, 5);
    return hg_equal_nocase(head, HG_SLICE("XMLNS")) || hg_equal_nocase(head, HG_SLICE("XLINK"));
}

hg_xss_kind hg_xss_attribute(const unsigned char *name, size_t len)
{
    if (len < 2)
        return HG_XSS_NONE;
    if (HG_STOCK && len >= 5 && (starts_with_on(name) || is_namespace(name)))
        return HG_XSS_BLACK;
    return listed_kind(name, len);
}

/* tools/injection-tables holds the twin of this function. */
static unsigned ending_bit(unsigned third_last, unsigned second_last, unsigned last)
{
    uint32_t letters = (third_last & 31) << 10 | (second_last & 31) << 5 | (last & 31);
    return letters * 0x9E3779B1 >> 20;
}

/* May a name start behind this byte? A name of letters and colons does nowhere else but at the start of the text. */
static bool is_before_name(unsigned char c)
{
    return c == 0 || hg_is_space(c) || c == '/' || c == '\'' || c == '"' || c == '`';
}

bool hg_xss_ends_attribute(const unsigned char *s, const unsigned char *end)
{
    if (HG_STOCK)
        return true;
    if (end - s < 2)
        return false;
    unsigned bit = ending_bit(end - s > 2 ? end[-3] : 0, end[-2], end[-1]);
    if ((endings[bit >> 6] >> (bit & 63) & 1) == 0)
        return false;
    const unsigned char *name = end;
    while (name > s && end - name <= LONGEST && (hg_is_alpha(name[-1]) || name[-1] == ':'))
        name--;
    if (name > s && !is_before_name(name[-1]))
        return false;
    return hg_xss_attribute(name, (size_t)(end - name)) != HG_XSS_NONE;
}
