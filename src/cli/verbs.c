#include "cli/verbs.h"

#include <stdio.h>

const cli_verb cli_verbs[] = {
    {"ab", "compare two sets of measurements: faster, slower or the same", cli_ab},
    {"check", "find what is wrong with rulesets", cli_check},
    {"explain", "why a text or a request is judged as it is", cli_explain},
    {"help", "explain a verb", cli_help},
    {"load", "simulated workers in front of the daemon: rates, latencies", cli_load},
    {"prof", "look at profiles: top, flame graph, differences", cli_prof},
    {"regex", "what becomes of patterns, and where they match", cli_regex},
    {"scan", "judge the requests of files", cli_scan},
    {"serve", "judge requests for other processes", cli_serve},
    {"status", "how a running daemon is", cli_status},
    {"test", "run rule tests, see which rules none of them hits", cli_test},
    {"top", "what a running daemon does, live", cli_top},
    {"tune", "propose exclusions for events marked as benign", cli_tune},
    {"version", "version and what is built in", cli_version},
    {"wrap", "a capture inside tunnels", cli_wrap},
    {"watch", "packets to flows, HTTP records and verdicts", cli_watch},
    {NULL, NULL, NULL},
};

int cli_usage_error(const char *verb, const char *what, const char *value)
{
    if (value != NULL)
        fprintf(stderr, "hotgate %s: %s '%s'; try 'hotgate help %s'\n", verb, what, value, verb);
    else
        fprintf(stderr, "hotgate %s: %s; try 'hotgate help %s'\n", verb, what, verb);
    return CLI_USAGE;
}
