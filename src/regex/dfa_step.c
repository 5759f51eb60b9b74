/* The existence automaton: how a state steps over a byte or to the end of the text. */
#include "regex/dfa_build.h"

#include <stdlib.h>

enum { LOOK_AHEAD = RX_END_TEXT | RX_END_LINE | RX_WORD | RX_NOT_WORD };

/* ---- Working memory ---- */

void rx_work_close(rx_work *w)
{
    free(w->marks);
    free(w->next);
    free(w->now);
    free(w->spare);
    free(w->stack);
    free(w->hits);
    *w = (rx_work){0};
}

bool rx_work_reserve(rx_work *w, size_t insts, size_t members)
{
    if (insts <= w->insts && members <= w->members)
        return true;
    insts = insts > w->insts ? insts : w->insts;
    members = members > w->members ? members : w->members;
    rx_work_close(w);
    w->marks = calloc(insts + members, sizeof *w->marks);
    w->next = malloc(insts * sizeof *w->next);
    w->now = malloc(insts * sizeof *w->now);
    w->spare = malloc(insts * sizeof *w->spare);
    w->stack = malloc((insts + 1) * sizeof *w->stack);
    w->hits = malloc((members + 1) * sizeof *w->hits);
    if (!w->marks || !w->next || !w->now || !w->spare || !w->stack || !w->hits) {
        rx_work_close(w);
        return false;
    }
    w->insts = insts;
    w->members = members;
    return true;
}

static void next_generation(rx_work *w)
{
    if (++w->generation == 0) {
        memset(w->marks, 0, (w->insts + w->members) * sizeof *w->marks);
        w->generation = 1;
    }
}

/* ---- Following ---- */

/* One member at work. */
typedef struct target {
    const rx_program *program;
    uint32_t *marks; /* of its instructions */
    uint32_t member;
} target;

/* A position names the member and its instruction, so that positions in order go member by member. */
enum { LOCAL_BITS = 20 };
_Static_assert(1 << LOCAL_BITS == RX_DFA_MAX_PROGRAM, "positions");

static uint32_t member_of(uint32_t position)
{
    return position >> LOCAL_BITS;
}

static uint32_t local_of(uint32_t position)
{
    return position & (RX_DFA_MAX_PROGRAM - 1);
}

static bool takes(const rx_program *p, const rx_inst *inst, unsigned byte)
{
    if (inst->op == RX_OP_BYTE)
        return inst->arg == byte;
    return inst->op == RX_OP_SET && rx_byteset_has(&p->sets[inst->arg], byte);
}

static void mark_hits(rx_work *w)
{
    for (uint32_t i = 0; i < w->hit_count; i++)
        w->marks[w->insts + w->hits[i]] = w->generation;
}

static void hit(rx_work *w, uint32_t member)
{
    uint32_t *mark = &w->marks[w->insts + member];
    if (*mark == w->generation)
        return;
    *mark = w->generation;
    w->hits[w->hit_count++] = member;
}

/* Adds to list what is reached from pc without a byte: instructions that wait for one, and assertions of the kinds
 * in `open`, whose truth is not known yet; those in `holds` are passed. Reaching the match is a hit. */
static void follow(rx_work *w, const target *t, uint32_t pc, unsigned holds, unsigned open, uint32_t *list,
                   uint32_t *count)
{
    size_t depth = 0;
    w->stack[depth++] = pc;
    while (depth > 0) {
        for (pc = w->stack[--depth]; t->marks[pc] != w->generation;) {
            t->marks[pc] = w->generation;
            const rx_inst *inst = &t->program->insts[pc];
            if (inst->op <= RX_OP_SET || (inst->op == RX_OP_ASSERT && (inst->arg & open))) {
                list[(*count)++] = t->member << LOCAL_BITS | pc;
                break;
            }
            if (inst->op == RX_OP_MATCH)
                hit(w, t->member);
            if (inst->op >= RX_OP_MATCH || (inst->op == RX_OP_ASSERT && (inst->arg & holds) == 0))
                break;
            if (inst->op == RX_OP_SPLIT)
                w->stack[depth++] = inst->arg;
            pc = inst->out;
        }
    }
}

