/* The bytes that a match can begin with: simulations start nowhere else. */
#include "regex/program.h"

#include <stdlib.h>

enum { LARGEST = 50000 }; /* instructions of programs worth the look */

typedef struct search {
    rx_program *program;
    bool *seen;
    uint32_t *stack; /* each instruction is pushed once at most */
    size_t depth;
} search;

static void push(search *s, uint32_t pc)
{
    if (!s->seen[pc]) {
        s->seen[pc] = true;
        s->stack[s->depth++] = pc;
    }
}

/* False: the match is reached without a byte. Assertions are taken to hold. */
static bool visit(search *s, const rx_inst *inst)
{
    rx_byteset *first = &s->program->first;
    switch ((rx_op)inst->op) {
    case RX_OP_BYTE:
        rx_byteset_add(first, inst->arg);
        return true;
    case RX_OP_SET:
        for (int w = 0; w < 4; w++)
            first->words[w] |= s->program->sets[inst->arg].words[w];
        return true;
    case RX_OP_SPLIT:
        push(s, inst->arg);
        push(s, inst->out);
        return true;
    case RX_OP_ASSERT:
    case RX_OP_SAVE:
        push(s, inst->out);
        return true;
    case RX_OP_MATCH:
        return false;
    case RX_OP_FAIL:
        return true;
    }
    return false;
}

void rx_find_first(rx_program *program)
{
    search s = {.program = program};
    if (program->count > LARGEST)
        return;
    s.seen = calloc(program->count, sizeof *s.seen);
    s.stack = malloc(program->count * sizeof *s.stack);
    bool known = s.seen != NULL && s.stack != NULL;
    if (known)
        push(&s, program->start);
    while (known && s.depth > 0)
        known = visit(&s, &program->insts[s.stack[--s.depth]]);
    program->first_known = known;
    free(s.seen);
    free(s.stack);
}
