/* Classes of code points as byte instructions. Equal parts are built once (hash consing), so that the result is
 * the smallest tree of its shape: \pL takes a few hundred instructions. */
#include "regex/grow.h"
#include "regex/program.h"

typedef struct builder {
    rx_program *program;
    rx_template *out;
    const rx_range *ranges;
    size_t range_count;
    uint32_t *table; /* hash of instructions: index + 1, 0 is free */
    size_t table_size;
    bool nomem;
} builder;

#define NO_MEMBERS (UINT32_MAX - 1)

static bool rehash(builder *b);

static uint32_t hash_inst(rx_inst i)
{
    uint64_t h = ((uint64_t)i.arg << 32 | i.out) * 0x9E3779B97F4A7C15ull + i.op;
    return (uint32_t)(h >> 29) ^ (uint32_t)h;
}

static uint32_t cons(builder *b, rx_inst inst)
{
    if (b->nomem || (b->out->count * 2 >= b->table_size && !rehash(b)))
        return NO_MEMBERS;
    size_t mask = b->table_size - 1;
    size_t at = hash_inst(inst) & mask;
    for (; b->table[at] != 0; at = (at + 1) & mask) {
        const rx_inst *old = &b->out->insts[b->table[at] - 1];
        if (old->op == inst.op && old->arg == inst.arg && old->out == inst.out)
            return b->table[at] - 1;
    }
    if (!rx_grow(&b->out->insts, b->out->count, &b->out->cap, sizeof inst)) {
        b->nomem = true;
        return NO_MEMBERS;
    }
    b->out->insts[b->out->count++] = inst;
    b->table[at] = (uint32_t)b->out->count;
    return (uint32_t)b->out->count - 1;
}

static bool rehash(builder *b)
{
    size_t size = b->table_size ? b->table_size * 4 : 64;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL) {
        b->nomem = true;
        return false;
    }
    for (size_t i = 0; i < b->out->count; i++) {
        size_t at = hash_inst(b->out->insts[i]) & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(b->table);
    b->table = table;
    b->table_size = size;
    return true;
}

static uint32_t cons_set(builder *b, const rx_byteset *set, uint32_t out)
{
    unsigned full_words = 0, byte = 0;
    bool one = true;
    for (unsigned w = 0; w < 4; w++) {
        if (set->words[w] == 0)
            continue;
        full_words++;
        one = one && (set->words[w] & (set->words[w] - 1)) == 0;
        byte = w * 64 + (unsigned)__builtin_ctzll(set->words[w]);
    }
    if (one && full_words == 1)
        return cons(b, (rx_inst){RX_OP_BYTE, byte, out});
    uint32_t index;
    if (!rx_program_set(b->program, set, &index)) {
        b->nomem = true;
        return NO_MEMBERS;
    }
    return cons(b, (rx_inst){RX_OP_SET, index, out});
}

static uint32_t either(builder *b, uint32_t first, uint32_t second)
{
    if (first == NO_MEMBERS)
        return second;
    if (second == NO_MEMBERS)
        return first;
    return cons(b, (rx_inst){RX_OP_SPLIT, second, first});
}

static uint32_t cons_mask(builder *b, uint64_t continuations, uint32_t out)
{
    rx_byteset set = {{0, 0, continuations, 0}};
    return cons_set(b, &set, out);
}

