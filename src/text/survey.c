/* One pass over a string that tells which transformers can change it: for any CPU and for short strings.
 * survey_avx2.c does the same with larger blocks. */
#include "text/survey.h"

/* Compile-time tables: a byte's own traits, the pairs it may begin and the pairs it may end. */
#define IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define LETTER(c) (IN(c, 'A', 'Z') || IN(c, 'a', 'z'))
#define DIGIT(c) IN(c, '0', '9')
#define BLANK(c) ((c) == ' ' || IN(c, '\t', '\r'))
#define IF(condition, trait) ((condition) ? (uint32_t)(trait) : 0)

#define OWN(c)                                                                                                       \
    (HG_TRAIT_ANY | IF(IN(c, 'A', 'Z'), HG_TRAIT_UPPER) | IF((c) == 0, HG_TRAIT_NUL) |                              \
     IF((c) == '\\', HG_TRAIT_BACKSLASH) | IF((c) == '+', HG_TRAIT_PLUS) |                                           \
     IF((c) == '"' || (c) == '\'' || (c) == '^', HG_TRAIT_QUOTE) | IF((c) == ',' || (c) == ';', HG_TRAIT_SEPARATOR) | \
     IF((c) == '/', HG_TRAIT_SLASH) | IF((c) == '?' || (c) == '#', HG_TRAIT_CUT) |                                   \
     IF((c) == '#', HG_TRAIT_COMMENT) | IF((c) > 0x7F, HG_TRAIT_HIGH) |                                              \
     IF(!LETTER(c) && !DIGIT(c) && (c) != '+' && (c) != '/' && (c) != '=', HG_TRAIT_NOT_BASE64) |                    \
     IF(!LETTER(c) && !DIGIT(c) && (c) != '-' && (c) != '_' && (c) != '=', HG_TRAIT_NOT_BASE64URL))

/* Comments need four pairs, so each has a bit of its own while the pairs are looked for. */
enum {
    PAIR_DASHES = 1u << 28,
    PAIR_SLASHES = 1u << 29,
    PAIR_ANGLE = 1u << 30,
    PAIRS_OF_COMMENTS = PAIR_DASHES | PAIR_SLASHES | PAIR_ANGLE
};

#define BEGINS(c)                                                                                                    \
    (IF((c) == ' ', HG_TRAIT_SPACE_RUN) | IF((c) == '%', HG_TRAIT_PERCENT) | IF((c) == '&', HG_TRAIT_ENTITY) |       \
     IF(BLANK(c), HG_TRAIT_GLUE) | IF((c) == '.', HG_TRAIT_DOT_PART) | IF((c) == '-', PAIR_DASHES) |                 \
     IF((c) == '/', PAIR_SLASHES) | IF((c) == '<', PAIR_ANGLE))

#define ENDS(c)                                                                                                      \
    (IF((c) == ' ', HG_TRAIT_SPACE_RUN) |                                                                            \
     IF(DIGIT(c) || IN(c, 'a', 'f') || IN(c, 'A', 'F') || (c) == 'u' || (c) == 'U', HG_TRAIT_PERCENT) |              \
     IF(LETTER(c) || DIGIT(c) || (c) == '#', HG_TRAIT_ENTITY) |                                                      \
     IF(BLANK(c) || (c) == ',' || (c) == ';' || (c) == '(' || (c) == '/', HG_TRAIT_GLUE) |                           \
     IF((c) == '/', HG_TRAIT_DOT_PART) | IF((c) == '-', PAIR_DASHES) | IF((c) == '/' || (c) == '*', PAIR_SLASHES) |  \
     IF((c) == '!', PAIR_ANGLE))

typedef struct byte_traits {
    uint32_t own;
    uint32_t begins;
    uint32_t ends;
} byte_traits;

#define ROW1(c) {OWN(c), BEGINS(c), ENDS(c)},
#define ROW4(c) ROW1(c) ROW1((c) + 1) ROW1((c) + 2) ROW1((c) + 3)
#define ROW16(c) ROW4(c) ROW4((c) + 4) ROW4((c) + 8) ROW4((c) + 12)
#define ROW64(c) ROW16(c) ROW16((c) + 16) ROW16((c) + 32) ROW16((c) + 48)

