#include "text/ip.h"

#include "text/bytes.h"

#define MAPPED_IPV4 0xFFFF00000000u /* ::ffff:0:0, lower half */

enum { TEXT_MAX = 45, IPV4_TEXT_MAX = 16, GROUPS = 8 };

/* The four bytes of a dotted quad, -1 when s is none. */
static int64_t dotted_quad(hg_slice s)
{
    uint32_t address = 0;
    size_t r = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && (r >= s.len || s.ptr[r++] != '.'))
            return -1;
        size_t begin = r;
        uint32_t value = 0;
        while (r < s.len && r - begin < 3 && hg_is_digit((uint8_t)s.ptr[r]))
            value = value * 10 + (uint32_t)(s.ptr[r++] - '0');
        if (r == begin || value > 255 || (s.ptr[begin] == '0' && r - begin > 1))
            return -1;
        address = address << 8 | value;
    }
    return r == s.len ? (int64_t)address : -1;
}

bool hg_ipv4_parse(hg_slice s, hg_ip *ip)
{
    int64_t address = dotted_quad(s);
    if (address < 0)
        return false;
    *ip = (hg_ip){0, MAPPED_IPV4 | (uint64_t)address};
    return true;
}

/* The 16-bit groups of an address as far as they have been read, and where "::" stood. */
typedef struct groups {
    uint16_t at[GROUPS];
    int count;
    int gap; /* -1: no "::" */
} groups;

static bool fill_gap(groups *g)
{
    if (g->gap < 0)
        return g->count == GROUPS;
    if (g->count == GROUPS)
        return false;
    int tail = g->count - g->gap;
    memmove(&g->at[GROUPS - tail], &g->at[g->gap], (size_t)tail * sizeof g->at[0]);
    memset(&g->at[g->gap], 0, (size_t)(GROUPS - g->count) * sizeof g->at[0]);
    return true;
}

/* One group of 1 to 4 digits at *r. */
static bool read_group(hg_slice s, size_t *r, groups *g)
{
    size_t begin = *r;
    uint32_t value = 0;
    while (*r < s.len && *r - begin < 4 && hg_is_hex((uint8_t)s.ptr[*r]))
        value = value << 4 | (uint32_t)hg_hex_value((uint8_t)s.ptr[(*r)++]);
    if (*r == begin || g->count == GROUPS)
        return false;
    g->at[g->count++] = (uint16_t)value;
    return true;
}

/* The IPv4 tail that begins with the group just read. */
static bool read_tail(hg_slice s, size_t begin, groups *g)
{
    int64_t quad = dotted_quad(hg_slice_skip(s, begin));
    if (quad < 0 || g->count == GROUPS)
        return false;
    g->at[g->count - 1] = (uint16_t)(quad >> 16);
    g->at[g->count++] = (uint16_t)quad;
    return true;
}

/* Groups up to the end of s; r is at the first one. */
static bool read_groups(hg_slice s, size_t r, groups *g)
{
    while (r < s.len) {
        size_t begin = r;
        if (!read_group(s, &r, g))
            return false;
        if (r == s.len)
            return true;
        if (s.ptr[r] == '.')
            return read_tail(s, begin, g);
        if (s.ptr[r++] != ':' || r == s.len)
            return false;
        if (s.ptr[r] == ':') {
            if (g->gap >= 0)
                return false;
            g->gap = g->count;
            r++;
        }
    }
    return true;
}

bool hg_ipv6_parse(hg_slice s, hg_ip *ip)
{
    groups g = {.gap = -1};
    size_t r = 0;
    if (s.len >= 1 && s.ptr[0] == ':') {
        if (s.len < 2 || s.ptr[1] != ':')
            return false;
        g.gap = 0;
        r = 2;
    }
    if (!read_groups(s, r, &g) || !fill_gap(&g))
        return false;
    *ip = (hg_ip){0, 0};
    for (int i = 0; i < GROUPS / 2; i++) {
        ip->high = ip->high << 16 | g.at[i];
        ip->low = ip->low << 16 | g.at[i + GROUPS / 2];
    }
    return true;
}

/* As hg_ip_parse; *bits is the length of the address as it was written. */
static bool parse_either(hg_slice s, hg_ip *ip, unsigned *bits)
{
    if (s.len > TEXT_MAX)
        return false;
    bool may_be_ipv4 = s.len <= IPV4_TEXT_MAX;
    s.len = hg_find_byte(s, 0, 0);
    *bits = 32;
    if (may_be_ipv4 && hg_ipv4_parse(s, ip))
        return true;
    *bits = 128;
    return hg_ipv6_parse(s, ip);
}

bool hg_ip_parse(hg_slice s, hg_ip *ip)
{
    unsigned bits;
    return parse_either(s, ip, &bits);
}

/* -1 when s is no number as strtol sees it, or a negative one. */
static int parse_bits(hg_slice s)
{
    if (s.len < 1 || s.len > 3)
        return -1;
    size_t r = 0;
    while (r < s.len && hg_is_space((uint8_t)s.ptr[r]))
        r++;
    bool minus = r < s.len && s.ptr[r] == '-';
    if (r < s.len && (s.ptr[r] == '-' || s.ptr[r] == '+'))
        r++;
    if (r == s.len || !hg_is_digit((uint8_t)s.ptr[r]))
        return -1;
    int value = 0;
    for (; r < s.len && hg_is_digit((uint8_t)s.ptr[r]); r++)
        value = value * 10 + (s.ptr[r] - '0');
    return minus && value > 0 ? -1 : value;
}

/* All ones but the first `bits`. */
static hg_ip host_mask(unsigned bits)
{
    return (hg_ip){bits >= 64 ? 0 : UINT64_MAX >> bits,
                   bits >= 128  ? 0
                   : bits <= 64 ? UINT64_MAX
                                : UINT64_MAX >> (bits - 64)};
}

bool hg_ip_range_parse(hg_slice s, hg_ip *first, hg_ip *last)
{
    size_t slash = hg_find_byte(s, 0, '/');
    unsigned width;
    if (!parse_either(hg_slice_take(s, slash), first, &width))
        return false;
    unsigned bits = 128;
    if (slash < s.len) {
        int given = parse_bits(hg_slice_skip(s, slash + 1));
        if (given < 0 || (unsigned)given > width)
            return false;
        bits = 128 - width + (unsigned)given;
    }
    hg_ip mask = host_mask(bits);
    *first = (hg_ip){first->high & ~mask.high, first->low & ~mask.low};
    *last = (hg_ip){first->high | mask.high, first->low | mask.low};
    return true;
}
