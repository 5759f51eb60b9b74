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

bool hg_xss_may_be_attribute(const unsigned char *s, const unsigned char *end)
{
    if (HG_STOCK)
        return true;
    if (end - s < 2 || (last_two[end[-2] & 31] >> (end[-1] & 31) & 1) == 0)
        return false;
    return end - s == 2 || (two_before_last[end[-3] & 31] >> (end[-2] & 31) & 1) != 0;
}
