/* hotgate test RULES... [TESTS...]: runs rule tests and tells which rules none of them hits. */
#include "cli/test/rule_tests.h"
#include "cli/text.h"
#include "cli/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILES_MAX = 64 };

static const char help[] =
    "usage: hotgate test [RULES...] [TESTS...]\n"
    "\n"
    "Runs tests against a ruleset (several files are one ruleset; none is the embedded one). TESTS are files and folders:\n"
    "  JSON  {\"rule\": ID, \"cases\": [{\"name\": ..., \"runs\": [{\"input\": {ADDRESS: VALUE}, \"code\": \"match\"|\"ok\",\n"
    "        \"rules\": [{ID: [{\"address\": ..., \"key_path\": [...]}]}]}]}]}; with a \"ruleset\" of their own they use that\n"
    "  YAML  as go-ftw reads it: requests with the rule ids that must and must not be hit\n"
    "Which file is rules and which is tests is seen from its content.\n"
    "\n"
    "Exit status: 0 all passed, 1 some failed, 2 wrong usage, 3 a file is not usable.\n"
    "\n"
    "Examples:\n"
    "  hotgate test rules/hotgate.json rules/tests\n"
    "  hotgate test my-rules.json my-tests.yaml\n";

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_yaml(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml");
}

/* Rulesets are JSON without cases; everything else is tests. */
static bool is_ruleset(const char *path)
{
    struct stat st;
    if (is_yaml(path) || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return false;
    hg_arena arena;
    hg_value tree;
    hg_arena_init(&arena, NULL);
    FILE *quiet = fopen("/dev/null", "w");
    bool read = quiet != NULL && cli_rules_read(path, &arena, quiet, &tree) == HG_OK;
    bool rules = !read || !hg_is_map(&tree) || hg_map_find(&tree, HG_SLICE("cases")) == NULL;
    if (quiet != NULL)
        fclose(quiet);
    hg_arena_close(&arena);
    return rules;
}

static void run_yaml(rule_tests *tests, const char *path)
{
    hg_slice text;
    if (cli_read_file(path, &text) != HG_OK) {
        fprintf(stderr, "hotgate test: %s: %s\n", path, strerror(errno));
        tests->broken = true;
        return;
    }
    rule_tests_yaml(tests, path, text);
    free((char *)text.ptr);
}

static void run_json(rule_tests *tests, const char *path)
{
    hg_arena arena;
    hg_value tree;
    hg_arena_init(&arena, NULL);
    if (cli_rules_read(path, &arena, stderr, &tree) != HG_OK) {
        tests->broken = true;
    } else if (!hg_is_map(&tree) || hg_map_find(&tree, HG_SLICE("cases")) == NULL) {
        fprintf(stderr, "hotgate test: %s: no cases\n", path);
        tests->broken = true;
    } else {
        rule_tests_json(tests, path, &tree);
    }
    hg_arena_close(&arena);
}

static void run_path(rule_tests *tests, const char *path);

static void run_folder(rule_tests *tests, const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char child[4096];
        const char *name = entries[i]->d_name;
        snprintf(child, sizeof child, "%s/%s", path, name);
        if (name[0] != '.' && (ends_with(name, ".json") || is_yaml(name)))
            run_path(tests, child);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void run_path(rule_tests *tests, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        run_folder(tests, path);
    else if (is_yaml(path))
        run_yaml(tests, path);
    else
        run_json(tests, path);
}

static void print_coverage(const rule_coverage *coverage)
{
    size_t hit = 0;
    for (size_t i = 0; i < coverage->count; i++)
        hit += coverage->rules[i].hits > 0;
    printf("coverage: %zu of %zu rules are hit by a test\n", hit, coverage->count);
    for (size_t i = 0; i < coverage->count; i++)
        if (coverage->rules[i].hits == 0)
            printf("  never hit: %s\n", coverage->rules[i].id);
}

int cli_test(int argc, char **argv)
{
    const char *files[FILES_MAX];
    rule_tests tests = {.files = files};
    bool is_rules[256] = {false};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (argv[i][0] == '-')
            return cli_usage_error("test", "unknown option", argv[i]);
        if (i >= (int)sizeof is_rules)
            return cli_usage_error("test", "too many files", NULL);
        is_rules[i] = tests.file_count < FILES_MAX && is_ruleset(argv[i]);
        if (is_rules[i])
            files[tests.file_count++] = argv[i];
    }
    if (argc == 1)
        return cli_usage_error("test", "no tests given", NULL);
    hg_status status = cli_rules_load(files, tests.file_count, stderr, &tests.all);
    if (status == HG_OK && rule_coverage_start(&tests)) {
        for (int i = 1; i < argc; i++)
            if (!is_rules[i])
                run_path(&tests, argv[i]);
        printf("%zu cases passed, %zu failed\n", tests.passed, tests.failed);
        print_coverage(&tests.coverage);
    } else {
        tests.broken = true;
    }
    rule_coverage_free(&tests.coverage);
    hg_waf_unref(tests.all.waf);
    return tests.broken ? 3 : tests.failed > 0 ? 1 : 0;
}
