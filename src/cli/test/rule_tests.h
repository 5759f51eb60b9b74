/* Rule tests: cases in files, run against a ruleset. */
#ifndef CLI_TEST_RULE_TESTS_H
#define CLI_TEST_RULE_TESTS_H

#include "cli/rules.h"

/* How often tests hit each rule. */
typedef struct rule_coverage {
    struct rule_count {
        char *id;
        size_t hits;
    } *rules;
    size_t count, room;
} rule_coverage;

typedef struct rule_tests {
    const char *const *files; /* the ruleset under test; none: the embedded one */
    size_t file_count;
    cli_rules all;            /* it as a whole */
    rule_coverage coverage;
    size_t passed, failed;
    bool broken;              /* a file could not be used */
} rule_tests;

/* Lists the rules of the ruleset. False: out of memory. */
bool rule_coverage_start(rule_tests *tests);
void rule_coverage_hit(rule_coverage *coverage, hg_slice id);
void rule_coverage_free(rule_coverage *coverage);

/* Runs one file of cases in JSON: {"rule": ID, "cases": [...]} against that rule alone, {"ruleset": {...}, "cases": [...]}
 * against its own ruleset, {"cases": [...]} against the whole one. */
void rule_tests_json(rule_tests *tests, const char *path, const hg_value *tree);

/* Runs one go-ftw file (YAML): requests and the rule ids that they must and must not log. */
void rule_tests_yaml(rule_tests *tests, const char *path, hg_slice text);

/* Reads a YAML document into a tree (all scalars strings; anchors are not followed). HG_ERR_UNSUPPORTED without
 * libyaml; *line is where it is broken. */
hg_status rule_yaml_read(hg_slice text, hg_arena *arena, hg_value *out, size_t *line);

/* Counts a case and says what is wrong (format NULL: nothing). */
void rule_tests_count(rule_tests *tests, const char *path, hg_slice name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
