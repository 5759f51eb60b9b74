#include "base/utf.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool is_continuation(uint8_t b)
{
    return (b & 0xC0) == 0x80;
}

/* Unicode table 3-7: the second byte of a sequence has a narrower range after E0, ED, F0 and F4. */
static inline bool second_byte_fits(uint8_t lead, uint8_t second)
{
    switch (lead) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return is_continuation(second);
    }
}

size_t hg_utf8_decode(const char *p, size_t n, uint32_t *cp)
{
    const uint8_t *b = (const uint8_t *)p;
    uint8_t lead = b[0];
    if (lead < 0x80) {
        *cp = lead;
        return 1;
    }
    *cp = UINT32_MAX;
    if (lead < 0xC2 || lead > 0xF4 || n < 2 || !second_byte_fits(lead, b[1]))
        return 1;
    if (lead < 0xE0) {
        *cp = (uint32_t)(lead & 31) << 6 | (b[1] & 63);
        return 2;
    }
    if (n < 3 || !is_continuation(b[2]))
        return 2;
    if (lead < 0xF0) {
        *cp = (uint32_t)(lead & 15) << 12 | (uint32_t)(b[1] & 63) << 6 | (b[2] & 63);
        return 3;
    }
    if (n < 4 || !is_continuation(b[3]))
        return 3;
    *cp = (uint32_t)(lead & 7) << 18 | (uint32_t)(b[1] & 63) << 12 | (uint32_t)(b[2] & 63) << 6 | (b[3] & 63);
    return 4;
}

size_t hg_ascii_prefix(hg_slice s)
{
    size_t i = 0;
#if defined(__SSE2__)
    for (; s.len - i >= 64; i += 64) {
        const __m128i *p = (const __m128i *)(const void *)(s.ptr + i);
        __m128i a = _mm_or_si128(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
        __m128i b = _mm_or_si128(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
        if (_mm_movemask_epi8(_mm_or_si128(a, b)) != 0)
            break;
    }
#endif
    for (; s.len - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + i, 8);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < s.len && (uint8_t)s.ptr[i] < 0x80)
        i++;
    return i;
}

size_t hg_utf8_valid_prefix(hg_slice s)
{
    size_t i = 0;
    while (i < s.len) {
        if ((uint8_t)s.ptr[i] < 0x80) {
            i += hg_ascii_prefix(hg_slice_skip(s, i));
            continue;
        }
        uint32_t cp;
        size_t n = hg_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp == UINT32_MAX)
            return i;
        i += n;
    }
    return i;
}

size_t hg_utf8_count(hg_slice s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; count++) {
        uint32_t cp;
        i += hg_utf8_decode(s.ptr + i, s.len - i, &cp);
    }
    return count;
}

size_t hg_utf8_utf16_length(hg_slice s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp;
        size_t n = hg_utf8_decode(s.ptr + i, s.len - i, &cp);
        count += n == 4 ? 2 : 1;
        i += n;
    }
    return count;
}

/* Length of the sequence that a lead byte announces. */
static size_t announced(uint8_t lead)
{
    return lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
}

bool hg_utf8_is_cut(hg_slice s)
{
    size_t good = hg_utf8_valid_prefix(s), left = s.len - good;
    uint32_t cp;
    if (left == 0)
        return false;
    return hg_utf8_decode(s.ptr + good, left, &cp) == left && announced((uint8_t)s.ptr[good]) > left;
}

size_t hg_utf8_cut(hg_slice s, size_t max)
{
    if (s.len <= max)
        return s.len;
    size_t cut = max;
    while (cut > 0 && max - cut < 3 && is_continuation((uint8_t)s.ptr[cut]))
        cut--;
    return is_continuation((uint8_t)s.ptr[cut]) ? max : cut; /* not UTF-8 here: nothing to keep whole */
}

/* What an ill-formed subpart of n bytes becomes; SIZE_MAX when it does not fit. */
static size_t put_ill_formed(const char *from, size_t n, char *out, size_t room, hg_text_policy policy)
{
    if (policy == HG_TEXT_DROP)
        return 0;
    if (policy == HG_TEXT_KEEP) {
        if (n > room)
            return SIZE_MAX;
        memcpy(out, from, n);
        return n;
    }
    return room < 3 ? SIZE_MAX : hg_utf8_encode(HG_REPLACEMENT, out);
}

hg_transcoded hg_utf8_copy(hg_slice s, char *out, size_t room, hg_text_policy policy)
{
    hg_transcoded t = {0, 0, 0};
    while (t.read < s.len) {
        hg_slice rest = hg_slice_skip(s, t.read);
        size_t good = hg_utf8_valid_prefix(rest);
        if (good > room - t.written)
            good = hg_utf8_cut(rest, room - t.written);
        if (good > 0) {
            memcpy(out + t.written, rest.ptr, good);
            t.read += good;
            t.written += good;
            continue;
        }
        uint32_t cp;
        size_t n = hg_utf8_decode(rest.ptr, rest.len, &cp);
        if (cp != UINT32_MAX)
            break; /* a valid code point that does not fit */
        size_t put = put_ill_formed(rest.ptr, n, out + t.written, room - t.written, policy);
        if (put == SIZE_MAX)
            break;
        t.read += n;
        t.written += put;
        t.replaced++;
    }
    return t;
}

hg_transcoded hg_utf8_to_utf16(hg_slice s, uint16_t *out, size_t room)
{
    hg_transcoded t = {0, 0, 0};
    while (t.read < s.len) {
        uint32_t cp;
        size_t n = hg_utf8_decode(s.ptr + t.read, s.len - t.read, &cp);
        bool bad = cp == UINT32_MAX;
        if (bad)
            cp = HG_REPLACEMENT;
        size_t units = cp > 0xFFFF ? 2 : 1;
        if (units > room - t.written)
            break;
        if (units == 1) {
            out[t.written] = (uint16_t)cp;
        } else {
            out[t.written] = (uint16_t)(0xD7C0 + (cp >> 10));
            out[t.written + 1] = (uint16_t)(0xDC00 | (cp & 0x3FF));
        }
        t.read += n;
        t.written += units;
        t.replaced += bad;
    }
    return t;
}