static const byte_traits traits_of[256] = {ROW64(0) ROW64(64) ROW64(128) ROW64(192)};

/* What a byte and its pair with the next one show. */
static inline uint32_t look_at(const uint8_t *at, const uint8_t *end)
{
    const byte_traits *t = &traits_of[*at];
    return t->own | (at + 1 < end ? t->begins & traits_of[at[1]].ends : t->begins & HG_TRAIT_DOT_PART);
}

#ifdef __SSE2__
#include <emmintrin.h>

static inline unsigned in_range(__m128i v, char low, char high)
{
    /* Moved so that the range ends at the largest signed byte. */
    __m128i moved = _mm_add_epi8(v, _mm_set1_epi8((char)(127 - high)));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(moved, _mm_set1_epi8((char)(126 - high + low))));
}

/* The bytes of a block that `mask` names. Most are letters, digits, and blanks before one of these, which are answered
 * without being looked at. */
static inline uint32_t look_at_block(__m128i v, unsigned mask, const uint8_t *at, const uint8_t *end)
{
    unsigned upper = in_range(v, 'A', 'Z') & mask, plain = in_range(v, 'a', 'z') | in_range(v, '0', '9') | upper;
    unsigned blank = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' '))) & mask;
    unsigned rest = ~(plain | (blank & (plain & mask) >> 1)) & mask;
    uint32_t found = (upper ? HG_TRAIT_UPPER : 0) | (blank ? OWN(' ') : HG_TRAIT_ANY);
    for (; rest != 0; rest &= rest - 1)
        found |= look_at(at + __builtin_ctz(rest), end);
    return found;
}

static inline uint64_t load_few(const uint8_t *at, size_t len)
{
    uint32_t low, high;
    uint64_t word = 0;
    if (len >= 4) {
        memcpy(&low, at, 4);
        memcpy(&high, at + len - 4, 4);
        return low | (uint64_t)high << (8 * (len - 4));
    }
    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

/* 1 to 15 bytes. */
static inline __m128i load_short(const uint8_t *at, size_t len)
{
    if (len <= 8)
        return _mm_set_epi64x(0, (long long)load_few(at, len));
    uint64_t low, high;
    memcpy(&low, at, 8);
    memcpy(&high, at + len - 8, 8);
    return _mm_set_epi64x((long long)(high >> (8 * (16 - len))), (long long)low);
}

static uint32_t look_at_all(const uint8_t *at, const uint8_t *end)
{
    const size_t len = (size_t)(end - at);
    uint32_t found = 0;
    if (len < 16)
        return look_at_block(load_short(at, len), (1u << len) - 1, at, end);
    for (; end - at > 16; at += 16)
        found |= look_at_block(_mm_loadu_si128((const __m128i *)(const void *)at), 0xFFFF, at, end);
    at = end - 16;
    return found | look_at_block(_mm_loadu_si128((const __m128i *)(const void *)at), 0xFFFF, at, end);
}
#else
static uint32_t look_at_all(const uint8_t *at, const uint8_t *end)
{
    uint32_t found = 0;
    for (; at < end; at++)
        found |= look_at(at, end);
    return found;
}
#endif

uint32_t hg_survey_bytes(hg_slice s)
{
    const uint8_t *begin = (const uint8_t *)s.ptr;
    uint32_t found = s.len > 0 ? look_at_all(begin, begin + s.len) : 0;
    if (found & PAIRS_OF_COMMENTS)
        found = (found & ~(uint32_t)PAIRS_OF_COMMENTS) | HG_TRAIT_COMMENT;
    return found;
}

uint32_t hg_text_survey(hg_slice s)
{
#ifdef HG_SURVEY_AVX2
    if (s.len >= HG_SURVEY_SHORT && hg_cpu() >= HG_CPU_AVX2)
        return hg_survey_avx2(s);
#endif
    return hg_survey_bytes(s);
}
