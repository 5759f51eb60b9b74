/* Text for people: colours when a terminal shows them, control characters never raw. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "hotgate/value.h"

#include <stdio.h>

typedef enum cli_colour { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_BLUE, CLI_COLOURS } cli_colour;

/* Should output to this file be coloured? choice: "auto" (a terminal, and NO_COLOR is not set), "always", "never". */
bool cli_colour_wanted(const char *choice, FILE *out);

/* Is it one of these words? */
bool cli_colour_known(const char *choice);

/* The escape sequence that turns a colour on (CLI_PLAIN: everything off), or "" when colours are off. */
const char *cli_colour_code(bool on, cli_colour colour);

/* Appends s with control characters and broken UTF-8 escaped as \n, \t or \xHH. */
void cli_text_escape(hg_buffer *out, hg_slice s);

/* Appends `text` with the first place where `mark` occurs made visible (in red, or between « and » without colours),
 * cropped to about `width` bytes around it. An empty or absent mark: the beginning of the text. */
void cli_text_highlight(hg_buffer *out, hg_slice text, hg_slice mark, size_t width, bool colour);

/* The whole file, to be freed with free(). HG_ERR_IO: errno tells; "-" is standard input. */
hg_status cli_read_file(const char *path, hg_slice *content);

/* Why hg_capture_open failed; for HG_ERR_IO to be called while errno is that of the call. */
const char *cli_capture_error(hg_status status);

/* "12,345,678" for people. Returns out. */
char *cli_number(uint64_t n, char out[32]);

#endif
