/* Tree to byte program. Code is emitted from the end backwards, so that what follows is always known; the tree
 * is walked with a stack of its own, and counters repeat the walk of their body. */
#include "regex/grow.h"
#include "regex/program.h"
#include "regex/unicode.h"

typedef struct frame {
    uint32_t node;
    uint32_t next;  /* what follows the node */
    uint32_t step;  /* kids or rounds done */
    uint32_t saved; /* instruction to be patched, or entry so far */
} frame;

typedef struct compiler {
    const rx_syntax *syntax;
    rx_program *out;
    size_t limit;
    rx_template *templates; /* one a class, built at first use (entry RX_NEXT before) */
    frame *stack;
    size_t depth, cap;
    uint32_t result; /* entry of the node finished last */
    bool nomem, too_large;
} compiler;

static uint32_t emit(compiler *c, rx_op op, uint32_t arg, uint32_t out)
{
    if (c->out->count >= c->limit) {
        c->too_large = true;
        return 0;
    }
    if (!rx_grow(&c->out->insts, c->out->count, &c->out->cap, sizeof *c->out->insts)) {
        c->nomem = true;
        return 0;
    }
    c->out->insts[c->out->count] = (rx_inst){op, arg, out};
    return (uint32_t)c->out->count++;
}

static uint32_t emit_split(compiler *c, uint32_t body, uint32_t leave, bool lazy)
{
    return lazy ? emit(c, RX_OP_SPLIT, body, leave) : emit(c, RX_OP_SPLIT, leave, body);
}

static void patch_split(compiler *c, uint32_t split, uint32_t body, uint32_t leave, bool lazy)
{
    if (c->nomem || c->too_large)
        return;
    c->out->insts[split].out = lazy ? leave : body;
    c->out->insts[split].arg = lazy ? body : leave;
}

static uint32_t emit_template(compiler *c, const rx_template *t, uint32_t next)
{
    uint32_t base = (uint32_t)c->out->count;
    for (size_t i = 0; i < t->count; i++) {
        rx_inst inst = t->insts[i];
        inst.out = inst.out == RX_NEXT ? next : base + inst.out;
        if (inst.op == RX_OP_SPLIT)
            inst.arg += base;
        emit(c, inst.op, inst.arg, inst.out);
    }
    return base + t->entry;
}

static uint32_t emit_class(compiler *c, uint32_t class, uint32_t next)
{
    rx_template *t = &c->templates[class];
    const rx_class *k = &c->syntax->classes[class];
    if (t->entry == RX_NEXT && !rx_template_build(c->out, c->syntax->ranges + k->first, k->count, t)) {
        c->nomem = true;
        return 0;
    }
    return emit_template(c, t, next);
}

/* A letter whose only partner is its other case. */
static uint32_t emit_letter(compiler *c, uint32_t code, uint32_t next)
{
    rx_byteset both = {{0}};
    uint32_t set = 0;
    rx_byteset_add(&both, code);
    rx_byteset_add(&both, code ^ 0x20);
    if (!rx_program_set(c->out, &both, &set))
        c->nomem = true;
    return emit(c, RX_OP_SET, set, next);
}

static uint32_t emit_orbit(compiler *c, uint32_t code, uint32_t next)
{
    if (code < 0x80 && rx_fold_next(rx_fold_next(code)) == code)
        return emit_letter(c, code, next);
    rx_class_builder orbit = {0};
    rx_template t = {0};
    rx_class_add_fold(&orbit, code, code, true);
    rx_class_settle(&orbit);
    uint32_t entry = 0;
    if (orbit.nomem || !rx_template_build(c->out, orbit.ranges, orbit.count, &t))
        c->nomem = true;
    else
        entry = emit_template(c, &t, next);
    rx_class_close(&orbit);
    free(t.insts);
    return entry;
}

static size_t encode(uint32_t code, uint8_t out[4])
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (uint8_t)((0xF00u >> len) | code);
    return len;
}

