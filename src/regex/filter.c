/* The filter. Per byte of text: a row of each table, and, and, or. */
#include "regex/filter.h"

#include "base/cpu.h"

#include <stdlib.h>

/* ---- Tables ---- */

/* Places that are not told take anything, the end of the text too: noted once for all rows. */
static void add_bit(rx_filter_block *block, unsigned bit, const rx_triple *triple, uint64_t anything[3][RX_BLOCK_WORDS])
{
    uint64_t mask = (uint64_t)1 << (bit % 64);
    for (unsigned place = 0; place < triple->known; place++) {
        for (unsigned w = 0; w < 4; w++) {
            for (uint64_t left = triple->bytes[place].words[w]; left != 0; left &= left - 1)
                block->bytes[place][w * 64 + (unsigned)__builtin_ctzll(left)][bit / 64] |= mask;
        }
    }
    for (unsigned place = triple->known; place < 3; place++)
        anything[place][bit / 64] |= mask;
}

static void add_anything(rx_filter_block *block, uint64_t anything[3][RX_BLOCK_WORDS])
{
    for (unsigned place = 0; place < 3; place++) {
        for (unsigned b = 0; b < 257; b++) {
            for (unsigned w = 0; w < RX_BLOCK_WORDS; w++)
                block->bytes[place][b][w] |= anything[place][w];
        }
    }
    memset(anything, 0, 3 * sizeof *anything);
}

static void fill_blocks(rx_filter *f, const rx_cut *const *cuts, const uint32_t *counts)
{
    uint64_t anything[3][RX_BLOCK_WORDS] = {{0}};
    uint32_t next = 0;
    for (uint32_t m = 0; m < f->members; m++) {
        for (uint32_t c = 0; c < RX_MAX_CUTS; c++) {
            if (c >= counts[m]) {
                f->free_of[c][m / 64] |= (uint64_t)1 << (m % 64);
                continue;
            }
            for (uint32_t p = 0; p < cuts[m][c].count; p++, next++) {
                rx_filter_block *block = &f->blocks[next / RX_BLOCK_BITS];
                block->member[next % RX_BLOCK_BITS] = (uint16_t)m;
                block->cut[next % RX_BLOCK_BITS] = (uint8_t)c;
                add_bit(block, next % RX_BLOCK_BITS, &cuts[m][c].triples[p], anything);
                if (next % RX_BLOCK_BITS == RX_BLOCK_BITS - 1)
                    add_anything(block, anything);
            }
        }
    }
    if (next % RX_BLOCK_BITS != 0)
        add_anything(&f->blocks[next / RX_BLOCK_BITS], anything);
}

bool rx_filter_open(rx_filter *f, const rx_cut *const *cuts, const uint32_t *counts, uint32_t members)
{
    *f = (rx_filter){.members = members};
    uint32_t bits = 0;
    for (uint32_t m = 0; m < members; m++) {
        for (uint32_t c = 0; c < counts[m]; c++)
            bits += cuts[m][c].count;
    }
    f->block_count = (bits + RX_BLOCK_BITS - 1) / RX_BLOCK_BITS;
    size_t words = (members + 63) / 64, size = f->block_count * sizeof *f->blocks;
    f->blocks = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    f->free_of[0] = calloc(RX_MAX_CUTS * (words ? words : 1), sizeof(uint64_t));
    if (f->blocks == NULL || f->free_of[0] == NULL) {
        rx_filter_close(f);
        return false;
    }
    memset(f->blocks, 0, size);
    for (uint32_t c = 1; c < RX_MAX_CUTS; c++)
        f->free_of[c] = f->free_of[0] + c * words;
    fill_blocks(f, cuts, counts);
    return true;
}

void rx_filter_close(rx_filter *f)
{
    free(f->blocks);
    free(f->free_of[0]);
    *f = (rx_filter){0};
}

/* ---- Scanning ----
 *
 * The walk is the same for plain words and for vectors. `one` holds the bits that allow the last byte in the first
 * place, `two` those that allow the last two bytes in the first two; two ends of text finish what is under way. */

enum { END = 256 };

static void walk_scalar(const rx_filter_block *block, const uint8_t *at, size_t len, uint64_t out[RX_BLOCK_WORDS])
{
    uint64_t one[RX_BLOCK_WORDS] = {0}, two[RX_BLOCK_WORDS] = {0};
    memset(out, 0, RX_BLOCK_WORDS * sizeof *out);
    for (size_t i = 0; i < len + 2; i++) {
        unsigned b = i < len ? at[i] : END;
        for (unsigned w = 0; w < RX_BLOCK_WORDS; w++) {
            out[w] |= two[w] & block->bytes[2][b][w];
            two[w] = one[w] & block->bytes[1][b][w];
            one[w] = block->bytes[0][b][w];
        }
    }
}

