#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guarded.h"
#include "text/rasp/sql_injection.h"

static const char *const names[] = {
    [HG_SQL_NONE] = "none",
    [HG_SQL_KEYWORD] = "kw",
    [HG_SQL_IDENTIFIER] = "id",
    [HG_SQL_NUMBER] = "num",
    [HG_SQL_SINGLE_QUOTED] = "str",
    [HG_SQL_DOUBLE_QUOTED] = "dstr",
    [HG_SQL_DOLLAR_QUOTED] = "$str",
    [HG_SQL_BACK_QUOTED] = "bstr",
    [HG_SQL_ASTERISK] = "star",
    [HG_SQL_LINE_COMMENT] = "comment",
    [HG_SQL_INLINE_COMMENT] = "inline",
    [HG_SQL_COMMA] = "comma",
    [HG_SQL_DOT] = "dot",
    [HG_SQL_COLON] = "colon",
    [HG_SQL_QUESTION_MARK] = "qmark",
    [HG_SQL_QUERY_END] = "end",
    [HG_SQL_BINARY_OPERATOR] = "op",
    [HG_SQL_BITWISE_OPERATOR] = "bit",
    [HG_SQL_ARRAY_OPEN] = "array",
    [HG_SQL_ARRAY_CLOSE] = "/array",
    [HG_SQL_CURLY_OPEN] = "curly",
    [HG_SQL_CURLY_CLOSE] = "/curly",
};

/* "type:text type:text ...", or "refused". */
static const char *tokens_of(hg_sql_dialect dialect, const char *sql)
{
    static char shown[512];
    size_t used = 0;
    guarded g = guarded_new(hg_slice_from(sql));
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_sql_token *tokens;
    size_t count;
    shown[0] = 0;
    if (hg_sql_tokenize(g.bytes, dialect, &arena, &tokens, &count) != HG_OK)
        snprintf(shown, sizeof shown, "refused");
    for (size_t i = 0; i < count && used < sizeof shown; i++) {
        hg_slice text = hg_sql_text(g.bytes, &tokens[i]);
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s:%.*s", i ? " " : "", names[tokens[i].type],
                                 (int)text.len, text.ptr);
    }
    hg_arena_close(&arena);
    guarded_free(&g);
    return shown;
}

#define MYSQL(sql, want) assert_string_equal(tokens_of(HG_SQL_MYSQL, sql), want)
#define POSTGRESQL(sql, want) assert_string_equal(tokens_of(HG_SQL_POSTGRESQL, sql), want)
#define SQLITE(sql, want) assert_string_equal(tokens_of(HG_SQL_SQLITE, sql), want)
#define GENERIC(sql, want) assert_string_equal(tokens_of(HG_SQL_GENERIC, sql), want)

static void statements_fall_into_tokens(void **state)
{
    (void)state;
    GENERIC("", "");
    GENERIC("SELECT a, b.c FROM `t` WHERE x='it''s' AND y<>\"q\"",
            "kw:SELECT id:a comma:, id:b dot:. id:c kw:FROM bstr:`t` kw:WHERE id:x op:= str:'it''s' op:AND id:y op:<> "
            "id:\"q\"");
    GENERIC("(a)", "id:a");
    GENERIC("a\\b", "refused");
    GENERIC("a # b\nc -- d", "id:a comment:# b id:c comment:-- d");
    GENERIC("selecting ORDER_BY by", "id:selecting id:ORDER_BY kw:by");
    GENERIC("10/2", "num:10 op:/");
    GENERIC("/*/ x */ y", "inline:/*/ x */ id:y");
    GENERIC("0x1F 0b10 0o7 1_0.5e-3 1__2 3x", "num:0x1F num:0b10 num:0o7 num:1_0.5e-3 id:__2 id:x");
    GENERIC("'open", "str:'open");
}

static void mysql_has_its_own_ways(void **state)
{
    (void)state;
    MYSQL("a--1", "id:a op:- num:-1");
    MYSQL("1-1", "num:1 op:- num:1");
    MYSQL("a+1", "id:a num:+1");
    MYSQL("12abc", "id:12abc");
    MYSQL("1.5.2", "num:1.5 dot:. num:2");
    MYSQL("/*c*/1/*!2*/", "inline:/*c*/ num:1 num:2");
    MYSQL("a'b\\'c' d", "id:a str:'b\\'c' id:d");
    MYSQL("a::int", "id:a colon:: colon:: id:int");
    MYSQL("-- x", "comment:-- x");
    MYSQL("@a.`b c` @@x @'q' @ y", "id:@a.`b c` id:@@x id:@'q' id:y");
    MYSQL("x'1F' a->>b a&&b a^&b", "num:'1F' id:a op:->> id:b id:a op:&& id:b id:a op:^& id:b");
    MYSQL("{d}", "curly:{ id:d /curly:}");
    MYSQL("[x]", "refused");
    MYSQL("\"d\"", "dstr:\"d\"");
}

static void postgresql_has_its_own_ways(void **state)
{
    (void)state;
    POSTGRESQL("a--1", "id:a comment:--1");
    POSTGRESQL("1-1", "num:1 op:- num:1");
    POSTGRESQL("a+1", "id:a num:+1");
    POSTGRESQL("12abc", "id:abc");
    POSTGRESQL("/*c*/1/*!2*/", "inline:/*c*/ num:1 inline:/*!2*/");
    POSTGRESQL("a'b\\'c' d", "id:a str:'b\\' id:c str:' d");
    POSTGRESQL("a::int", "id:a kw::: id:int");
    POSTGRESQL("$$a'b$$ $t$x$t$ $1", "$str:$$a'b$$ $str:$t$x$t$ id:$1");
    POSTGRESQL("u&'a' U&\"b\" e'c\\'d' b'1'", "str:'a' id:\"b\" str:'c\\'d' num:'1'");
    POSTGRESQL("a[1] @> b @@ c ? d", "id:a array:[ num:1 /array:] op:@> id:b op:@@ id:c op:? id:d");
    POSTGRESQL("a `b`", "refused");
}

