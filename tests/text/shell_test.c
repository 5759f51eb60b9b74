#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guarded.h"
#include "text/rasp/command.h"
#include "text/rasp/lfi.h"
#include "text/rasp/occurrences.h"
#include "text/rasp/shell_injection.h"

static const char *const names[] = {
    "blank", "exe",    "field",  "var",   "def",   "eq",    "ctl",   "redir", "sq",   "dq",  "arith", "q(",
    ")q",    "arith(", ")arith", "par(",  ")par",  "file(", ")file", "arr(",  ")arr", "bt(", ")bt",   "cmd(",
    ")cmd",  "proc(",  ")proc",  "comp(", ")comp", "sub(",  ")sub",  "(",     ")",    "{",   "}",
};

/* "type:text type:text ..."; blanks inside texts are shown as they are. */
static const char *tokens_of(const char *line)
{
    static char shown[512];
    size_t used = 0;
    guarded g = guarded_new(hg_slice_from(line));
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_shell_token *tokens;
    size_t count;
    assert_int_equal(hg_shell_tokenize(g.bytes, &arena, &tokens, &count), HG_OK);
    shown[0] = 0;
    for (size_t i = 0; i < count && used < sizeof shown; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s:%.*s", i ? " " : "", names[tokens[i].type],
                                 (int)tokens[i].len, g.bytes.ptr + tokens[i].at);
    hg_arena_close(&arena);
    guarded_free(&g);
    return shown;
}

static void command_lines_fall_into_tokens(void **state)
{
    (void)state;
    assert_string_equal(tokens_of(""), "");
    assert_string_equal(tokens_of("A=1 B=2 cmd x"), "def:A eq:= field:1 def:B eq:= field:2 exe:cmd field:x");
    assert_string_equal(tokens_of("echo \"a $(id) b\""), "exe:echo q(:\" cmd(:$( exe:id )cmd:) )q:\"");
    assert_string_equal(tokens_of("\"$x\""), "exe:\"$x\"");
    assert_string_equal(tokens_of("x=(1 2) y"), "def:x eq:= field:(1 2) exe:y");
    assert_string_equal(tokens_of("if ls; then id"), "exe:if field:ls ctl:; exe:then field:id");
    assert_string_equal(tokens_of("\"a\\\"b\" c"), "q(:\"");
    assert_string_equal(tokens_of("$(< f)"), "redir:$(< f)");
    assert_string_equal(tokens_of("! ls"), "ctl:! exe:ls");
    assert_string_equal(tokens_of("x= ls"), "def:x eq:= exe:ls");
    assert_string_equal(tokens_of("ls 2>file"), "exe:ls redir:2> field:ile");
    assert_string_equal(tokens_of("ls\\;id"), "exe:ls\\ ctl:; exe:id");
    assert_string_equal(tokens_of(" (ls)"), "(:( exe:ls ):)");
    assert_string_equal(tokens_of("(ls)"), "sub(:( exe:ls )sub:)");
    assert_string_equal(tokens_of("{ ls; }"), "comp(:{ exe:ls ctl:; )comp:}");
    assert_string_equal(tokens_of("a `b` c"), "exe:a bt(:` exe:b )bt:` field:c");
    assert_string_equal(tokens_of("a <(b) >>c &>d 2>&1-"),
                        "exe:a proc(:<( exe:b )proc:) redir:>> field:c redir:&> field:d "
                        "redir:2>&1-");
    assert_string_equal(tokens_of("a >& b <&- c"), "exe:a redir:>& field:b redir:<&- field:c");
    assert_string_equal(tokens_of("$((1+2)) ${x} $[3]"), "arith:$((1+2)) exe:${x} arith:$[3]");
    assert_string_equal(tokens_of("a 'b c' $1x $ab"), "exe:a sq:'b c' var:$1 field:x var:$ab");
}

static bool injected(const char *text, const char *param)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_shell_line line;
    assert_int_equal(hg_shell_line_init(&line, hg_slice_from(text), &arena), HG_OK);
    const char *at = strstr(text, param);
    assert_non_null(at);
    bool answer = hg_shell_is_injected(&line, (size_t)(at - text), (size_t)(at - text) + strlen(param));
    hg_arena_close(&arena);
    return answer;
}

