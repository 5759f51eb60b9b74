/* Thread-list simulation: all ways through the program at once, in order of preference. */
#include "regex/simulate.h"

#include "regex/bits.h"

#include <stdlib.h>

enum { SPAN_SLOTS = 2 };

static void free_lists(rx_sim *sim)
{
    free(sim->marks);
    free(sim->now.insts);
    free(sim->next.insts);
    free(sim->stack);
    free(sim->bits);
    sim->marks = NULL;
    sim->now.insts = sim->next.insts = NULL;
    sim->stack = NULL;
    sim->bits = NULL;
    sim->insts = sim->slots = 0;
}

void rx_sim_close(rx_sim *sim)
{
    free_lists(sim);
    free(sim->captures_now);
    free(sim->captures_next);
    *sim = (rx_sim){0};
}

static bool reserve_lists(rx_sim *sim, size_t insts, size_t slots)
{
    if (insts <= sim->insts && slots <= sim->slots)
        return true;
    insts = insts > sim->insts ? insts : sim->insts;
    slots = slots > sim->slots ? slots : sim->slots;
    free_lists(sim);
    sim->marks = calloc(insts, sizeof *sim->marks);
    sim->now.insts = malloc(insts * sizeof *sim->now.insts);
    sim->next.insts = malloc(insts * sizeof *sim->next.insts);
    /* An instruction is followed once a generation and leaves at most two entries. */
    sim->stack = malloc((2 * insts + 1) * sizeof *sim->stack);
    sim->bits = malloc(rx_bits_work(insts) * sizeof *sim->bits);
    if (!sim->marks || !sim->now.insts || !sim->next.insts || !sim->stack || !sim->bits) {
        free_lists(sim);
        return false;
    }
    sim->insts = insts;
    sim->slots = slots;
    sim->generation = 0;
    return true;
}

bool rx_sim_reserve(rx_sim *sim, size_t insts, size_t slots)
{
    if (!reserve_lists(sim, insts, slots))
        return false;
    size_t cells = insts * slots;
    if (cells <= sim->capture_cells)
        return true;
    free(sim->captures_now);
    free(sim->captures_next);
    sim->captures_now = malloc(cells * sizeof *sim->captures_now);
    sim->captures_next = malloc(cells * sizeof *sim->captures_next);
    sim->capture_cells = sim->captures_now != NULL && sim->captures_next != NULL ? cells : 0;
    return sim->capture_cells > 0;
}

static uint32_t next_generation(rx_sim *sim)
{
    if (++sim->generation == 0) {
        memset(sim->marks, 0, sim->insts * sizeof *sim->marks);
        sim->generation = 1;
    }
    return sim->generation;
}

static int byte_at(hg_slice text, size_t at)
{
    return at < text.len ? (unsigned char)text.ptr[at] : -1;
}

static unsigned holds_at(hg_slice text, size_t at)
{
    return rx_holds(at > 0 ? byte_at(text, at - 1) : -1, byte_at(text, at));
}

static bool takes(const rx_program *p, const rx_inst *inst, unsigned byte)
{
    if (inst->op == RX_OP_BYTE)
        return inst->arg == byte;
    return inst->op == RX_OP_SET && rx_byteset_has(&p->sets[inst->arg], byte);
}

typedef struct place {
    size_t at;
    unsigned holds;
} place;

/* Follows everything that needs no byte from pc on; threads that wait for a byte (or have matched) join the list
 * with a copy of `slots`, which is the same afterwards as before. */
static void follow(const rx_program *p, rx_sim *sim, rx_list *list, size_t *captures, uint32_t pc, place here,
                   size_t *slots, size_t slot_count)
{
    size_t depth = 0;
    sim->stack[depth++] = (rx_todo){pc, 0};
    while (depth > 0) {
        rx_todo todo = sim->stack[--depth];
        if (todo.inst & RX_RESTORE) {
            slots[todo.inst & ~RX_RESTORE] = todo.old;
            continue;
        }
        for (pc = todo.inst; sim->marks[pc] != sim->generation;) {
            sim->marks[pc] = sim->generation;
            const rx_inst *inst = &p->insts[pc];
            if (inst->op == RX_OP_SPLIT) {
                sim->stack[depth++] = (rx_todo){inst->arg, 0};
            } else if (inst->op == RX_OP_SAVE) {
                if (inst->arg < slot_count) {
                    sim->stack[depth++] = (rx_todo){RX_RESTORE | inst->arg, slots[inst->arg]};
                    slots[inst->arg] = here.at;
                }
            } else if (inst->op != RX_OP_ASSERT) {
                list->insts[list->count++] = pc;
                memcpy(captures + pc * slot_count, slots, slot_count * sizeof *slots);
                break;
            } else if ((inst->arg & here.holds) == 0) {
                break;
            }
            pc = inst->out;
        }
    }
}

/* Moves every thread over the byte at here.at - 1. True when a thread had matched before that byte: it cuts off
 * the threads behind it and its slots are in `best`. */
