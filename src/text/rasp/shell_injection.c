#include "text/rasp/shell_injection.h"

static bool acts(const hg_shell_token *t)
{
    return t->type == HG_SHELL_EXECUTABLE || t->type == HG_SHELL_REDIRECTION;
}

hg_status hg_shell_line_init(hg_shell_line *line, hg_slice text, hg_arena *arena)
{
    hg_shell_token *tokens;
    size_t count;
    hg_status status = hg_shell_tokenize(text, arena, &tokens, &count);
    if (status != HG_OK)
        return status;
    size_t *next = hg_arena_alloc(arena, (count + 1) * sizeof *next, _Alignof(size_t));
    if (next == NULL)
        return HG_ERR_NOMEM;
    next[count] = count;
    for (size_t i = count; i-- > 0;)
        next[i] = acts(&tokens[i]) ? i : next[i + 1];
    *line = (hg_shell_line){text, tokens, next, count};
    return HG_OK;
}

/* The first token that ends after `position`. */
static size_t first_ending_after(const hg_shell_line *line, size_t position)
{
    size_t low = 0;
    size_t high = line->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->tokens[middle].at + line->tokens[middle].len > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool hg_shell_is_injected(const hg_shell_line *line, size_t begin, size_t end)
{
    size_t i = first_ending_after(line, begin);
    if (i == line->count || line->tokens[i].at > end)
        return false;
    /* A parameter within one token changes nothing; of the last token that is not known. */
    if (i + 1 < line->count && line->tokens[i + 1].at >= end)
        return false;
    size_t acting = line->next_command[i];
    return acting < line->count && line->tokens[acting].at <= end;
}
