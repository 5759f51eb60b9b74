/* hotgate: finds the verb in the table and runs it. */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb->run(argc - 1, argv + 1);
    fprintf(stderr, "hotgate: unknown verb '%s'; try 'hotgate help'\n", name);
    return 2;
}
