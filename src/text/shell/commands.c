/* The second pass: the first word of each command is what is run. */
#include "text/shell/commands.h"

typedef enum state {
    EXPECTS_COMMAND,
    DEFINES_VARIABLE,
    HAS_COMMAND
} state;

typedef enum effect {
    NO_EFFECT,
    OPENS_COMMAND,
    OPENS_WORDS,
    CLOSES
} effect;

static effect effect_of(hg_shell_type type)
{
    switch (type) {
    case HG_SHELL_BACKTICK_OPEN:
    case HG_SHELL_COMMAND_OPEN:
    case HG_SHELL_PROCESS_OPEN:
    case HG_SHELL_COMPOUND_OPEN:
    case HG_SHELL_SUBSHELL_OPEN:
        return OPENS_COMMAND;
    case HG_SHELL_ARITHMETIC_OPEN:
    case HG_SHELL_ARRAY_OPEN:
    case HG_SHELL_FILE_OPEN:
    case HG_SHELL_PARAMETER_OPEN:
        return OPENS_WORDS;
    case HG_SHELL_BACKTICK_CLOSE:
    case HG_SHELL_COMMAND_CLOSE:
    case HG_SHELL_PROCESS_CLOSE:
    case HG_SHELL_COMPOUND_CLOSE:
    case HG_SHELL_SUBSHELL_CLOSE:
    case HG_SHELL_ARITHMETIC_CLOSE:
    case HG_SHELL_ARRAY_CLOSE:
    case HG_SHELL_FILE_CLOSE:
    case HG_SHELL_PARAMETER_CLOSE:
        return CLOSES;
    default:
        return NO_EFFECT;
    }
}

static void update(state *s, hg_shell_token *t)
{
    switch (t->type) {
    case HG_SHELL_DEFINITION:
        if (*s == EXPECTS_COMMAND)
            *s = DEFINES_VARIABLE;
        break;
    case HG_SHELL_FIELD:
    case HG_SHELL_VARIABLE:
    case HG_SHELL_SINGLE_QUOTED:
    case HG_SHELL_DOUBLE_QUOTED:
        if (*s == EXPECTS_COMMAND) {
            t->type = HG_SHELL_EXECUTABLE;
            *s = HAS_COMMAND;
        }
        break;
    case HG_SHELL_BLANK:
        if (*s == DEFINES_VARIABLE)
            *s = EXPECTS_COMMAND;
        break;
    case HG_SHELL_CONTROL:
        *s = EXPECTS_COMMAND;
        break;
    default:
        break;
    }
}

hg_status hg_shell_find_commands(hg_shell_token *tokens, size_t count, hg_arena *arena, size_t *kept)
{
    uint8_t *states = hg_arena_alloc(arena, count + 1, 1); /* no deeper than there are openers */
    if (states == NULL)
        return HG_ERR_NOMEM;
    size_t depth = 0;
    state now = EXPECTS_COMMAND;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        switch (effect_of(tokens[i].type)) {
        case OPENS_COMMAND:
            states[depth++] = now == EXPECTS_COMMAND ? HAS_COMMAND : (uint8_t)now;
            now = EXPECTS_COMMAND;
            break;
        case OPENS_WORDS:
            states[depth++] = (uint8_t)now;
            now = HAS_COMMAND;
            break;
        case CLOSES:
            if (depth > 0)
                now = (state)states[--depth];
            break;
        case NO_EFFECT:
            update(&now, &tokens[i]);
        }
        if (tokens[i].type != HG_SHELL_BLANK)
            tokens[n++] = tokens[i];
    }
    *kept = n;
    return HG_OK;
}