static bool advance(const rx_program *p, rx_sim *sim, int byte, place here, size_t *slots, size_t slot_count,
                    size_t *best)
{
    for (uint32_t i = 0; i < sim->now.count; i++) {
        uint32_t pc = sim->now.insts[i];
        const rx_inst *inst = &p->insts[pc];
        const size_t *captures = sim->captures_now + pc * slot_count;
        if (inst->op == RX_OP_MATCH) {
            memcpy(best, captures, slot_count * sizeof *best);
            best[1] = here.at - 1;
            return true;
        }
        if (byte < 0 || !takes(p, inst, (unsigned)byte))
            continue;
        memcpy(slots, captures, slot_count * sizeof *slots);
        follow(p, sim, &sim->next, sim->captures_next, inst->out, here, slots, slot_count);
    }
    return false;
}

static void swap_lists(rx_sim *sim)
{
    rx_list list = sim->now;
    size_t *captures = sim->captures_now;
    sim->now = sim->next;
    sim->captures_now = sim->captures_next;
    sim->next = list;
    sim->captures_next = captures;
    sim->next.count = 0;
}

static void fill_spans(hg_span *spans, size_t count, const size_t *best, size_t slot_count)
{
    for (size_t i = 0; i < count; i++) {
        bool known = 2 * i + 1 < slot_count && best[2 * i] != SIZE_MAX && best[2 * i + 1] != SIZE_MAX;
        spans[i] = known ? (hg_span){best[2 * i], best[2 * i + 1]} : (hg_span){SIZE_MAX, SIZE_MAX};
    }
}

/* May a match begin with the byte at `at`? */
static bool may_start(const rx_program *p, hg_slice text, size_t at)
{
    return !p->first_known || (at < text.len && rx_byteset_has(&p->first, (unsigned char)text.ptr[at]));
}

bool rx_simulate(const rx_program *program, rx_sim *sim, hg_slice text, size_t from, hg_span *spans, size_t count)
{
    size_t slots[RX_MAX_SLOTS], best[RX_MAX_SLOTS];
    size_t slot_count = 2 * ((size_t)program->groups + 1);
    if (slot_count > 2 * count)
        slot_count = count > 0 ? 2 * count : SPAN_SLOTS;
    if (slot_count > RX_MAX_SLOTS)
        slot_count = RX_MAX_SLOTS;
    bool matched = false;
    sim->now.count = sim->next.count = 0;
    next_generation(sim);
    for (size_t at = from; at <= text.len; at++) {
        const size_t before = at;
        while (!matched && sim->now.count == 0 && at <= text.len && !may_start(program, text, at))
            at++;
        if (at != before)
            next_generation(sim); /* what was followed before the skipped bytes is not followed here */
        if (at > text.len)
            break;
        if (!matched && may_start(program, text, at)) {
            memset(slots, 0xFF, slot_count * sizeof *slots);
            slots[0] = at;
            follow(program, sim, &sim->now, sim->captures_now, program->start, (place){at, holds_at(text, at)}, slots,
                   slot_count);
        } else if (matched && sim->now.count == 0) {
            break;
        }
        next_generation(sim);
        place here = {at + 1, at < text.len ? holds_at(text, at + 1) : 0};
        matched |= advance(program, sim, byte_at(text, at), here, slots, slot_count, best);
        swap_lists(sim);
    }
    if (matched)
        fill_spans(spans, count, best, slot_count);
    return matched;
}

/* As follow, without order or slots; true when the match is reached. */
static bool reach(const rx_program *p, rx_sim *sim, rx_list *list, uint32_t pc, unsigned holds)
{
    size_t depth = 0;
    sim->stack[depth++].inst = pc;
    while (depth > 0) {
        for (pc = sim->stack[--depth].inst; sim->marks[pc] != sim->generation;) {
            sim->marks[pc] = sim->generation;
            const rx_inst *inst = &p->insts[pc];
            if (inst->op == RX_OP_SPLIT) {
                sim->stack[depth++].inst = inst->arg;
            } else if (inst->op == RX_OP_MATCH) {
                return true;
            } else if (inst->op == RX_OP_BYTE || inst->op == RX_OP_SET) {
                list->insts[list->count++] = pc;
                break;
            } else if (inst->op == RX_OP_FAIL || (inst->op == RX_OP_ASSERT && (inst->arg & holds) == 0)) {
                break;
            }
            pc = inst->out;
        }
    }
    return false;
}

bool rx_exists(const rx_program *program, rx_sim *sim, hg_slice text, size_t from)
{
    sim->now.count = sim->next.count = 0;
    next_generation(sim);
    for (size_t at = from; at <= text.len; at++) {
        if (reach(program, sim, &sim->now, program->start, holds_at(text, at)))
            return true;
        if (at == text.len)
            break;
        next_generation(sim);
        unsigned holds = holds_at(text, at + 1), byte = (unsigned char)text.ptr[at];
        for (uint32_t i = 0; i < sim->now.count; i++) {
            const rx_inst *inst = &program->insts[sim->now.insts[i]];
            if (takes(program, inst, byte) && reach(program, sim, &sim->next, inst->out, holds))
                return true;
        }
        rx_list list = sim->now;
        sim->now = sim->next;
        sim->next = list;
        sim->next.count = 0;
    }
    return false;
}