static uint32_t emit_char(compiler *c, uint32_t code, uint32_t next)
{
    uint8_t bytes[4];
    for (size_t i = encode(code, bytes); i > 0; i--)
        next = emit(c, RX_OP_BYTE, bytes[i - 1], next);
    return next;
}

static uint32_t emit_any_byte(compiler *c, uint32_t next)
{
    static const rx_byteset all = {{~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0}};
    uint32_t set = 0;
    if (!rx_program_set(c->out, &all, &set))
        c->nomem = true;
    return emit(c, RX_OP_SET, set, next);
}

static void descend(compiler *c, uint32_t node, uint32_t next)
{
    if (!rx_grow(&c->stack, c->depth, &c->cap, sizeof *c->stack)) {
        c->nomem = true;
        return;
    }
    c->stack[c->depth++] = (frame){node, next, 0, 0};
}

static void finish(compiler *c, uint32_t entry)
{
    c->result = entry;
    c->depth--;
}

static void step_cat(compiler *c, frame *f, const rx_node *n)
{
    uint32_t next = f->step == 0 ? f->next : c->result;
    if (f->step == n->count) {
        finish(c, next);
        return;
    }
    f->step++;
    descend(c, c->syntax->kids[n->arg + n->count - f->step], next);
}

static void step_alt(compiler *c, frame *f, const rx_node *n)
{
    if (f->step == 1)
        f->saved = c->result;
    else if (f->step > 1)
        f->saved = emit(c, RX_OP_SPLIT, f->saved, c->result);
    if (f->step == n->count) {
        finish(c, f->saved);
        return;
    }
    f->step++;
    descend(c, c->syntax->kids[n->arg + n->count - f->step], f->next);
}

/* x+ and x*: one round that comes back to a split. A starred body that can match empty is (x+)?, which fixes
 * the result of empty rounds. */
static void finish_loop(compiler *c, frame *f, const rx_node *n)
{
    bool starred = n->min == 0;
    uint32_t entry = c->result;
    patch_split(c, f->saved, entry, f->next, n->lazy);
    if (starred)
        entry = c->syntax->nodes[n->arg].nullable ? emit_split(c, entry, f->next, n->lazy) : f->saved;
    finish(c, entry);
}

static void step_loop(compiler *c, frame *f, const rx_node *n)
{
    uint32_t copies = n->min > 1 ? (uint32_t)n->min - 1 : 0; /* before the loop proper */
    if (f->step == 0) {
        f->saved = emit(c, RX_OP_SPLIT, 0, 0);
        f->step = 1;
        descend(c, n->arg, f->saved);
    } else if (f->step == 1 && copies == 0) {
        finish_loop(c, f, n);
    } else if (f->step <= copies) {
        if (f->step == 1)
            patch_split(c, f->saved, c->result, f->next, n->lazy);
        f->step++;
        descend(c, n->arg, c->result);
    } else {
        finish(c, c->result);
    }
}

/* x{n,m}: m - n nested optional rounds, the innermost first, then n plain ones. */
static void step_counted(compiler *c, frame *f, const rx_node *n)
{
    uint32_t optional = (uint32_t)(n->max - n->min), total = (uint32_t)n->max;
    uint32_t next = f->step == 0 ? f->next : c->result;
    if (f->step > 0 && f->step <= optional)
        next = emit_split(c, next, f->next, n->lazy);
    if (f->step == total) {
        finish(c, next);
        return;
    }
    f->step++;
    descend(c, n->arg, next);
}