static target target_of(const rx_dfa *d, rx_work *w, uint32_t member)
{
    return (target){d->programs[member], w->marks + d->bases[member], member};
}

static const rx_inst *inst_of(const rx_dfa *d, uint32_t position)
{
    return &d->programs[member_of(position)]->insts[local_of(position)];
}

static int byte_before(rx_context context)
{
    return context == RX_AT_START ? -1 : context == RX_AFTER_NEWLINE ? '\n' : context == RX_AFTER_WORD ? 'a' : ' ';
}

/* What holds at a place of which only the byte before is known. */
static unsigned holds_after(rx_context context)
{
    return rx_holds(byte_before(context), ' ') & (RX_BEGIN_TEXT | RX_BEGIN_LINE);
}

/* Resolves the assertions among the positions, now that the byte behind them is known (-1: the end), and puts what
 * they let through into w->now; a match is a hit. */
static void resolve(const rx_dfa *d, rx_work *w, const uint32_t *positions, uint32_t count, unsigned holds)
{
    next_generation(w);
    mark_hits(w);
    for (uint32_t i = 0; i < count; i++) {
        if (inst_of(d, positions[i])->op != RX_OP_ASSERT)
            continue;
        target t = target_of(d, w, member_of(positions[i]));
        follow(w, &t, local_of(positions[i]), holds, 0, w->now, &w->now_count);
    }
}

/* Steps positions that wait for a byte into w->next. */
static void step_list(const rx_dfa *d, rx_work *w, const uint32_t *positions, uint32_t count, unsigned byte,
                      unsigned holds)
{
    for (uint32_t i = 0; i < count; i++) {
        const rx_inst *inst = inst_of(d, positions[i]);
        uint32_t m = member_of(positions[i]);
        if (!takes(d->programs[m], inst, byte))
            continue;
        target t = target_of(d, w, m);
        follow(w, &t, inst->out, holds, LOOK_AHEAD, w->next, &w->next_count);
    }
}

/* What is in w->next and w->hits already is not added again. */
static void begin_step(const rx_dfa *d, rx_work *w)
{
    next_generation(w);
    mark_hits(w);
    for (uint32_t i = 0; i < w->next_count; i++)
        w->marks[d->bases[member_of(w->next[i])] + local_of(w->next[i])] = w->generation;
}

/* Steps the positions from a place after `context` over the byte (-1: to the end) into w->next and w->hits. */
static void step_positions(const rx_dfa *d, rx_work *w, const uint32_t *positions, uint32_t count, rx_context context,
                           int byte, rx_context after)
{
    w->now_count = 0;
    if (d->assertions & LOOK_AHEAD)
        resolve(d, w, positions, count, rx_holds(byte_before(context), byte));
    if (byte < 0)
        return;
    begin_step(d, w);
    step_list(d, w, positions, count, (unsigned)byte, holds_after(after));
    step_list(d, w, w->now, w->now_count, (unsigned)byte, holds_after(after));
}

/* ---- Starting anew: what it leads to is the same from every state, so it is kept per context and column ---- */

/* Collects where members wait at their start: per column those that take its bytes, and assertions. */
bool rx_starts_open(rx_dfa *d, rx_work *w)
{
    uint32_t count = 0, asserted = 0, total = 0;
    next_generation(w);
    for (uint32_t m = 0; m < d->members; m++) {
        target t = target_of(d, w, m);
        if (!rx_retired(d, 0, m))
            follow(w, &t, t.program->start, 0, ~0u, w->spare, &count);
    }
    uint32_t *ends = rx_pool_take(d, d->columns + 1u), *list;
    if (ends == NULL)
        return false;
    d->starts = (uint32_t)(ends - d->pool);
    for (unsigned c = 0; c < d->columns; c++) {
        bool end = c == d->columns - 1u;
        for (uint32_t i = 0; i < count; i++) {
            const rx_inst *inst = inst_of(d, w->spare[i]);
            const rx_program *p = d->programs[member_of(w->spare[i])];
            if (end ? inst->op != RX_OP_ASSERT : !takes(p, inst, d->representative[c]))
                continue;
            list = rx_pool_take(d, 1);
            if (list == NULL)
                return false;
            *list = w->spare[i];
            total++;
            asserted += end;
        }
        ends[c] = total;
    }
    ends[d->columns] = asserted;
    return true;
}

