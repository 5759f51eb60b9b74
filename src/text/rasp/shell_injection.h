/* Shell injection: does a parameter bring a command or a redirection of its own into a command line? */
#ifndef HG_TEXT_SHELL_INJECTION_H
#define HG_TEXT_SHELL_INJECTION_H

#include "text/shell/shell.h"

enum { HG_SHELL_PARAM_MIN = 2 };

/* A command line with its tokens. */
typedef struct hg_shell_line {
    hg_slice text;
    const hg_shell_token *tokens;
    const size_t *next_command; /* by token: the first one at or after it that is run or redirects */
    size_t count;
} hg_shell_line;

/* HG_ERR_NOMEM is the only failure. Linear. */
hg_status hg_shell_line_init(hg_shell_line *line, hg_slice text, hg_arena *arena);

/* Is a parameter at [begin, end) of the line an injection? O(log tokens). */
bool hg_shell_is_injected(const hg_shell_line *line, size_t begin, size_t end);

#endif
