/* The filter. Per byte of text: a row of each table, and, and, or. */
#include "regex/filter.h"

#include "base/cpu.h"

#include <stdlib.h>

/* ---- Tables ---- */

static void add_bit(rx_filter_block *block, unsigned bit, const rx_triple *triple)
{
    uint64_t mask = (uint64_t)1 << (bit % 64);
    for (unsigned place = 0; place < 3; place++) {
        for (unsigned b = 0; b < 256; b++) {
            if (rx_byteset_has(&triple->bytes[place], b))
                block->bytes[place][b][bit / 64] |= mask;
        }
        if (place >= triple->known)
            block->bytes[place][256][bit / 64] |= mask;
    }
}

static void fill_blocks(rx_filter *f, const rx_cut *const *cuts, const uint32_t *counts)
{
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
                add_bit(block, next % RX_BLOCK_BITS, &cuts[m][c].triples[p]);
            }
        }
    }
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

/* ---- Scanning: the same walk for plain words and for vectors ---- */

enum { END = 256 };

typedef struct rows {
    const uint64_t *first, *second, *third;
} rows;

static inline rows rows_at(const rx_filter_block *block, const uint8_t *at, size_t i, size_t len)
{
    return (rows){block->bytes[0][at[i]], block->bytes[1][i + 1 < len ? at[i + 1] : END],
                  block->bytes[2][i + 2 < len ? at[i + 2] : END]};
}

static void walk_scalar(const rx_filter_block *block, const uint8_t *at, size_t len, uint64_t out[RX_BLOCK_WORDS])
{
    uint64_t sum[RX_BLOCK_WORDS] = {0};
    for (size_t i = 0; i < len; i++) {
        rows r = rows_at(block, at, i, len);
        for (unsigned w = 0; w < RX_BLOCK_WORDS; w++)
            sum[w] |= r.first[w] & r.second[w] & r.third[w];
    }
    memcpy(out, sum, sizeof sum);
}

#if defined(__x86_64__) || defined(__aarch64__)

typedef uint64_t half __attribute__((vector_size(16), may_alias));

/* Two 16-byte halves: SSE2 and NEON. */
static void walk_halves(const rx_filter_block *block, const uint8_t *at, size_t len, uint64_t out[RX_BLOCK_WORDS])
{
    half low = {0}, high = {0};
    for (size_t i = 0; i < len; i++) {
        rows r = rows_at(block, at, i, len);
        const half *first = (const half *)r.first, *second = (const half *)r.second, *third = (const half *)r.third;
        low |= first[0] & second[0] & third[0];
        high |= first[1] & second[1] & third[1];
    }
    memcpy(out, &low, sizeof low);
    memcpy(out + 2, &high, sizeof high);
}
#endif

#if defined(__x86_64__)

typedef uint64_t whole __attribute__((vector_size(32), may_alias));

__attribute__((target("avx2"))) static void walk_avx2(const rx_filter_block *block, const uint8_t *at, size_t len,
                                                      uint64_t out[RX_BLOCK_WORDS])
{
    whole even = {0}, odd = {0};
    size_t i = 0;
    for (; i + 3 < len; i += 2) {
        even |= *(const whole *)block->bytes[0][at[i]] & *(const whole *)block->bytes[1][at[i + 1]] &
                *(const whole *)block->bytes[2][at[i + 2]];
        odd |= *(const whole *)block->bytes[0][at[i + 1]] & *(const whole *)block->bytes[1][at[i + 2]] &
               *(const whole *)block->bytes[2][at[i + 3]];
    }
    for (; i < len; i++) {
        rows r = rows_at(block, at, i, len);
        even |= *(const whole *)r.first & *(const whole *)r.second & *(const whole *)r.third;
    }
    even |= odd;
    memcpy(out, &even, sizeof even);
}
#endif

static void walk(const rx_filter_block *block, const uint8_t *at, size_t len, uint64_t out[RX_BLOCK_WORDS])
{
#if defined(__x86_64__)
    if (hg_cpu() >= HG_CPU_AVX2) {
        walk_avx2(block, at, len, out);
        return;
    }
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (hg_cpu() > HG_CPU_SCALAR) {
        walk_halves(block, at, len, out);
        return;
    }
#endif
    walk_scalar(block, at, len, out);
}

void rx_filter_run(const rx_filter *f, hg_slice text, uint64_t *candidates)
{
    size_t words = (f->members + 63) / 64;
    uint64_t seen[RX_MAX_CUTS][RX_FILTER_WORDS];
    for (unsigned c = 0; c < RX_MAX_CUTS; c++)
        memcpy(seen[c], f->free_of[c], words * sizeof(uint64_t));
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint64_t bits[RX_BLOCK_WORDS];
        const rx_filter_block *block = &f->blocks[b];
        walk(block, (const uint8_t *)text.ptr, text.len, bits);
        for (unsigned w = 0; w < RX_BLOCK_WORDS; w++) {
            for (; bits[w] != 0; bits[w] &= bits[w] - 1) {
                unsigned bit = w * 64 + (unsigned)__builtin_ctzll(bits[w]), m = block->member[bit];
                seen[block->cut[bit]][m / 64] |= (uint64_t)1 << (m % 64);
            }
        }
    }
    for (size_t w = 0; w < words; w++)
        candidates[w] = seen[0][w] & seen[1][w];
}
