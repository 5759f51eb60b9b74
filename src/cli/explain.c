/* hotgate explain: shows why something is judged as it is. The first option says what. */
#include "cli/explain.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

typedef struct way {
    const char *option;
    const char *arguments;
    const char *summary;
    cli_explain_run *run;
} way;

static const way ways[] = {
    {"--sqli", "TEXT", "the SQL injection detector: attempts, tokens, folding, fingerprint", cli_explain_sqli},
    {"--xss", "TEXT", "the XSS detector: contexts, tokens, what fires", cli_explain_xss},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static void print_usage(void)
{
    for (int i = 0; i < WAYS; i++)
        printf("%s hotgate explain %s %s\n      %s\n", i == 0 ? "usage:" : "      ", ways[i].option,
               ways[i].arguments, ways[i].summary);
    printf("       hotgate explain [OPTION...] PATH\n"
           "      requests against rules: which value each condition looked at, as sent and as seen behind the\n"
           "      transformers, and which condition held; without --rule only rules of which something matched\n");
    printf("\nA TEXT of - is read from standard input, byte for byte.\n\n"
           "  -i, --rule ID        only this rule, and all that it looked at\n"
           "  -r, --rules FILE     use this ruleset instead of the embedded one; several are one ruleset\n"
           "  -e, --entry N        only this entry of PATH: a line number of logs and NDJSON, else from 1\n"
           "  -f, --format FORMAT  text (default) or json: one object a step\n"
           "      --colour WHEN    auto (default), always, never\n"
           "\n"
           "Exit status: 0 explained, 2 wrong usage, 3 rules, input or entry unusable.\n"
           "\n"
           "Examples:\n"
           "  hotgate explain --sqli \"1' or '1'='1\"\n"
           "  hotgate explain --entry 3 requests.http\n"
           "  hotgate explain --rule xss-script-tag --entry 17 access.log\n");
}

int cli_explain(int argc, char **argv)
{
    for (int i = 0; i < WAYS && argc > 1; i++)
        if (strcmp(argv[1], ways[i].option) == 0)
            return ways[i].run(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--help") != 0)
        return cli_explain_request(argc, argv);
    if (argc == 1)
        return cli_usage_error("explain", "a PATH, --sqli or --xss is wanted", NULL);
    print_usage();
    return 0;
}
