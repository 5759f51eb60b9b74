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

static void print_usage(FILE *out)
{
    fprintf(out, "usage:\n");
    for (int i = 0; i < WAYS; i++)
        fprintf(out, "  hotgate explain %s %s\n      %s\n", ways[i].option, ways[i].arguments, ways[i].summary);
    fprintf(out, "\nA TEXT of - is read from standard input, byte for byte.\n"
                 "example: hotgate explain --sqli \"1' or '1'='1\"\n");
}

int cli_explain(int argc, char **argv)
{
    for (int i = 0; i < WAYS && argc > 1; i++)
        if (strcmp(argv[1], ways[i].option) == 0)
            return ways[i].run(argc - 1, argv + 1);
    bool asked = argc > 1 && strcmp(argv[1], "--help") == 0;
    print_usage(asked ? stdout : stderr);
    return asked ? 0 : 2;
}
