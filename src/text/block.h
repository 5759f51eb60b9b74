/* Sixteen bytes at once, by the compiler's vector types: SSE2 on x86-64, NEON on ARM, plain code elsewhere. A test of
 * bytes is a block of 0xFF where it holds and 0 where it does not. */
#ifndef HG_TEXT_BLOCK_H
#define HG_TEXT_BLOCK_H

#include "hotgate/base.h"

typedef uint8_t hg_block __attribute__((vector_size(16)));
typedef uint64_t hg_block_words __attribute__((vector_size(16)));

enum { HG_BLOCK = sizeof(hg_block) };

static inline hg_block hg_block_load(const char *p)
{
    hg_block b;
    memcpy(&b, p, sizeof b);
    return b;
}

static inline void hg_block_store(char *p, hg_block b)
{
    memcpy(p, &b, sizeof b);
}

static inline hg_block hg_block_is(hg_block b, uint8_t byte)
{
    return (hg_block)(b == byte);
}

/* Bytes from `first` on, `count` values of them. */
static inline hg_block hg_block_in(hg_block b, uint8_t first, uint8_t count)
{
    return (hg_block)((hg_block)(b - first) < count);
}

/* Does a test hold anywhere? */
static inline bool hg_block_any(hg_block test)
{
    hg_block_words words = (hg_block_words)test;
    return (words[0] | words[1]) != 0;
}

#endif