static void sqlite_has_its_own_ways(void **state)
{
    (void)state;
    SQLITE("a == b", "id:a op:= op:= id:b");
    SQLITE("x GLOB 'y' COLLATE z", "id:x op:GLOB str:'y' op:COLLATE id:z");
    SQLITE("[x]", "refused");
    SQLITE("[x", "id:[x");
    SQLITE("$1", "id:$1");
    SQLITE("a ! b", "refused");
    SQLITE("`n`", "id:`n`");
}

static void words_end_at_boundaries_only(void **state)
{
    (void)state;
    GENERIC("caf\xC3\xA9 x", "id:caf\xC3\xA9 id:x");
    GENERIC("caf\xC3\xA9;x", "id:caf end:; id:x");
    GENERIC("\xC3\xA9;", "end:;");
    GENERIC("\xF0\x9F\x98\x80 x", "id:x");
    GENERIC("\xC5\xBF" "elect x", "kw:\xC5\xBF" "elect id:x");
}

static bool injected(hg_sql_dialect dialect, const char *sql, const char *param)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_sql_statement s;
    const char *at = strstr(sql, param);
    assert_non_null(at);
    bool answer = hg_sql_statement_init(&s, hg_slice_from(sql), dialect, &arena) == HG_OK &&
                  hg_sql_is_injected(&s, (size_t)(at - sql), (size_t)(at - sql) + strlen(param));
    hg_arena_close(&arena);
    return answer;
}

static void structure_in_a_parameter_is_an_injection(void **state)
{
    (void)state;
    assert_true(injected(HG_SQL_GENERIC, "SELECT * FROM t WHERE id=1 UNION SELECT 2", "1 UNION SELECT 2"));
    assert_true(injected(HG_SQL_GENERIC, "SELECT * FROM t WHERE 1 OR 1", "1 OR 1"));
    assert_true(injected(HG_SQL_MYSQL, "SELECT * FROM t WHERE a=1 -- rest", "1 -- rest"));
    assert_false(injected(HG_SQL_GENERIC, "SELECT * FROM t WHERE id IN (1,2,3,4)", "1,2,3,4"));
    assert_false(injected(HG_SQL_GENERIC, "SELECT * FROM t WHERE name='a or b'", "a or b"));
    assert_false(injected(HG_SQL_GENERIC, "SELECT * FROM t ORDER BY a.b DESC, 2 LIMIT 5", "a.b DESC, 2 LIMIT 5"));
    assert_true(injected(HG_SQL_GENERIC, "SELECT * FROM t ORDER BY a.b DESC, 2 FROM 5", "a.b DESC, 2 FROM 5"));
    assert_false(injected(HG_SQL_GENERIC, "SELECT a + b FROM t", "a + b"));
    assert_false(injected(HG_SQL_GENERIC, "SELECT 'a\\", "'a\\"));
}

static const char *redacted(hg_sql_dialect dialect, const char *sql)
{
    static char shown[128];
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_sql_statement s;
    assert_int_equal(hg_sql_statement_init(&s, hg_slice_from(sql), dialect, &arena), HG_OK);
    hg_slice text = hg_sql_redacted(&s, &arena);
    snprintf(shown, sizeof shown, "%.*s", (int)text.len, text.ptr);
    hg_arena_close(&arena);
    return shown;
}

static void literals_are_left_out_of_reports(void **state)
{
    (void)state;
    assert_string_equal(redacted(HG_SQL_GENERIC, "SELECT 'a', 12 FROM `t`"), "SELECT ?, ? FROM ?");
    assert_string_equal(redacted(HG_SQL_POSTGRESQL, "SELECT e'abc'"), "SELECT ?'");
    assert_string_equal(redacted(HG_SQL_MYSQL, "SELECT \"x\" FROM `t`"), "SELECT ? FROM `t`");
}

static void dialects_are_known_by_name(void **state)
{
    (void)state;
    assert_int_equal(hg_sql_dialect_of(HG_SLICE("MySQL2")), HG_SQL_MYSQL);
    assert_int_equal(hg_sql_dialect_of(HG_SLICE("pgsql")), HG_SQL_POSTGRESQL);
    assert_int_equal(hg_sql_dialect_of(HG_SLICE("sqlite")), HG_SQL_SQLITE);
    assert_int_equal(hg_sql_dialect_of(HG_SLICE("oracle")), HG_SQL_GENERIC);
    assert_int_equal(hg_sql_dialect_of(HG_SLICE("")), HG_SQL_GENERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_fall_into_tokens),
        cmocka_unit_test(mysql_has_its_own_ways),
        cmocka_unit_test(postgresql_has_its_own_ways),
        cmocka_unit_test(sqlite_has_its_own_ways),
        cmocka_unit_test(words_end_at_boundaries_only),
        cmocka_unit_test(structure_in_a_parameter_is_an_injection),
        cmocka_unit_test(literals_are_left_out_of_reports),
        cmocka_unit_test(dialects_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