/* The first range that ends at or after code. */
static size_t range_from(const builder *b, uint32_t code)
{
    size_t lo = 0, hi = b->range_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (b->ranges[mid].hi < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t last_byte_mask(const builder *b, uint32_t first)
{
    uint64_t mask = 0;
    for (size_t i = range_from(b, first); i < b->range_count && b->ranges[i].lo <= first + 63; i++) {
        uint32_t lo = b->ranges[i].lo > first ? b->ranges[i].lo - first : 0;
        uint32_t hi = b->ranges[i].hi < first + 63 ? b->ranges[i].hi - first : 63;
        mask |= (~(uint64_t)0 >> (63 - (hi - lo))) << lo;
    }
    return mask;
}

/* Everything that `bytes` continuation bytes can spell. */
static uint32_t any_tail(builder *b, unsigned bytes)
{
    uint32_t node = RX_NEXT;
    for (unsigned i = 0; i < bytes; i++)
        node = cons_mask(b, ~(uint64_t)0, node);
    return node;
}

/* The members among the 64^bytes code points from `first` on, by their last `bytes` bytes. At most 3 deep. */
static uint32_t tail(builder *b, uint32_t first, unsigned bytes)
{
    uint32_t last = first + (1u << 6 * bytes) - 1;
    size_t at = range_from(b, first);
    if (at == b->range_count || b->ranges[at].lo > last)
        return NO_MEMBERS;
    if (b->ranges[at].lo <= first && b->ranges[at].hi >= last)
        return any_tail(b, bytes);
    if (bytes == 1)
        return cons_mask(b, last_byte_mask(b, first), RX_NEXT);
    uint32_t kids[64];
    for (unsigned i = 0; i < 64; i++)
        kids[i] = tail(b, first + (i << 6 * (bytes - 1)), bytes - 1);
    uint32_t node = NO_MEMBERS;
    for (unsigned i = 0; i < 64; i++) {
        if (kids[i] == NO_MEMBERS)
            continue;
        uint64_t same = 0;
        uint32_t kid = kids[i];
        for (unsigned k = i; k < 64; k++) {
            if (kids[k] == kid) {
                same |= (uint64_t)1 << k;
                kids[k] = NO_MEMBERS;
            }
        }
        node = either(b, node, cons_mask(b, same, kid));
    }
    return node;
}

/* Sequences of one length: lead bytes `lead`..`lead_end`, the first standing for code points from 0 on. */
static uint32_t sequences(builder *b, unsigned lead, unsigned lead_end, unsigned zero_lead, unsigned bytes)
{
    uint32_t kids[32], node = NO_MEMBERS;
    unsigned leads = lead_end - lead + 1;
    for (unsigned i = 0; i < leads; i++) {
        uint32_t first = (lead + i - zero_lead) << 6 * bytes;
        kids[i] = tail(b, first, bytes);
    }
    for (unsigned i = 0; i < leads; i++) {
        uint32_t kid = kids[i];
        if (kid == NO_MEMBERS)
            continue;
        rx_byteset same = {{0}};
        for (unsigned k = i; k < leads; k++) {
            if (kids[k] == kid) {
                rx_byteset_add(&same, lead + k);
                kids[k] = NO_MEMBERS;
            }
        }
        node = either(b, node, cons_set(b, &same, kid));
    }
    return node;
}

/* RE2's simplified form of a class that holds all of U+0080..U+10FFFF: it also takes some overlong sequences. */
static uint32_t loose_sequences(builder *b)
{
    rx_byteset two = {{0, 0, 0, 0x00000000FFFFFFFCull}}, three = {{0, 0, 0, 0x0000FFFF00000000ull}},
               four = {{0, 0, 0, 0x001F000000000000ull}};
    uint32_t node = cons_set(b, &two, any_tail(b, 1));
    node = either(b, node, cons_set(b, &three, any_tail(b, 2)));
    return either(b, node, cons_set(b, &four, any_tail(b, 3)));
}

static uint32_t ascii_part(builder *b)
{
    rx_byteset set = {{last_byte_mask(b, 0), last_byte_mask(b, 64), 0, 0}};
    return set.words[0] | set.words[1] ? cons_set(b, &set, RX_NEXT) : NO_MEMBERS;
}

/* Shorter sequences first must not be spelled longer: the part below `floor` of the ranges is cut off. */
static uint32_t long_sequences(builder *b, uint32_t floor, unsigned lead, unsigned lead_end, unsigned zero_lead,
                               unsigned bytes)
{
    size_t at = range_from(b, floor);
    if (at == b->range_count)
        return NO_MEMBERS;
    builder part = *b;
    rx_range *ranges = malloc((b->range_count - at) * sizeof *ranges);
    if (ranges == NULL) {
        b->nomem = true;
        return NO_MEMBERS;
    }
    memcpy(ranges, b->ranges + at, (b->range_count - at) * sizeof *ranges);
    if (ranges[0].lo < floor)
        ranges[0].lo = floor;
    part.ranges = ranges;
    part.range_count = b->range_count - at;
    uint32_t node = sequences(&part, lead, lead_end, zero_lead, bytes);
    b->table = part.table;
    b->table_size = part.table_size;
    b->nomem = part.nomem;
    free(ranges);
    return node;
}

bool rx_template_build(rx_program *program, const rx_range *ranges, size_t count, rx_template *out)
{
    builder b = {.program = program, .out = out, .ranges = ranges, .range_count = count};
    out->count = 0;
    uint32_t node = ascii_part(&b);
    const rx_range *last = count ? &ranges[count - 1] : NULL;
    if (last != NULL && last->lo <= 0x80 && last->hi == RX_MAX_CODE) {
        node = either(&b, node, loose_sequences(&b));
    } else if (last != NULL && last->hi >= 0x80) {
        node = either(&b, node, long_sequences(&b, 0x80, 0xC2, 0xDF, 0xC0, 1));
        node = either(&b, node, long_sequences(&b, 0x800, 0xE0, 0xEF, 0xE0, 2));
        node = either(&b, node, long_sequences(&b, 0x10000, 0xF0, 0xF4, 0xF0, 3));
    }
    if (node == NO_MEMBERS)
        node = cons(&b, (rx_inst){RX_OP_FAIL, 0, 0});
    out->entry = node;
    free(b.table);
    return !b.nomem;
}
