/* The ways of `hotgate explain`: one file each, one line in the table of explain.c. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "hotgate/base.h"

/* A way to explain something, chosen by the option that comes first. It gets that option as argv[0] and returns the
 * exit status. */
typedef int cli_explain_run(int argc, char **argv);

cli_explain_run cli_explain_sqli;
cli_explain_run cli_explain_xss;
cli_explain_run cli_explain_request; /* the way without an option of its own; gets the verb as argv[0] */

#endif
