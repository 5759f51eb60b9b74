/* The verbs of hotgate: one file a verb, one line here and in verbs.c. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

/* Gets "hotgate NAME" as argv[0], for getopt's complaints; returns the exit status. */
typedef int cli_run(int argc, char **argv);

typedef struct cli_verb {
    const char *name;
    const char *summary;
    cli_run *run;
} cli_verb;

extern const cli_verb cli_verbs[]; /* ends with a NULL name */

enum { CLI_USAGE = 2 }; /* the exit status of wrong usage, of all verbs */

/* Says on standard error what is wrong with the use of a verb, value (may be NULL) in quotes, and where help is. Returns
 * CLI_USAGE. */
int cli_usage_error(const char *verb, const char *what, const char *value);

cli_run cli_ab;
cli_run cli_prof;
cli_run cli_check;
cli_run cli_version;
cli_run cli_help;
cli_run cli_explain;
cli_run cli_watch;
cli_run cli_wrap;
cli_run cli_scan;
cli_run cli_load;
cli_run cli_serve;
cli_run cli_status;
cli_run cli_top;
cli_run cli_test;
cli_run cli_tune;
cli_run cli_regex;

#endif