/* The starts of a column (the last column holds the assertions). */
static const uint32_t *starts_of(const rx_dfa *d, unsigned column, uint32_t *count)
{
    const uint32_t *ends = d->pool + d->starts, *lists = ends + d->columns + 1;
    uint32_t begin = column > 0 ? ends[column - 1] : 0;
    *count = ends[column] - begin;
    return lists + begin;
}

/* Layout in the pool: count of positions, count of hits, positions, hits. */
static const uint32_t *start_step(rx_dfa *d, rx_work *w, rx_context context, unsigned column, int byte,
                                  rx_context after)
{
    uint32_t *slot = &d->start_steps[(unsigned)context * d->columns + column], count;
    if (*slot != 0)
        return d->pool + *slot - 1;
    const uint32_t *asserted = starts_of(d, d->columns - 1u, &count);
    w->next_count = w->hit_count = w->now_count = 0;
    resolve(d, w, asserted, count, rx_holds(byte_before(context), byte));
    if (byte >= 0) {
        const uint32_t *starts = starts_of(d, column, &count);
        begin_step(d, w);
        step_list(d, w, starts, count, (unsigned)byte, holds_after(after));
        step_list(d, w, w->now, w->now_count, (unsigned)byte, holds_after(after));
    }
    uint32_t *kept = rx_pool_take(d, 2 + w->next_count + w->hit_count);
    if (kept == NULL)
        return NULL;
    kept[0] = w->next_count;
    kept[1] = w->hit_count;
    memcpy(kept + 2, w->next, w->next_count * sizeof *kept);
    memcpy(kept + 2 + w->next_count, w->hits, w->hit_count * sizeof *kept);
    *slot = (uint32_t)(kept - d->pool) + 1;
    return kept;
}

/* Puts the kept step into w->next and w->hits, without members that are retired. */
static void begin_with(const rx_dfa *d, rx_work *w, const uint32_t *kept, unsigned mode)
{
    const uint32_t *positions = kept + 2, *hits = kept + 2 + kept[0];
    w->next_count = w->hit_count = 0;
    if (mode == 0) {
        memcpy(w->next, positions, kept[0] * sizeof *positions);
        memcpy(w->hits, hits, kept[1] * sizeof *hits);
        w->next_count = kept[0];
        w->hit_count = kept[1];
        return;
    }
    for (uint32_t i = 0; i < kept[0]; i++) {
        if (!rx_retired(d, mode, member_of(positions[i])))
            w->next[w->next_count++] = positions[i];
    }
    for (uint32_t i = 0; i < kept[1]; i++) {
        if (!rx_retired(d, mode, hits[i]))
            w->hits[w->hit_count++] = hits[i];
    }
}

/* ---- The new state ---- */

static void insertion_sort(uint32_t *a, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = a[i], k = i;
        for (; k > 0 && a[k - 1] > x; k--)
            a[k] = a[k - 1];
        a[k] = x;
    }
}