#if defined(__x86_64__) || defined(__aarch64__)

typedef uint64_t half __attribute__((vector_size(16), may_alias));

/* Two 16-byte halves: SSE2 and NEON. */
static void walk_halves(const rx_filter_block *block, const uint8_t *at, size_t len, uint64_t out[RX_BLOCK_WORDS])
{
    half one[2] = {{0}}, two[2] = {{0}}, sum[2] = {{0}};
    for (size_t i = 0; i < len + 2; i++) {
        unsigned b = i < len ? at[i] : END;
        const half *first = (const half *)block->bytes[0][b], *second = (const half *)block->bytes[1][b];
        const half *third = (const half *)block->bytes[2][b];
        for (unsigned h = 0; h < 2; h++) {
            sum[h] |= two[h] & third[h];
            two[h] = one[h] & second[h];
            one[h] = first[h];
        }
    }
    memcpy(out, sum, sizeof sum);
}
#endif

#if defined(__x86_64__)

typedef uint64_t whole __attribute__((vector_size(32), may_alias));

/* Up to two blocks in one walk. */
__attribute__((target("avx2"))) static inline __attribute__((always_inline)) void
walk_wholes(const rx_filter_block *blocks, const unsigned count, const uint8_t *at, size_t len, uint64_t *out)
{
    whole one[2] = {{0}}, two[2] = {{0}}, sum[2] = {{0}};
    for (size_t i = 0; i < len; i++) {
        size_t b = at[i];
#pragma GCC unroll 2
        for (unsigned k = 0; k < count; k++) {
            sum[k] |= two[k] & *(const whole *)blocks[k].bytes[2][b];
            two[k] = one[k] & *(const whole *)blocks[k].bytes[1][b];
            one[k] = *(const whole *)blocks[k].bytes[0][b];
        }
    }
    for (unsigned k = 0; k < count; k++) {
        const whole third = *(const whole *)blocks[k].bytes[2][END], second = *(const whole *)blocks[k].bytes[1][END];
        sum[k] |= (two[k] & third) | (one[k] & second & third);
        memcpy(out + k * RX_BLOCK_WORDS, &sum[k], sizeof sum[k]);
    }
}

__attribute__((target("avx2"))) static void walk_avx2(const rx_filter_block *blocks, unsigned count, const uint8_t *at,
                                                      size_t len, uint64_t *out)
{
    if (count == 2)
        walk_wholes(blocks, 2, at, len, out);
    else
        walk_wholes(blocks, 1, at, len, out);
}
#endif

/* One or two blocks. */
static void walk(const rx_filter_block *blocks, unsigned count, const uint8_t *at, size_t len, uint64_t *out)
{
#if defined(__x86_64__)
    if (hg_cpu() >= HG_CPU_AVX2) {
        walk_avx2(blocks, count, at, len, out);
        return;
    }
#endif
    for (unsigned k = 0; k < count; k++) {
#if defined(__x86_64__) || defined(__aarch64__)
        if (hg_cpu() > HG_CPU_SCALAR) {
            walk_halves(blocks + k, at, len, out + k * RX_BLOCK_WORDS);
            continue;
        }
#endif
        walk_scalar(blocks + k, at, len, out + k * RX_BLOCK_WORDS);
    }
}

static void note_bits(const rx_filter_block *block, const uint64_t bits[RX_BLOCK_WORDS],
                      uint64_t seen[RX_MAX_CUTS][RX_FILTER_WORDS])
{
    for (unsigned w = 0; w < RX_BLOCK_WORDS; w++) {
        for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
            unsigned bit = w * 64 + (unsigned)__builtin_ctzll(left), m = block->member[bit];
            seen[block->cut[bit]][m / 64] |= (uint64_t)1 << (m % 64);
        }
    }
}

void rx_filter_run(const rx_filter *f, hg_slice text, uint64_t *candidates)
{
    size_t words = (f->members + 63) / 64;
    uint64_t seen[RX_MAX_CUTS][RX_FILTER_WORDS];
    for (unsigned c = 0; c < RX_MAX_CUTS; c++)
        memcpy(seen[c], f->free_of[c], words * sizeof(uint64_t));
    for (uint32_t b = 0; b < f->block_count; b += 2) {
        uint64_t bits[2 * RX_BLOCK_WORDS];
        unsigned count = f->block_count - b < 2 ? 1 : 2;
        walk(f->blocks + b, count, (const uint8_t *)text.ptr, text.len, bits);
        for (unsigned k = 0; k < count; k++)
            note_bits(f->blocks + b + k, bits + k * RX_BLOCK_WORDS, seen);
    }
    for (size_t w = 0; w < words; w++)
        candidates[w] = seen[0][w] & seen[1][w];
}
