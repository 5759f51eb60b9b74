/* hotgate check RULES...: is everything in these rulesets usable? */
#include "cli/rules.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: hotgate check [RULES...]\n"
    "\n"
    "Reads rulesets (JSON) and prints what is wrong with them: file, line, column, rule and reason. Several files are\n"
    "one ruleset, so that an id used twice is found. Without a file the embedded rules are checked.\n"
    "\n"
    "Exit status: 0 no error (warnings are allowed), 1 errors, 2 wrong usage.\n"
    "\n"
    "Examples:\n"
    "  hotgate check rules.json\n"
    "  hotgate check base.json custom.json exclusions.json\n";

int cli_check(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return cli_usage_error("check", "unknown option", argv[i]);
    }
    cli_rules rules;
    hg_status status = cli_rules_load((const char *const *)(argv + 1), (size_t)(argc - 1), stdout, &rules);
    printf("%zu rules loaded, %zu errors, %zu warnings\n", rules.loaded, rules.errors, rules.warnings);
    hg_waf_unref(rules.waf);
    return status == HG_OK && rules.errors == 0 ? 0 : 1;
}