static void step(compiler *c)
{
    frame *f = &c->stack[c->depth - 1];
    const rx_node *n = &c->syntax->nodes[f->node];
    switch ((rx_kind)n->kind) {
    case RX_EMPTY:
        finish(c, f->next);
        break;
    case RX_CHAR:
        finish(c, n->fold ? emit_orbit(c, n->arg, f->next) : emit_char(c, n->arg, f->next));
        break;
    case RX_CLASS:
        finish(c, emit_class(c, n->arg, f->next));
        break;
    case RX_BYTE:
        finish(c, emit_any_byte(c, f->next));
        break;
    case RX_ASSERT:
        c->out->assertions |= n->arg;
        finish(c, emit(c, RX_OP_ASSERT, n->arg, f->next));
        break;
    case RX_CAT:
        step_cat(c, f, n);
        break;
    case RX_ALT:
        step_alt(c, f, n);
        break;
    case RX_REPEAT:
        if (n->max == RX_UNBOUNDED)
            step_loop(c, f, n);
        else
            step_counted(c, f, n);
        break;
    case RX_GROUP:
        if (f->step++ == 0)
            descend(c, n->arg, emit(c, RX_OP_SAVE, 2 * n->count + 1, f->next));
        else
            finish(c, emit(c, RX_OP_SAVE, 2 * n->count, c->result));
        break;
    }
}

/* No way from the start to a byte or to the match without passing the begin of the text. */
static bool find_anchored(const rx_program *p, bool *nomem)
{
    bool *seen = calloc(p->count, 1);
    uint32_t *stack = malloc((p->count + 1) * sizeof *stack);
    size_t depth = 0;
    bool anchored = true;
    *nomem = seen == NULL || stack == NULL;
    if (!*nomem)
        stack[depth++] = p->start;
    while (depth > 0 && anchored) {
        for (uint32_t pc = stack[--depth]; !seen[pc]; pc = p->insts[pc].out) {
            const rx_inst *inst = &p->insts[pc];
            seen[pc] = true;
            if (inst->op == RX_OP_SPLIT)
                stack[depth++] = inst->arg;
            anchored = anchored && inst->op != RX_OP_BYTE && inst->op != RX_OP_SET && inst->op != RX_OP_MATCH;
            if (!anchored || inst->op == RX_OP_FAIL || (inst->op == RX_OP_ASSERT && inst->arg == RX_BEGIN_TEXT))
                break;
        }
    }
    free(seen);
    free(stack);
    return anchored;
}

static void run(compiler *c)
{
    uint32_t match = emit(c, RX_OP_MATCH, 0, 0);
    descend(c, c->syntax->root, match);
    while (c->depth > 0 && !c->nomem && !c->too_large)
        step(c);
    c->out->start = c->result;
}

/* Growing by doubling left room that a program never uses. */
static void trim(rx_program *p)
{
    rx_inst *insts = realloc(p->insts, p->count * sizeof *insts);
    rx_byteset *sets = p->set_count > 0 ? realloc(p->sets, p->set_count * sizeof *sets) : NULL;
    p->insts = insts != NULL ? insts : p->insts;
    p->sets = sets != NULL ? sets : p->sets;
}

bool rx_compile(const rx_syntax *syntax, size_t limit, rx_program *out, bool *too_large)
{
    *out = (rx_program){.groups = syntax->groups};
    compiler c = {.syntax = syntax, .out = out, .limit = limit < RX_MOST_INSTRUCTIONS ? limit : RX_MOST_INSTRUCTIONS};
    c.templates = calloc(syntax->class_count ? syntax->class_count : 1, sizeof *c.templates);
    c.nomem = c.templates == NULL;
    for (size_t i = 0; !c.nomem && i < syntax->class_count; i++)
        c.templates[i].entry = RX_NEXT;
    if (!c.nomem)
        run(&c);
    if (!c.nomem && !c.too_large)
        out->anchored = find_anchored(out, &c.nomem);
    for (size_t i = 0; c.templates != NULL && i < syntax->class_count; i++)
        free(c.templates[i].insts);
    free(c.templates);
    free(c.stack);
    free(out->set_table);
    out->set_table = NULL;
    *too_large = c.too_large;
    if (c.nomem || c.too_large) {
        rx_program_close(out);
        return false;
    }
    rx_number_classes(out);
    rx_find_first(out);
    trim(out);
    return true;
}

void rx_program_close(rx_program *program)
{
    free(program->insts);
    free(program->sets);
    free(program->set_table);
    *program = (rx_program){0};
}
