/* Command injection: which part of an argument vector is run, and by which shell. */
#ifndef HG_TEXT_COMMAND_H
#define HG_TEXT_COMMAND_H

#include "hotgate/base.h"

/* The file name of a path. */
hg_slice hg_command_base(hg_slice path);

/* Reads argument i > 0 of a vector; an empty slice for what is no string. */
typedef hg_slice (*hg_command_argument)(const void *argv, size_t i);

/* Finds the command line that `base`, the name of a shell, is given among `count` arguments (the shell itself
 * included). False: base is no known shell, or it is given none. */
bool hg_command_find(hg_slice base, const void *argv, size_t count, hg_command_argument argument, hg_slice *line);

#endif
