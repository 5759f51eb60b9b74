/* UTF-16 to UTF-8: runs of ASCII and of two- and three-byte characters go through vector kernels, the rest and every
 * boundary through the scalar loop, which alone decides about cuts and lone surrogates. */
#include "base/utf.h"

#include "base/utf16_kernels.h"

static inline bool is_surrogate(uint16_t u)
{
    return (u & 0xF800) == 0xD800;
}

static inline bool is_pair(const uint16_t *units, size_t i, size_t n)
{
    return (units[i] & 0xFC00) == 0xD800 && i + 1 < n && (units[i + 1] & 0xFC00) == 0xDC00;
}

static inline uint32_t join(uint16_t high, uint16_t low)
{
    return ((uint32_t)(high & 0x3FF) << 10 | (low & 0x3FF)) + 0x10000;
}

static inline size_t utf8_size(uint32_t cp)
{
    return cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
}

/* One code point; false when it does not fit. */
static inline bool step(const uint16_t *units, size_t n, char *out, size_t room, hg_text_policy policy, hg_transcoded *t)
{
    uint32_t cp = units[t->read];
    size_t used = 1;
    bool lone = false;
    if (is_surrogate((uint16_t)cp)) {
        if (is_pair(units, t->read, n)) {
            cp = join(units[t->read], units[t->read + 1]);
            used = 2;
        } else {
            lone = true;
            if (policy == HG_TEXT_REPLACE)
                cp = HG_REPLACEMENT;
        }
    }
    if (!(lone && policy == HG_TEXT_DROP)) {
        if (utf8_size(cp) > room - t->written)
            return false;
        t->written += hg_utf8_encode(cp, out + t->written);
    }
    t->read += used;
    t->replaced += lone;
    return true;
}

enum { KERNEL_UNITS = 16 }; /* shorter rests are not worth a call */

hg_transcoded hg_utf16_to_utf8(const uint16_t *units, size_t n, char *out, size_t room, hg_text_policy policy)
{
    hg_transcoded t = {0, 0, 0};
    while (t.read < n) {
        if (n - t.read >= KERNEL_UNITS)
            utf16_kernel(units, n, out, room, &t);
        /* where a kernel stops, some steps by hand get it past the odd place */
        for (int i = 0; i < KERNEL_UNITS && t.read < n; i++) {
            if (!step(units, n, out, room, policy, &t))
                return t;
        }
    }
    return t;
}

size_t hg_utf16_utf8_length(const uint16_t *units, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        uint16_t u = units[i];
        /* each half of a pair counts 2; a lone surrogate 3 */
        length += 1 + (u >= 0x80) + (u >= 0x800);
        if (is_pair(units, i, n)) {
            length += 1;
            i++;
        }
    }
    return length;
}
