/* hotgate: finds the verb in the table and runs it. */
#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What a verb printed may not have arrived, e.g. on a full disk: that is no success. */
static int printed(int answer)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || answer > 1)
        return answer;
    fprintf(stderr, "hotgate: standard output: %s\n", strerror(errno));
    return 3;
}

static const char *verb_of(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    char name[64];
    char *nothing[] = {name, NULL};
    snprintf(name, sizeof name, "hotgate %s", verb->name);
    if (argc < 2)
        return verb->run(1, nothing);
    argv[1] = name;
    return verb->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? verb_of(argv[1]) : "help";
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        if (strcmp(verb->name, name) == 0)
            return printed(run(verb, argc, argv));
    fprintf(stderr, "hotgate: unknown verb '%s'; try 'hotgate help'\n", name);
    return CLI_USAGE;
}
