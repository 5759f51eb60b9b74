/* hotgate help [VERB] */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

int cli_help(int argc, char **argv)
{
    if (argc > 1) {
        for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
            if (strcmp(verb->name, argv[1]) == 0) {
                char option[] = "--help";
                char *args[] = {argv[1], option, NULL};
                if (verb->run != cli_help)
                    return verb->run(2, args);
                printf("usage: hotgate help [VERB]\n\nLists the verbs, or explains one with examples.\n\n"
                       "Example:\n  hotgate help scan\n");
                return 0;
            }
        fprintf(stderr, "hotgate: unknown verb '%s'\n", argv[1]);
        return 2;
    }
    printf("usage: hotgate VERB [ARGUMENT...]\n\nVerbs:\n");
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        printf("  %-10s %s\n", verb->name, verb->summary);
    printf("\n'hotgate help VERB' explains one with examples.\n");
    return 0;
}
