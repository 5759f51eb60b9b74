/* The survey of strings in blocks of 32 bytes. A byte is classified by two look-ups of 16 entries, one by its lower and
 * one by its upper half; a class bit is set where both have it. The last block overlaps the one before; a shorter
 * string is filled up to a block. */
#include "text/survey.h"

#ifdef HG_SURVEY_AVX2

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

enum { BLOCK = 32 };

typedef struct classes {
    uint8_t low[16];
    uint8_t high[16];
} classes;

/* Single bytes: 1 NUL, 2 backslash, 4 plus, 8 slash, 16 hash, 32 question mark, 64 percent, 128 ampersand. */
static const classes marks = {
    {1, 0, 0, 16, 0, 64, 128, 0, 0, 0, 0, 4, 2, 0, 0, 8 | 32},
    {1, 0, 4 | 8 | 16 | 64 | 128, 32, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* 1, 2 upper case; 4 double and single quote, 8 caret, 16 comma, 32 semicolon, 64 LF and its like, 128 space. */
static const classes words = {
    {2 | 128, 1 | 2, 1 | 2 | 4, 1 | 2, 1 | 2, 1 | 2, 1 | 2, 1 | 2 | 4, 1 | 2, 1 | 2 | 64, 1 | 2 | 64, 1 | 32 | 64,
     1 | 16 | 64, 1 | 64, 1 | 8, 1},
    {64, 0, 4 | 16 | 128, 32, 1, 2 | 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* Base64: 1, 2, 4 letters and digits and "=", 8 plus and slash, 16 dash, 32 underscore. */
static const classes base64 = {
    {1 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 1 | 2 | 4, 2 | 4,
     2 | 8, 2, 1 | 2 | 16, 2, 2 | 8 | 32},
    {0, 0, 8 | 16, 1, 2, 4 | 32, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* What a separator is dropped before: 1 LF and its like, 2 space ( , / 4 semicolon. */
static const classes glue = {
    {2, 0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 1 | 4, 1 | 2, 1, 0, 2},
    {1, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

AVX2_INLINE __m256i table(const uint8_t entries[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)entries));
}

AVX2_INLINE __m256i load(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* The classes of a block's bytes. Bytes above 0x7F have none: pshufb gives 0 for them. */
AVX2_INLINE __m256i classify(const classes *c, __m256i bytes, __m256i high_half)
{
    __m256i low = _mm256_shuffle_epi8(table(c->low), bytes);
    __m256i high = _mm256_shuffle_epi8(table(c->high), high_half);
    return _mm256_and_si256(low, high);
}

AVX2_INLINE __m256i upper_half(__m256i bytes)
{
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
}

AVX2_INLINE __m256i is(__m256i bytes, char c)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

AVX2_INLINE bool any(__m256i test)
{
    return !_mm256_testz_si256(test, test);
}

/* What has been seen so far, byte position by byte position. */
typedef struct seen {
    __m256i marks;
    __m256i words;
    __m256i high;
    __m256i not_base64;
    __m256i not_base64url;
    __m256i space_run;
    __m256i glue;
    __m256i dot_part;
    __m256i comment;
} seen;

/* `after` is the block one byte further on. */
AVX2_INLINE void look(seen *s, __m256i bytes, __m256i after)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i half = upper_half(bytes);
    __m256i word = classify(&words, bytes, half);
    __m256i digit = classify(&base64, bytes, half);
    s->marks = _mm256_or_si256(s->marks, classify(&marks, bytes, half));
    s->words = _mm256_or_si256(s->words, word);
    s->high = _mm256_or_si256(s->high, bytes);
    s->not_base64 = _mm256_or_si256(s->not_base64,
                                    _mm256_cmpeq_epi8(_mm256_and_si256(digit, _mm256_set1_epi8(1 | 2 | 4 | 8)), zero));
    s->not_base64url = _mm256_or_si256(
        s->not_base64url, _mm256_cmpeq_epi8(_mm256_and_si256(digit, _mm256_set1_epi8(1 | 2 | 4 | 16 | 32)), zero));

    __m256i slash_after = is(after, '/');
    __m256i space = is(bytes, ' ');
    __m256i blank = _mm256_cmpgt_epi8(_mm256_and_si256(word, _mm256_set1_epi8(64)), zero);
    __m256i glued = _mm256_cmpgt_epi8(classify(&glue, after, upper_half(after)), zero);
    s->space_run = _mm256_or_si256(s->space_run, _mm256_and_si256(space, is(after, ' ')));
    s->glue = _mm256_or_si256(s->glue, _mm256_and_si256(_mm256_or_si256(space, blank), glued));
    s->dot_part = _mm256_or_si256(s->dot_part, _mm256_and_si256(is(bytes, '.'), slash_after));
    __m256i dashes = _mm256_and_si256(is(bytes, '-'), is(after, '-'));
    __m256i slashes = _mm256_and_si256(is(bytes, '/'), _mm256_or_si256(slash_after, is(after, '*')));
    __m256i angle = _mm256_and_si256(is(bytes, '<'), is(after, '!'));
    s->comment = _mm256_or_si256(s->comment, _mm256_or_si256(dashes, _mm256_or_si256(slashes, angle)));
}

/* All class bits of a block joined. */
AVX2_INLINE uint32_t joined(__m256i bits)
{
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(half) | (uint64_t)_mm_extract_epi64(half, 1);
    both |= both >> 32;
    both |= both >> 16;
    return (uint32_t)(both | both >> 8) & 0xFF;
}

static inline uint32_t when(bool condition, uint32_t trait)
{
    return condition ? trait : 0;
}

/* Pairs of % and & are not looked at here: they count as begun. */
AVX2_INLINE uint32_t traits(const seen *s)
{
    uint32_t mark = joined(s->marks);
    uint32_t word = joined(s->words);
    return HG_TRAIT_ANY | when(mark & 1, HG_TRAIT_NUL) | when(mark & 2, HG_TRAIT_BACKSLASH) |
           when(mark & 4, HG_TRAIT_PLUS) | when(mark & 8, HG_TRAIT_SLASH) | when(mark & 16, HG_TRAIT_COMMENT) |
           when(mark & (16 | 32), HG_TRAIT_CUT) | when(mark & 64, HG_TRAIT_PERCENT) |
           when(mark & 128, HG_TRAIT_ENTITY) | when(word & (1 | 2), HG_TRAIT_UPPER) |
           when(word & (4 | 8), HG_TRAIT_QUOTE) | when(word & (16 | 32), HG_TRAIT_SEPARATOR) |
           when(_mm256_movemask_epi8(s->high) != 0, HG_TRAIT_HIGH) | when(any(s->not_base64), HG_TRAIT_NOT_BASE64) |
           when(any(s->not_base64url), HG_TRAIT_NOT_BASE64URL) | when(any(s->space_run), HG_TRAIT_SPACE_RUN) |
           when(any(s->glue), HG_TRAIT_GLUE) | when(any(s->dot_part), HG_TRAIT_DOT_PART) |
           when(any(s->comment), HG_TRAIT_COMMENT);
}

AVX2 uint32_t hg_survey_avx2(hg_slice s)
{
    char last[BLOCK + 1];
    seen so_far;
    memset(&so_far, 0, sizeof so_far);
    for (size_t r = 0; s.len > BLOCK && r < s.len - BLOCK; r += BLOCK)
        look(&so_far, load(s.ptr + r), load(s.ptr + r + 1));
    if (s.len >= BLOCK) {
        memcpy(last, s.ptr + s.len - BLOCK, BLOCK);
    } else {
        memset(last, 'a', BLOCK); /* a byte without traits, that ends no pair */
        memcpy(last, s.ptr, s.len);
    }
    last[BLOCK] = 'a';
    look(&so_far, load(last), load(last + 1));
    return traits(&so_far) | when(s.ptr[s.len - 1] == '.', HG_TRAIT_DOT_PART);
}

#endif
