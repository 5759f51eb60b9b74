/* cmdi_detector: a parameter is what is run, or injects into what a shell is told to run (waf-operators 12.5). */
#include "waf/operators/operator.h"

#include "text/bytes.h"
#include "text/rasp/command.h"
#include "text/rasp/occurrences.h"
#include "text/rasp/shell_injection.h"

typedef struct command {
    hg_slice executable; /* empty: it was found by name, so parameters are not compared with it */
    hg_slice shell_line; /* empty: no shell is told to run anything */
    hg_shell_line line;
} command;

static hg_slice argument_at(const void *argv, size_t i)
{
    return hg_value_string(&hg_array_items(argv)[i]);
}

/* Is the parameter, at any of its occurrences, an injection into the shell's line? */
static bool injects(command *c, hg_detect *d, hg_slice param, bool *stopped)
{
    hg_arena *arena = d->env->arena;
    if (param.len < HG_SHELL_PARAM_MIN || param.len > c->shell_line.len)
        return false;
    hg_occurrences o = hg_occurrences_of(param, c->shell_line, arena);
    bool found = false;
    size_t at;
    while (!found && !*stopped && hg_occurrences_next(&o, &at)) {
        *stopped = d->expired(d);
        if (!*stopped && c->line.next_command == NULL)
            *stopped = hg_shell_line_init(&c->line, c->shell_line, arena) != HG_OK;
        found = !*stopped && hg_shell_is_injected(&c->line, at, at + param.len);
    }
    *stopped |= o.out_of_memory;
    hg_occurrences_end(&o);
    return found;
}

/* The vector as it is shown: the first element, then the others in double quotes. */
static hg_slice shown(const hg_value *argv, hg_arena *arena)
{
    size_t count = hg_value_size(argv);
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += argument_at(argv, i).len + 3;
    char *text = hg_arena_alloc(arena, size, 1);
    if (text == NULL)
        return (hg_slice){NULL, 0};
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        hg_slice element = argument_at(argv, i);
        if (i > 0) {
            text[len++] = ' ';
            text[len++] = '"';
        }
        if (element.len > 0)
            memcpy(text + len, element.ptr, element.len);
        len += element.len;
        if (i > 0)
            text[len++] = '"';
    }
    return hg_slice_of(text, len);
}

static bool report(hg_detect *d, hg_slice param)
{
    d->mark(d);
    d->resource_text = shown(d->resource, d->env->arena);
    d->param = d->highlight = param;
    return true;
}

/* False: nothing is run that a parameter could decide. */
static bool read_command(const hg_value *argv, command *c)
{
    if (hg_value_size(argv) == 0)
        return false;
    hg_slice executable = hg_trim(argument_at(argv, 0));
    if (executable.len == 0)
        return false;
    hg_slice base = hg_command_base(executable);
    *c = (command){.line = {.next_command = NULL}};
    if (base.len < executable.len)
        c->executable = executable;
    return hg_command_find(base, argv, hg_value_size(argv), argument_at, &c->shell_line) || c->executable.len > 0;
}

static bool detect(const void *params, hg_detect *d)
{
    (void)params;
    command c;
    hg_slice param;
    bool stopped = false;
    if (!read_command(d->resource, &c))
        return false;
    for (size_t object = 0; object < d->object_count; object++) {
        while (d->next(d, object, &param)) {
            hg_slice trimmed = hg_trim(param);
            if (d->expired(d))
                return false;
            if (c.executable.len > 0 && hg_slice_equal(trimmed, c.executable))
                return report(d, trimmed);
            if (c.shell_line.len > 0 && injects(&c, d, param, &stopped))
                return report(d, param);
            if (stopped)
                return false;
        }
    }
    return false;
}

const hg_operator hg_operator_cmdi_detector = {
    .name = HG_SLICE("cmdi_detector"),
    .kind = HG_OPERATOR_DETECTOR,
    .max_version = 1,
    .arguments = {{HG_SLICE("resource"), false, HG_ARGUMENT_ARRAY}, {HG_SLICE("params"), true, HG_ARGUMENT_ANY}},
    .detect = detect,
};
