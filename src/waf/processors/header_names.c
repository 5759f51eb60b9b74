#include "waf/processors/fingerprint.h"

typedef struct name {
    hg_slice text;
    uint8_t kind;
    uint8_t index;
} name;

enum { SHORTEST = 2, LONGEST = 19 };

/* In order of length, so that a name is compared with those of its own length only. */
static const name names[] = {
    {HG_SLICE("te"), HG_HEADER_KNOWN, 5},
    {HG_SLICE("accept"), HG_HEADER_KNOWN, 8},
    {HG_SLICE("referer"), HG_HEADER_KNOWN, 0},
    {HG_SLICE("x-real-ip"), HG_HEADER_ADDRESS, 1},
    {HG_SLICE("connection"), HG_HEADER_KNOWN, 1},
    {HG_SLICE("user-agent"), HG_HEADER_USER_AGENT, 0},
    {HG_SLICE("x-client-ip"), HG_HEADER_ADDRESS, 3},
    {HG_SLICE("x-forwarded"), HG_HEADER_ADDRESS, 4},
    {HG_SLICE("content-type"), HG_HEADER_KNOWN, 7},
    {HG_SLICE("cache-control"), HG_HEADER_KNOWN, 4},
    {HG_SLICE("forwarded-for"), HG_HEADER_ADDRESS, 5},
    {HG_SLICE("accept-charset"), HG_HEADER_KNOWN, 6},
    {HG_SLICE("true-client-ip"), HG_HEADER_ADDRESS, 2},
    {HG_SLICE("accept-encoding"), HG_HEADER_KNOWN, 2},
    {HG_SLICE("accept-language"), HG_HEADER_KNOWN, 9},
    {HG_SLICE("x-forwarded-for"), HG_HEADER_ADDRESS, 0},
    {HG_SLICE("content-encoding"), HG_HEADER_KNOWN, 3},
    {HG_SLICE("cf-connecting-ip"), HG_HEADER_ADDRESS, 8},
    {HG_SLICE("fastly-client-ip"), HG_HEADER_ADDRESS, 7},
    {HG_SLICE("cf-connecting-ipv6"), HG_HEADER_ADDRESS, 9},
    {HG_SLICE("x-cluster-client-ip"), HG_HEADER_ADDRESS, 6},
};

/* The first name of each length, and of LONGEST + 1. */
static const uint8_t first_of_length[LONGEST + 2] = {0,  0,  0,  1,  1,  1,  1,  2,  3,  3,  4,
                                                     6,  8,  9,  11, 13, 16, 19, 19, 20, 21};

/* Most names come in lower case already, and most others differ in their first or last byte. */
static bool reads(hg_slice header, hg_slice text)
{
    if (hg_header_byte(header.ptr[0]) != text.ptr[0] ||
        hg_header_byte(header.ptr[text.len - 1]) != text.ptr[text.len - 1])
        return false;
    if (memcmp(header.ptr, text.ptr, text.len) == 0)
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (hg_header_byte(header.ptr[i]) != text.ptr[i])
            return false;
    return true;
}

hg_header_kind hg_header_kind_of(hg_slice header, unsigned *index)
{
    if (header.len < SHORTEST || header.len > LONGEST)
        return HG_HEADER_OTHER;
    for (size_t i = first_of_length[header.len]; i < first_of_length[header.len + 1]; i++) {
        if (!reads(header, names[i].text))
            continue;
        *index = names[i].index;
        return (hg_header_kind)names[i].kind;
    }
    return HG_HEADER_OTHER;
}