/* By seven bits at a time: lists are short, so clearing and adding up more buckets would cost more than a round saves. */
static void radix_sort(uint32_t *a, uint32_t *spare, uint32_t n, uint32_t limit)
{
    enum { BITS = 7, BUCKETS = 1 << BITS };
    uint32_t *from = a, *to = spare;
    for (unsigned shift = 0; shift < 32 && (limit >> shift) != 0; shift += BITS) {
        uint32_t at[BUCKETS] = {0}, sum = 0;
        for (uint32_t i = 0; i < n; i++)
            at[(from[i] >> shift) & (BUCKETS - 1)]++;
        for (unsigned b = 0; b < BUCKETS; b++) {
            uint32_t size = at[b];
            at[b] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < n; i++)
            to[at[(from[i] >> shift) & (BUCKETS - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

static void sort_positions(const rx_dfa *d, rx_work *w)
{
    if (w->next_count <= 64)
        insertion_sort(w->next, w->next_count);
    else
        radix_sort(w->next, w->spare, w->next_count, d->members << LOCAL_BITS);
}

static bool is_hit(const rx_work *w, uint32_t member)
{
    for (uint32_t i = 0; i < w->hit_count; i++) {
        if (w->hits[i] == member)
            return true;
    }
    return false;
}

static void drop_hit_members(rx_work *w)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < w->next_count; i++) {
        if (!is_hit(w, member_of(w->next[i])))
            w->next[out++] = w->next[i];
    }
    w->next_count = out;
}

static unsigned settle(rx_dfa *d, rx_work *w, unsigned mode, rx_context after)
{
    sort_positions(d, w);
    if (w->hit_count == 0) {
        if (w->next_count == 0 && !d->modes[mode].alive)
            return RX_DEAD;
        return rx_state_find(d, w->next, w->next_count, mode, after);
    }
    insertion_sort(w->hits, w->hit_count);
    drop_hit_members(w);
    mode = rx_mode_after(d, mode, w->hits, w->hit_count);
    if (mode == RX_NO_MODE)
        return RX_STOP;
    unsigned next = RX_DEAD;
    if (w->next_count > 0 || d->modes[mode].alive)
        next = rx_state_find(d, w->next, w->next_count, mode, after);
    return next == RX_STOP ? RX_STOP : rx_event_find(d, w->hits, w->hit_count, next);
}

static unsigned build_cell(rx_dfa *d, rx_work *w, unsigned row, unsigned column)
{
    rx_state s = *rx_state_of(d, row);
    bool end = column == d->columns - 1u;
    int byte = end ? -1 : d->representative[column];
    rx_context after = end ? RX_AFTER_OTHER : (rx_context)d->context_of[column];
    const uint32_t *kept = start_step(d, w, (rx_context)s.context, column, byte, after);
    if (kept == NULL)
        return RX_STOP;
    begin_with(d, w, kept, s.mode);
    step_positions(d, w, d->pool + s.positions, s.count, (rx_context)s.context, byte, after);
    if (!end)
        return settle(d, w, s.mode, after);
    if (w->hit_count == 0)
        return RX_DEAD;
    insertion_sort(w->hits, w->hit_count);
    return rx_event_find(d, w->hits, w->hit_count, RX_DEAD);
}

/* Work units of one cell: the positions looked at, in sixteens. */
static int64_t price(const rx_work *w)
{
    return 1 + (w->next_count + w->now_count) / 16;
}

unsigned rx_dfa_grow(rx_dfa *d, rx_work *w, unsigned row, unsigned column, int64_t *earned)
{
    enum { BURST = 256 };
    if (atomic_flag_test_and_set_explicit(&d->building, memory_order_acquire))
        return RX_UNKNOWN;
    unsigned cell = rx_cell(d, row, column);
    d->credit = d->credit + *earned < BURST ? d->credit + *earned : BURST;
    *earned = 0;
    if (cell == RX_UNKNOWN && (!d->metered || d->credit > 0)) {
        cell = build_cell(d, w, row, column);
        d->credit -= price(w);
        /* A stop is kept too: the attempt is not made again. */
        __atomic_store_n(d->cells + 4 * (size_t)row + column, (uint16_t)cell, __ATOMIC_RELEASE);
    }
    atomic_flag_clear_explicit(&d->building, memory_order_release);
    return cell;
}

bool rx_matches_always(const rx_program *program, rx_work *w)
{
    target t = {program, w->marks, 0};
    uint32_t count = 0;
    next_generation(w);
    w->hit_count = 0;
    follow(w, &t, program->start, holds_after(RX_AT_START), LOOK_AHEAD, w->next, &count);
    return w->hit_count > 0;
}
