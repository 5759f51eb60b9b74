/* Detectors by themselves, asked about one resource and a list of parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "waf/operators/operator.h"

enum { PARAMS_MAX = 4 };

typedef struct question {
    hg_detect detect; /* first, so that the callbacks find the rest */
    const char *const *params;
    size_t next;
    size_t asked; /* for the time */
    size_t time;  /* how often there is some left */
} question;

static bool next_param(hg_detect *d, size_t object, hg_slice *param)
{
    question *q = (question *)d;
    assert_int_equal(object, 0);
    if (q->next == PARAMS_MAX || q->params[q->next] == NULL)
        return false;
    *param = hg_slice_from(q->params[q->next++]);
    return true;
}

static void mark_param(hg_detect *d)
{
    d->marked = true;
}

static bool out_of_time(hg_detect *d)
{
    question *q = (question *)d;
    return q->asked++ >= q->time;
}

static hg_arena arena;

/* "highlight in resource", or "no". */
static const char *answer(const char *name, const char *resource_json, const char *db_type, const char *const *params,
                          size_t time)
{
    static char shown[256];
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_value resource, database;
    assert_int_equal(hg_json_read(hg_slice_from(resource_json), &options, &resource, hg_arena_allocator(&arena), NULL),
                     HG_OK);
    hg_set_literal(&database, hg_slice_from(db_type));
    hg_match_env env = {.arena = &arena};
    question q = {.params = params, .time = time};
    q.detect = (hg_detect){.resource = &resource, .db_type = &database, .object_count = 1, .env = &env,
                           .next = next_param, .mark = mark_param, .expired = out_of_time};
    const hg_operator *op = hg_operator_find(hg_slice_from(name));
    assert_non_null(op);
    if (!op->detect(NULL, &q.detect))
        return "no";
    assert_true(q.detect.marked);
    snprintf(shown, sizeof shown, "%.*s in %.*s", (int)q.detect.highlight.len, q.detect.highlight.ptr,
             (int)q.detect.resource_text.len, q.detect.resource_text.ptr);
    return shown;
}

#define PARAMS(...) ((const char *const[PARAMS_MAX]){__VA_ARGS__})
#define ANSWER(name, resource, ...) answer(name, resource, "mysql", PARAMS(__VA_ARGS__), SIZE_MAX)

static void files(void **state)
{
    (void)state;
    assert_string_equal(ANSWER("lfi_detector", "\"/var/www/../../etc/passwd\"", "x", "../../etc/passwd"),
                        "../../etc/passwd in /var/www/../../etc/passwd");
    assert_string_equal(ANSWER("lfi_detector", "\"/a/b/c\"", "b/c"), "no");
}

static void statements(void **state)
{
    (void)state;
    assert_string_equal(ANSWER("sqli_detector", "\"SELECT * FROM t WHERE id=1 OR 1\"", "SELECT", "1 OR 1"),
                        "1 OR 1 in SELECT * FROM t WHERE id=? OR ?");
    assert_string_equal(ANSWER("sqli_detector", "\"SELECT * FROM t WHERE id=1\"", "SELECT", "id", "1"), "no");
    assert_string_equal(ANSWER("sqli_detector", "\"SELECT \\\\ FROM t WHERE id=1 OR 1\"", "1 OR 1"), "no");
}

static void command_lines(void **state)
{
    (void)state;
    assert_string_equal(ANSWER("shi_detector", "\"ls -l; cat /etc/passwd\"", "; cat /etc/passwd"),
                        "; cat /etc/passwd in ls -l; cat /etc/passwd");
    assert_string_equal(ANSWER("shi_detector", "[\"ls\",\"-l\",\"a b\"]", "-l a"), "no");
    assert_string_equal(ANSWER("shi_detector", "[\"ls\",5,\"\",\"a; id\"]", "; id"), "; id in ls a; id");
    assert_string_equal(ANSWER("shi_detector", "[]", "; id"), "no");
}

static void argument_vectors(void **state)
{
    (void)state;
    assert_string_equal(ANSWER("cmdi_detector", "[\"bash\",\"-c\",5,\"ls; id\"]", "ls; id"),
                        "ls; id in bash \"-c\" \"\" \"ls; id\"");
    assert_string_equal(ANSWER("cmdi_detector", "[\"/usr/bin/ls\",\"-l\"]", " /usr/bin/ls "),
                        "/usr/bin/ls in /usr/bin/ls \"-l\"");
    assert_string_equal(ANSWER("cmdi_detector", "[\"ls\",\"-l\"]", "ls"), "no");
    assert_string_equal(ANSWER("cmdi_detector", "[5,\"-l\"]", "5"), "no");
    assert_string_equal(ANSWER("cmdi_detector", "[]", "x"), "no");
}

static void time_is_looked_at_for_each_occurrence(void **state)
{
    (void)state;
    const char *const *params = PARAMS("echo", "echo", "; id");
    assert_string_equal(answer("shi_detector", "\"echo echo; id\"", "", params, 4), "no");
    assert_string_equal(answer("shi_detector", "\"echo echo; id\"", "", params, 5), "; id in echo echo; id");
}

static int open_arena(void **state)
{
    (void)state;
    hg_arena_init(&arena, NULL);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    hg_arena_close(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(statements),
        cmocka_unit_test(command_lines),
        cmocka_unit_test(argument_vectors),
        cmocka_unit_test(time_is_looked_at_for_each_occurrence),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
