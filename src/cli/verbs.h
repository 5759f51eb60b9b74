/* The verbs of hotgate: one file a verb, one line here and in verbs.c. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

/* Gets its own name as argv[0]; returns the exit status. */
typedef int cli_run(int argc, char **argv);

typedef struct cli_verb {
    const char *name;
    const char *summary;
    cli_run *run;
} cli_verb;

extern const cli_verb cli_verbs[]; /* ends with a NULL name */

cli_run cli_ab;
cli_run cli_prof;
cli_run cli_check;
cli_run cli_version;
cli_run cli_help;
cli_run cli_explain;
cli_run cli_watch;
cli_run cli_wrap;
cli_run cli_scan;
cli_run cli_serve;
cli_run cli_test;
cli_run cli_tune;
cli_run cli_regex;

#endif
