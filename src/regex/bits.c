#include "regex/bits.h"

#include "regex/grow.h"

enum { CONTEXT_EDGE, CONTEXT_OTHER, CONTEXT_NEWLINE, CONTEXT_WORD };

static const int byte_of[RX_BITS_CONTEXTS] = {-1, ' ', '\n', 'a'};

static unsigned context_of(hg_slice text, size_t at)
{
    if (at >= text.len)
        return CONTEXT_EDGE;
    int byte = (unsigned char)text.ptr[at];
    return byte == '\n' ? CONTEXT_NEWLINE : rx_word_byte(byte) ? CONTEXT_WORD : CONTEXT_OTHER;
}

static bool waits(const rx_inst *inst)
{
    return inst->op == RX_OP_BYTE || inst->op == RX_OP_SET;
}

static void set_bit(uint64_t *words, uint32_t bit)
{
    words[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static bool has_bit(const uint64_t *words, uint32_t bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

/* ---- Building ---- */

typedef struct builder {
    rx_bits *b;
    uint32_t *number; /* of instructions that wait for a byte */
    uint32_t *stack;
    uint32_t *marks;
    uint32_t generation;
    uint64_t *reached; /* positions, and the words in which some are */
    uint32_t *touched;
    uint32_t touched_count;
    size_t steps, most_steps;
} builder;

static void reach_bit(builder *k, uint32_t bit)
{
    if (k->reached[bit / 64] == 0)
        k->touched[k->touched_count++] = bit / 64;
    set_bit(k->reached, bit);
}

/* Fills `reached` with what is waited at from pc on where `holds` hold. */
static void reach(builder *k, uint32_t pc, unsigned holds)
{
    const rx_program *p = k->b->program;
    size_t depth = 0;
    k->touched_count = 0;
    k->generation++;
    k->stack[depth++] = pc;
    while (depth > 0) {
        for (pc = k->stack[--depth]; k->marks[pc] != k->generation;) {
            k->marks[pc] = k->generation;
            k->steps++;
            const rx_inst *inst = &p->insts[pc];
            if (waits(inst) || inst->op == RX_OP_MATCH) {
                reach_bit(k, inst->op == RX_OP_MATCH ? k->b->positions : k->number[pc]);
                break;
            }
            if (inst->op == RX_OP_FAIL || (inst->op == RX_OP_ASSERT && (inst->arg & holds) == 0))
                break;
            if (inst->op == RX_OP_SPLIT)
                k->stack[depth++] = inst->arg;
            pc = inst->out;
        }
    }
}

/* Takes what was reached as what follows a position. */
static bool take_follow(builder *k, rx_bits_kind *kind, uint32_t position, uint32_t *leaps)
{
    uint32_t next = position + 1;
    size_t before = kind->jump_count;
    for (uint32_t i = 0; i < k->touched_count; i++) {
        uint32_t word = k->touched[i];
        uint64_t bits = k->reached[word];
        k->reached[word] = 0;
        if (word == next / 64 && (bits >> (next % 64) & 1)) {
            set_bit(kind->shift, position);
            bits &= ~((uint64_t)1 << (next % 64));
        }
        if (bits == 0)
            continue;
        if (!rx_grow(&kind->jumps, kind->jump_count, &kind->jump_cap, sizeof *kind->jumps))
            return false;
        kind->jumps[kind->jump_count++] = (rx_jump){bits, word};
    }
    if (kind->jump_count > before) {
        set_bit(kind->leap, position);
        kind->first[(*leaps)++] = (uint32_t)before;
    }
    return kind->jump_count <= 4 * k->b->program->count;
}

static bool build_kind(builder *k, rx_bits_kind *kind)
{
    rx_bits *b = k->b;
    const rx_program *p = b->program;
    uint32_t leaps = 0, position = 0;
    uint64_t *sets = calloc(3 * (size_t)b->words, sizeof *sets);
    kind->start = sets;
    kind->first = malloc((b->positions + (size_t)1) * sizeof *kind->first);
    kind->ranks = malloc(b->words * sizeof *kind->ranks);
    if (sets == NULL || kind->first == NULL || kind->ranks == NULL)
        return false;
    kind->shift = sets + b->words;
    kind->leap = sets + 2 * (size_t)b->words;
    reach(k, p->start, kind->holds);
    for (uint32_t i = 0; i < k->touched_count; i++) {
        kind->start[k->touched[i]] = k->reached[k->touched[i]];
        k->reached[k->touched[i]] = 0;
        if (k->touched[i] >= kind->start_words)
            kind->start_words = k->touched[i] + 1;
    }
    for (size_t pc = p->count; pc-- > 0;) {
        if (!waits(&p->insts[pc]))
            continue;
        if (position % 64 == 0)
            kind->ranks[position / 64] = leaps;
        reach(k, p->insts[pc].out, kind->holds);
        if (!take_follow(k, kind, position, &leaps) || k->steps > k->most_steps)
            return false;
        position++;
    }
    if (position % 64 == 0 && position / 64 < b->words)
        kind->ranks[position / 64] = leaps;
    kind->first[leaps] = (uint32_t)kind->jump_count;
    return true;
}

/* Places where the same of the program's assertions hold are of one kind. */
static bool find_kinds(rx_bits *b)
{
    for (unsigned before = 0; before < RX_BITS_CONTEXTS; before++) {
        for (unsigned after = 0; after < RX_BITS_CONTEXTS; after++) {
            unsigned holds = rx_holds(byte_of[before], byte_of[after]) & b->program->assertions;
            uint32_t kind = 0;
            while (kind < b->kind_count && b->kinds[kind].holds != holds)
                kind++;
            if (kind == RX_BITS_KINDS)
                return false;
            b->kinds[kind].holds = holds;
            b->kind_count = kind == b->kind_count ? kind + 1 : b->kind_count;
            b->kind_of[before][after] = (uint8_t)kind;
        }
    }
    return true;
}

/* Later instructions stand earlier in the pattern, so positions are numbered from the end: in a row of bytes each is
 * followed by the next. */
static void number_positions(rx_bits *b, uint32_t *number)
{
    const rx_program *p = b->program;
    for (size_t pc = p->count; pc-- > 0;) {
        if (waits(&p->insts[pc]))
            number[pc] = b->positions++;
    }
    b->words = b->positions / 64 + 1;
}

static bool build_masks(rx_bits *b, const uint32_t *number)
{
    enum { MOST_WORDS = 1 << 17 };
    const rx_program *p = b->program;
    size_t words = (size_t)p->class_count * b->words;
    b->masks = words <= MOST_WORDS ? calloc(words, sizeof *b->masks) : NULL;
    if (b->masks == NULL)
        return false;
    bool done[256] = {false};
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t *mask = b->masks + (size_t)p->class_of[byte] * b->words;
        if (done[p->class_of[byte]])
            continue;
        done[p->class_of[byte]] = true;
        for (size_t pc = 0; pc < p->count; pc++) {
            const rx_inst *inst = &p->insts[pc];
            if (inst->op == RX_OP_BYTE ? inst->arg == byte
                                       : inst->op == RX_OP_SET && rx_byteset_has(&p->sets[inst->arg], byte))
                set_bit(mask, number[pc]);
        }
    }
    return true;
}

static bool build(rx_bits *b, builder *k)
{
    number_positions(b, k->number);
    if (!build_masks(b, k->number))
        return false;
    for (uint32_t i = 0; i < b->kind_count; i++) {
        if (!build_kind(k, &b->kinds[i]))
            return false;
    }
    return true;
}

bool rx_bits_open(rx_bits *b, const rx_program *program)
{
    enum { STEPS_PER_INSTRUCTION = 64 };
    *b = (rx_bits){.program = program};
    size_t count = program->count, words = count / 64 + 1;
    builder k = {.b = b, .most_steps = STEPS_PER_INSTRUCTION * count};
    k.number = malloc(count * sizeof *k.number);
    k.stack = malloc((count + 1) * sizeof *k.stack);
    k.marks = calloc(count, sizeof *k.marks);
    k.reached = calloc(words, sizeof *k.reached);
    k.touched = malloc(words * sizeof *k.touched);
    bool ok = k.number && k.stack && k.marks && k.reached && k.touched && find_kinds(b) && build(b, &k);
    free(k.number);
    free(k.stack);
    free(k.marks);
    free(k.reached);
    free(k.touched);
    if (!ok)
        rx_bits_close(b);
    return ok;
}

void rx_bits_close(rx_bits *b)
{
    for (uint32_t i = 0; i < b->kind_count; i++) {
        free(b->kinds[i].start);
        free(b->kinds[i].first);
        free(b->kinds[i].ranks);
        free(b->kinds[i].jumps);
    }
    free(b->masks);
    *b = (rx_bits){0};
}

/* ---- Running ---- */

/* What follows the positions in the first `live` words of `now` at a place of that kind, and what begins there. Returns
 * the words of `next` that were written; no bit is set in those behind. */
static uint32_t step(const rx_bits_kind *kind, const uint64_t *now, uint32_t live, uint64_t *next)
{
    uint32_t end = live < kind->start_words ? kind->start_words : live;
    uint64_t carry = 0;
    for (uint32_t w = 0; w < live; w++) {
        uint64_t shifted = now[w] & kind->shift[w];
        next[w] = kind->start[w] | shifted << 1 | carry;
        carry = shifted >> 63;
    }
    for (uint32_t w = live; w < end; w++, carry = 0)
        next[w] = kind->start[w] | carry;
    if (carry != 0)
        next[end++] = carry;
    for (uint32_t w = 0; w < live; w++) {
        for (uint64_t leaping = now[w] & kind->leap[w]; leaping != 0; leaping &= leaping - 1) {
            uint64_t below = kind->leap[w] & ((leaping & -leaping) - 1);
            uint32_t rank = kind->ranks[w] + (uint32_t)__builtin_popcountll(below);
            for (uint32_t j = kind->first[rank]; j < kind->first[rank + 1]; j++) {
                while (end <= kind->jumps[j].word)
                    next[end++] = 0;
                next[kind->jumps[j].word] |= kind->jumps[j].bits;
            }
        }
    }
    return end;
}

bool rx_bits_exists(const rx_bits *b, uint64_t *work, hg_slice text)
{
    uint64_t *now = work, *next = work + b->words;
    uint32_t live = 0;
    unsigned before = CONTEXT_EDGE;
    for (size_t at = 0;; at++) {
        unsigned after = b->kind_count > 1 ? context_of(text, at) : CONTEXT_EDGE;
        uint32_t end = step(&b->kinds[b->kind_of[before][after]], now, live, next);
        if (end == b->words && has_bit(next, b->positions))
            return true;
        if (at == text.len)
            return false;
        const uint64_t *mask = b->masks + (size_t)b->program->class_of[(unsigned char)text.ptr[at]] * b->words;
        live = 0;
        for (uint32_t w = 0; w < end; w++) {
            now[w] = next[w] & mask[w];
            live = now[w] != 0 ? w + 1 : live;
        }
        before = after;
    }
}
