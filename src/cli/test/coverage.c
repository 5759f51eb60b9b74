#include "cli/test/rule_tests.h"

#include "cli/event.h"

#include <stdarg.h>
#include <stdlib.h>

static void add_rule(void *state, const hg_value *rule)
{
    rule_coverage *coverage = state;
    hg_slice id = cli_text_at(rule, "id");
    if (coverage->count == coverage->room) {
        size_t room = coverage->room > 0 ? coverage->room * 2 : 64;
        struct rule_count *rules = realloc(coverage->rules, room * sizeof *rules);
        if (rules == NULL)
            return;
        coverage->rules = rules;
        coverage->room = room;
    }
    char *copy = strndup(id.ptr != NULL ? id.ptr : "", id.len);
    if (copy != NULL)
        coverage->rules[coverage->count++] = (struct rule_count){copy, 0};
}

bool rule_coverage_start(rule_tests *tests)
{
    return cli_rules_each(tests->files, tests->file_count, add_rule, &tests->coverage) == HG_OK;
}

void rule_coverage_hit(rule_coverage *coverage, hg_slice id)
{
    for (size_t i = 0; i < coverage->count; i++)
        if (hg_slice_equal(hg_slice_from(coverage->rules[i].id), id))
            coverage->rules[i].hits++;
}

void rule_coverage_free(rule_coverage *coverage)
{
    for (size_t i = 0; i < coverage->count; i++)
        free(coverage->rules[i].id);
    free(coverage->rules);
}

void rule_tests_count(rule_tests *tests, const char *path, hg_slice name, const char *format, ...)
{
    tests->passed += format == NULL;
    tests->failed += format != NULL;
    if (format == NULL)
        return;
    va_list args;
    printf("FAIL %s: %.*s: ", path, (int)name.len, name.ptr != NULL ? name.ptr : "");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}