static void commands_in_a_parameter_are_an_injection(void **state)
{
    (void)state;
    assert_true(injected("ls -l; cat /etc/passwd", "; cat /etc/passwd"));
    assert_true(injected("ls $(cat x)", "$(cat x)"));
    assert_false(injected("cat file", "file"));
    assert_true(injected("ls", "ls"));
    assert_true(injected("echo a > b", "> b"));
    assert_false(injected("echo \"x\"", "\"x\""));
    assert_false(injected("cat a b", "a b"));
    assert_true(injected("ls -a", "ls -")); /* a part of the last token counts */
    assert_false(injected("X=1", "X=1"));
    assert_false(injected("ls -l a b", "-l a"));
}

typedef struct argv {
    const char *items[8];
    size_t count;
} argv;

static hg_slice argument(const void *state, size_t i)
{
    return hg_slice_from(((const argv *)state)->items[i]);
}

static const char *command_in(const argv *a)
{
    static char shown[64];
    hg_slice line;
    if (!hg_command_find(hg_command_base(argument(a, 0)), a, a->count, argument, &line))
        return "none";
    snprintf(shown, sizeof shown, "%.*s", (int)line.len, line.ptr);
    return shown;
}

#define ARGV(...) (&(const argv){{__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)})

static void the_command_of_a_shell_is_found(void **state)
{
    (void)state;
    assert_string_equal(command_in(ARGV("sh", "-c", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("/bin/bash", "-xc", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("bash", "ls; id")), "none");
    assert_string_equal(command_in(ARGV("ksh", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("bash", "-O", "c", "ls; id")), "none");
    assert_string_equal(command_in(ARGV("bash", "--rcfile", "f", "-c", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("fish", "--command=ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("fish", "--command='ls; id'")), "ls; id");
    assert_string_equal(command_in(ARGV("pwsh", "/CoMMand", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("bash", "-c", "--", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("bash", "+c", "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("bash", "-c", NULL, "ls; id")), "ls; id");
    assert_string_equal(command_in(ARGV("env", "bash", "-c", "ls; id")), "none");
    assert_string_equal(command_in(ARGV("sh", "-c")), "none");
}

static void a_path_that_climbs_out_is_an_inclusion(void **state)
{
    (void)state;
    assert_true(hg_lfi_is_injected(HG_SLICE("/var/www/../../etc/passwd"), HG_SLICE("../../etc/passwd")));
    assert_true(hg_lfi_is_injected(HG_SLICE("/etc/passwd"), HG_SLICE("/etc/passwd")));
    assert_false(hg_lfi_is_injected(HG_SLICE("/var/etc/passwd"), HG_SLICE("/etc/passwd")));
    assert_true(hg_lfi_is_injected(HG_SLICE("/x/abc/.."), HG_SLICE("abc/..")));
    assert_false(hg_lfi_is_injected(HG_SLICE("/x/a/.."), HG_SLICE("a/..")));
    assert_false(hg_lfi_is_injected(HG_SLICE("/x/abc../d"), HG_SLICE("abc../d")));
    assert_false(hg_lfi_is_injected(HG_SLICE("/a/b/c"), HG_SLICE("b/c")));
    assert_false(hg_lfi_is_injected(HG_SLICE(""), HG_SLICE("")));
}

/* Against comparing at every position. */
static void every_occurrence_is_found_in_order(void **state)
{
    (void)state;
    srand(9);
    for (int round = 0; round < 3000; round++) {
        char text[400];
        size_t len = 1 + (size_t)rand() % sizeof text;
        int period = 1 + rand() % 40;
        for (size_t i = 0; i < len; i++)
            text[i] = i >= (size_t)period && rand() % 50 ? text[i - (size_t)period] : (char)('a' + rand() % 2);
        size_t begin = (size_t)rand() % len;
        hg_slice needle = hg_slice_of(text + begin, 1 + (size_t)rand() % (len - begin));
        hg_arena arena;
        hg_arena_init(&arena, NULL);
        hg_occurrences o = hg_occurrences_of(needle, hg_slice_of(text, len), &arena);
        for (size_t i = 0; i + needle.len <= len; i++) {
            if (memcmp(text + i, needle.ptr, needle.len) != 0)
                continue;
            size_t at;
            assert_true(hg_occurrences_next(&o, &at));
            assert_int_equal(at, i);
        }
        size_t at;
        assert_false(hg_occurrences_next(&o, &at));
        hg_occurrences_end(&o);
        hg_arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_fall_into_tokens),
        cmocka_unit_test(commands_in_a_parameter_are_an_injection),
        cmocka_unit_test(the_command_of_a_shell_is_found),
        cmocka_unit_test(a_path_that_climbs_out_is_an_inclusion),
        cmocka_unit_test(every_occurrence_is_found_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
