/* hotgate help [VERB] */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: hotgate help [VERB]\n"
    "\n"
    "Lists the verbs, or explains one with examples.\n"
    "\n"
    "Exit status: 0 done, 2 there is no such verb.\n"
    "\n"
    "Example:\n"
    "  hotgate help scan\n";

static int explain_verb(const char *name)
{
    char option[] = "--help";
    if (strcmp(name, "help") == 0 || strcmp(name, option) == 0) {
        fputs(help, stdout);
        return 0;
    }
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb->run(2, (char *[]){(char *)verb->name, option, NULL});
    return cli_usage_error("help", "unknown verb", name);
}

int cli_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_usage_error("help", "one verb at a time, not also", argv[2]);
    if (argc == 2)
        return explain_verb(argv[1]);
    printf("usage: hotgate VERB [ARGUMENT...]\n\nVerbs:\n");
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        printf("  %-10s %s\n", verb->name, verb->summary);
    printf("\n'hotgate help VERB' explains one with examples.\n");
    return 0;
}
