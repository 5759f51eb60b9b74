/* One pass over a string that tells which transformers can change it: byte by byte, for any CPU and for short strings.
 * survey_avx2.c does the same with blocks. */
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

uint32_t hg_survey_bytes(hg_slice s)
{
    uint32_t found = 0;
    uint32_t begun = 0;
    for (size_t i = 0; i < s.len; i++) {
        const byte_traits *t = &traits_of[(uint8_t)s.ptr[i]];
        found |= t->own | (begun & t->ends);
        begun = t->begins;
    }
    found |= begun & HG_TRAIT_DOT_PART; /* a dot at the end ends a path part */
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
