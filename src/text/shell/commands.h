#ifndef HG_TEXT_SHELL_COMMANDS_H
#define HG_TEXT_SHELL_COMMANDS_H

#include "text/shell/shell.h"

/* Marks the words that are run as executables and takes the blanks out; *kept is how many tokens are left. */
hg_status hg_shell_find_commands(hg_shell_token *tokens, size_t count, hg_arena *arena, size_t *kept);

#endif
