/* Command lines taken apart into tokens, the way libddwaf's shi_detector sees them: which words are run, what is
 * redirected. */
#ifndef HG_TEXT_SHELL_H
#define HG_TEXT_SHELL_H

#include "hotgate/base.h"

typedef enum hg_shell_type {
    HG_SHELL_BLANK, /* only while tokens are made */
    HG_SHELL_EXECUTABLE,
    HG_SHELL_FIELD,
    HG_SHELL_VARIABLE,
    HG_SHELL_DEFINITION, /* the name before an equals sign */
    HG_SHELL_EQUAL,
    HG_SHELL_CONTROL,
    HG_SHELL_REDIRECTION,
    HG_SHELL_SINGLE_QUOTED,
    HG_SHELL_DOUBLE_QUOTED,
    HG_SHELL_ARITHMETIC,
    /* What is not one token because there are tokens in it. */
    HG_SHELL_QUOTE_OPEN,
    HG_SHELL_QUOTE_CLOSE,
    HG_SHELL_ARITHMETIC_OPEN,
    HG_SHELL_ARITHMETIC_CLOSE,
    HG_SHELL_PARAMETER_OPEN,
    HG_SHELL_PARAMETER_CLOSE,
    HG_SHELL_FILE_OPEN,
    HG_SHELL_FILE_CLOSE,
    HG_SHELL_ARRAY_OPEN,
    HG_SHELL_ARRAY_CLOSE,
    HG_SHELL_BACKTICK_OPEN,
    HG_SHELL_BACKTICK_CLOSE,
    HG_SHELL_COMMAND_OPEN,
    HG_SHELL_COMMAND_CLOSE,
    HG_SHELL_PROCESS_OPEN,
    HG_SHELL_PROCESS_CLOSE,
    HG_SHELL_COMPOUND_OPEN,
    HG_SHELL_COMPOUND_CLOSE,
    HG_SHELL_SUBSHELL_OPEN,
    HG_SHELL_SUBSHELL_CLOSE,
    HG_SHELL_PARENTHESIS_OPEN,
    HG_SHELL_PARENTHESIS_CLOSE,
    HG_SHELL_CURLY_OPEN,
    HG_SHELL_CURLY_CLOSE
} hg_shell_type;

typedef struct hg_shell_token {
    size_t at;
    size_t len;
    hg_shell_type type;
} hg_shell_token;

/* All tokens but blanks, in order, in the arena. HG_ERR_NOMEM is the only failure. Linear. */
hg_status hg_shell_tokenize(hg_slice line, hg_arena *arena, hg_shell_token **tokens, size_t *count);

#endif
