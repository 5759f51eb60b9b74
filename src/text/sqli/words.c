/* Words are found by a perfect hash over their padded upper-case form, behind a bit filter that turns most
 * ordinary words away with one load. The tables are constants: nothing is built at run time. */
#include "text/sqli/words.h"

#include "text/bytes.h"

#include <string.h>

#include "text/sqli/words_table.h"

static uint64_t little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* tools/injection-tables holds the twin of this function. */
static uint64_t spread(uint64_t value)
{
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15;
    return value ^ value >> 29;
}

static uint64_t hash_key(const hg_sqli_key *key)
{
    return spread(
        little_endian(key->words[0]) * 0x9E3779B97F4A7C15 + little_endian(key->words[1]) * 0xC2B2AE3D27D4EB4F +
        little_endian(key->words[2]) * 0x165667B19E3779F9 + little_endian(key->words[3]) * 0xD6E8FEB86659FD93);
}

char hg_sqli_key_type(const hg_sqli_key *key, size_t len)
{
    uint64_t h = hash_key(key);
    if ((filter[h >> 57] >> (h >> 51 & 63) & 1) == 0)
        return 0;
    uint64_t slot = ((uint32_t)h + displacements[h >> 56] * ((h >> 20 & 0xFFFF) | 1)) & 1023;
    const hg_sqli_key *e = &entries[slot];
    uint64_t different = (e->words[0] ^ key->words[0]) | (e->words[1] ^ key->words[1]) | (e->words[2] ^ key->words[2]) |
                         (e->words[3] ^ key->words[3]);
    /* The last test keeps a key that ends in NULs from equalling its padded self. */
    return different == 0 && len > 0 && e->bytes[len - 1] != 0 ? types[slot] : 0;
}

char hg_sqli_word_type(const char *text, size_t len)
{
    hg_sqli_key key = {.words = {0}};
    if (len >= sizeof key.bytes)
        return 0;
    for (size_t i = 0; i < len; i++)
        key.bytes[i] = (char)hg_to_upper((unsigned char)text[i]);
    return hg_sqli_key_type(&key, len);
}

/* A bit for the first and last bytes of both parts, whatever the case. tools/injection-tables holds the twin. */
static unsigned pair_bit(hg_slice head, hg_slice tail)
{
    uint32_t ends = (uint32_t)(head.ptr[0] & 31) << 15 | (uint32_t)(head.ptr[head.len - 1] & 31) << 10 |
                    (uint32_t)(tail.ptr[0] & 31) << 5 | (uint32_t)(tail.ptr[tail.len - 1] & 31);
    return ends * 0x9E3779B1 >> 21;
}

bool hg_sqli_may_turn(hg_slice text)
{
    return text.len > 0 && (turning[text.ptr[0] & 31] >> (text.ptr[text.len - 1] & 31) & 1) != 0;
}

char hg_sqli_phrase_type(hg_slice head, hg_slice tail, char joined[HG_SQLI_TEXT_MAX + 1])
{
    size_t len = head.len + 1 + tail.len;
    if (head.len == 0 || tail.len == 0 || len > HG_SQLI_TEXT_MAX)
        return 0;
    unsigned bit = pair_bit(head, tail);
    if ((phrase_pairs[bit >> 6] >> (bit & 63) & 1) == 0)
        return 0;
    memcpy(joined, head.ptr, head.len);
    joined[head.len] = ' ';
    memcpy(joined + head.len + 1, tail.ptr, tail.len);
    return hg_sqli_word_type(joined, len);
}
