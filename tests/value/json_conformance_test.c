/* RFC 8259, line by line: texts that a strict reader must take, and texts that it must refuse. The list is ours. Then
 * random documents against jansson, which is skipped when the library is absent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "guarded.h"
#include "hotgate/encode.h"

#include <dlfcn.h>
#include <stdio.h>

typedef struct text_case {
    const char *text;
    size_t len;
} text_case;

#define T(s) {s, sizeof(s) - 1}

static const text_case accepted[] = {
    /* section 2: any value, white space around the six structural characters */
    T("null"), T("true"), T("false"), T("0"), T("\"\""), T("[]"), T("{}"), T(" \t\r\n1\t\r\n "), T("[ 1 , 2 ]"),
    T("{ \"a\" : 1 , \"b\" : [ ] }"), T("[\n]"), T("{\t}"),
    /* section 4: objects; names need not be unique */
    T("{\"\":0}"), T("{\"a\":1,\"a\":1}"), T("{\"a\":1,\"a\":2}"), T("{\"\\u0000\":1}"), T("{\"a\":{\"a\":{\"a\":{}}}}"),
    T("{\"a b\":1,\"a\\\"b\":2}"),
    /* section 5: arrays of any mixture */
    T("[null,1,\"1\",{}]"), T("[[[[[[[[[[]]]]]]]]]]"), T("[\"\"]"), T("[[],[]]"), T("[1,null,null,null,2]"),
    /* section 6: numbers */
    T("-0"), T("-0.0"), T("1.0"), T("0.1"), T("-1"), T("123"), T("-123.456"), T("1e1"), T("1E1"), T("1e+1"), T("1E-1"),
    T("1.5e10"), T("0e1"), T("0e+1"), T("0.0e-0"), T("123456789012345678901234567890"), T("1e-400"),
    T("-123456789012345678901234567890"), T("0.000000000000000000000000000000000000000000000001"), T("1e400"), T("20e1"),
    T("9007199254740993"), T("18446744073709551615"), T("9223372036854775808"), T("-9223372036854775808"),
    /* section 7: strings */
    T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), T("\"\\u0041\\u00e9\\u4e2d\""), T("\"\\uD83D\\uDE00\""), T("\"\\ud83d\\ude00\""),
    T("\"\\u0000\""), T("\"\\uFFFF\""), T("\"\\uDBFF\\uDFFF\""), T("\"\x7f\""), T("\"/\""), T("\"'\""), T("\"\\u2028\\u2029\""),
    T("\"\xC3\xA9\""), T("\"\xE4\xB8\xAD\""), T("\"\xF0\x9F\x98\x80\""), T("\"\xE2\x80\xA8\""), T("\"\xEF\xBF\xBF\""),
    T("\"\xF4\x8F\xBF\xBF\""), T("\"\xEF\xBB\xBF\""), T("\"\\\\u0041\""), T("\"[\""), T("\"a\\u005C\\u0022b\""),
    T("\"\xC2\x80\""), T("\"\xE0\xA0\x80\""), T("\"\xED\x9F\xBF\""), T("\"\xEE\x80\x80\""),
    /* section 8.1: a byte order mark may be ignored */
    T("\xEF\xBB\xBF{}"), T("\xFF\xFE[\0]\0"), T("\xFE\xFF\0[\0]"),
};

static const text_case refused[] = {
    T(""), T(" "), T("\xEF\xBB\xBF"), T("nul"), T("nulll"), T("True"), T("TRUE"), T("nan"), T("NaN"), T("Infinity"), T("-Infinity"),
    T("undefined"), T("'a'"), T("a"), T("[1]x"), T("[1]]"), T("{}}"), T("1 2"), T("[] []"), T("\f1"), T("\v1"), T("\xC2\xA0" "1"),
    T("#"), T("// c\n1"), T("/* c */1"), T("[1]/**/"), T("\0"), T("1\0"), T("[\0]"), T("\xFF"), T("\xE2\x81\xA0[]"),
    /* arrays */
    T("["), T("]"), T("[1"), T("[1,"), T("[,"), T("[,1]"), T("[1,]"), T("[1,,2]"), T("[1 2]"), T("[1:2]"), T("[1;2]"), T("[a]"),
    T("[\"a\""), T("[\"a\" \"b\"]"), T("[1}"), T("[\"a\":1]"), T("[*]"), T("[-]"), T("[[]"), T("[\"x\"]]"), T("[1,\n1\n,1"),
    T("[{}"), T("[\"\",]"), T("[\"x\",,]"), T("[++1]"), T("[   , \"\"]"), T("[3[4]]"),
    /* objects */
    T("{"), T("}"), T("{1:1}"), T("{a:1}"), T("{'a':1}"), T("{\"a\"}"), T("{\"a\":}"), T("{\"a\":1"), T("{\"a\":1,}"), T("{,\"a\":1}"),
    T("{\"a\" 1}"), T("{\"a\",1}"), T("{\"a\":1 \"b\":2}"), T("{\"a\":1,,\"b\":2}"), T("{\"a\":1]"), T("{\"a\"::1}"), T("{\"a\":1:2}"),
    T("{null:1}"), T("{[]:1}"), T("{\"a\""), T("{\"a\":"), T("{\"a"), T("{\"a\":\"b"), T("{\"a\":1}#"), T("{\"a\":1}//"), T("{:1}"),
    T("{\"a\":1,\"b\"}"), T("{\"x\", null}"),
    /* numbers */
    T("01"), T("-01"), T("00"), T("+1"), T("-"), T("--1"), T(".5"), T("-.5"), T("1."), T("-1."), T("1.e1"), T("1e"), T("1e+"),
    T("1e-"), T("1E"), T("1.5e"), T("0x10"), T("1x"), T("1a"), T("1e1.5"), T("1e1e1"), T("1_000"), T("1,000"), T("- 1"), T("1 .0"),
    T("0.e1"), T("2.e+3"), T("9.e+"), T("0e"), T("1.0e+"), T("1+2"), T("1-2"), T("\xEF\xBC\x91"), T("012"), T("1.2.3"), T("1f"), T("0.1.2"),
    T("-2."), T("-NaN"), T("-foo"), T("1e1 1"), T("1 000.0"),
    /* strings */
    T("\""), T("\"a"), T("\"\\\""), T("\"\\"), T("\"\\a\""), T("\"\\x41\""), T("\"\\'\""), T("\"\\u\""), T("\"\\u0\""), T("\"\\u00\""),
    T("\"\\u004\""), T("\"\\u004G\""), T("\"\\U0041\""), T("\"\\ud800\""), T("\"\\udc00\""), T("\"\\ud800\\ud800\""),
    T("\"\\ud800x\""), T("\"\\ud800\\n\""), T("\"\\udc00\\ud800\""), T("\"\\uD800\\u0041\""), T("\"\\ud800\\udc0\""), T("\"\n\""), T("\"\t\""),
    T("\"\r\""), T("\"\x1f\""), T("\"\0\""), T("\"a\0b\""), T("\"\x80\""), T("\"\xBF\""), T("\"\xC0\x80\""), T("\"\xC1\xBF\""), T("\"\xC3\""),
    T("\"\xC3(\""), T("\"\xE0\x80\x80\""), T("\"\xE0\x9F\xBF\""), T("\"\xED\xA0\x80\""), T("\"\xED\xBF\xBF\""), T("\"\xE4\xB8\""),
    T("\"\xF0\x80\x80\x80\""), T("\"\xF0\x8F\xBF\xBF\""), T("\"\xF4\x90\x80\x80\""), T("\"\xF5\x80\x80\x80\""), T("\"\xFE\""), T("\"\xFF\""),
    T("\"\xF0\x9F\x98\""), T("\"\xF8\x88\x80\x80\x80\""), T("{\"\xFF\":1}"), T("{\"a\":\"\x01\"}"), T("\"\\\xC3\xA9\""), T("\"\\u\xC3\xA9\""),
};

static hg_status read_case(const text_case *c, hg_json_dialect dialect, size_t len)
{
    guarded g = guarded_new(hg_slice_of(c->text, len));
    hg_json_options options = {.dialect = dialect};
    hg_value v;
    hg_status status = hg_json_read(g.bytes, &options, &v, hg_heap(), NULL);
    hg_value_free(&v, hg_heap());
    guarded_free(&g);
    return status;
}

static void every_valid_text_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        if (read_case(&accepted[i], HG_JSON_STRICT, accepted[i].len) != HG_OK)
            fail_msg("refused: %s", accepted[i].text);
    }
}

static void every_invalid_text_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        hg_status status = read_case(&refused[i], HG_JSON_STRICT, refused[i].len);
        if (status != HG_ERR_SYNTAX && status != HG_ERR_TRUNCATED)
            fail_msg("case %zu accepted or odd status %d: %s", i, status, refused[i].text);
    }
}

/* Cutting never crashes, and the lenient reader never refuses a text of which it has seen a value. */
static void every_prefix_of_every_text_is_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        for (size_t len = 0; len <= accepted[i].len; len++) {
            for (int dialect = HG_JSON_STRICT; dialect <= HG_JSON_LENIENT; dialect++)
                read_case(&accepted[i], (hg_json_dialect)dialect, len);
        }
    }
}

/* ---- random documents ---- */

typedef struct jansson {
    void *(*load)(const char *, size_t, size_t, void *);
    char *(*dump)(const void *, size_t);
    void (*delete)(void *);
} jansson;

enum { DECODE_ANY = 4, ENCODE_ANY = 0x200, COMPACT = 0x20, ALLOW_NUL = 0x10, REAL_17 = 17 << 11 }; /* jansson.h 2.14 */

static bool jansson_open(jansson *j)
{
    void *library = dlopen("libjansson.so.4", RTLD_NOW);
    if (library == NULL)
        return false;
    *(void **)&j->load = dlsym(library, "json_loadb");
    *(void **)&j->dump = dlsym(library, "json_dumps");
    *(void **)&j->delete = dlsym(library, "json_delete");
    return j->load && j->dump && j->delete;
}

static uint32_t next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void random_string(hg_buffer *b, uint32_t *seed)
{
    static const char *const pieces[] = {"a", "key", "\\n", "\\u00e9", "\\ud83d\\ude00", "\xC3\xA9", "\xE4\xB8\xAD", " ", "\\\"", "\\\\",
                                         "a long run of plain text, ", "\\/", "\xF0\x9F\x98\x80", "0123456789abcdef"};
    hg_buffer_byte(b, '"');
    for (uint32_t n = next(seed) % 6; n > 0; n--)
        hg_buffer_append(b, hg_slice_from(pieces[next(seed) % 14]));
    hg_buffer_byte(b, '"');
}

static void random_space(hg_buffer *b, uint32_t *seed)
{
    static const char *const spaces[] = {"", "", "", " ", "\n", "\t", "\r\n  "};
    hg_buffer_append(b, hg_slice_from(spaces[next(seed) % 7]));
}

static void random_value(hg_buffer *b, uint32_t *seed, int depth)
{
    uint32_t kind = next(seed) % (depth > 6 ? 6 : 9), n = next(seed) % 6;
    random_space(b, seed);
    switch (kind) {
    case 0:
        hg_buffer_append(b, next(seed) % 2 ? HG_SLICE("true") : HG_SLICE("null"));
        break;
    case 1:
        hg_buffer_printf(b, "%d", (int)next(seed));
        break;
    case 2:
        hg_buffer_printf(b, "%s%u.%ue%d", next(seed) % 2 ? "-" : "", next(seed) % 1000, next(seed), (int)(next(seed) % 40) - 20);
        break;
    case 3:
        hg_buffer_printf(b, "-%u%u", 1 + next(seed) % 9, next(seed) % 1000000);
        break;
    case 4:
    case 5:
        random_string(b, seed);
        break;
    case 6:
    case 7:
        hg_buffer_byte(b, '{');
        for (uint32_t i = 0; i < n; i++) {
            hg_buffer_append(b, i ? HG_SLICE(",") : HG_SLICE(""));
            random_space(b, seed);
            hg_buffer_printf(b, "\"k%u%s\"", i, next(seed) % 2 ? "\\u0041" : "");
            random_space(b, seed);
            hg_buffer_byte(b, ':');
            random_value(b, seed, depth + 1);
        }
        hg_buffer_byte(b, '}');
        break;
    default:
        hg_buffer_byte(b, '[');
        for (uint32_t i = 0; i < n; i++) {
            hg_buffer_append(b, i ? HG_SLICE(",") : HG_SLICE(""));
            random_value(b, seed, depth + 1);
        }
        hg_buffer_byte(b, ']');
    }
    random_space(b, seed);
}

/* Damages one byte now and then. */
static void damage(hg_buffer *b, uint32_t *seed)
{
    if (next(seed) % 2 == 0 && b->len > 0)
        b->ptr[next(seed) % b->len] = "[]{}\",:0e.\\x"[next(seed) % 12];
}

/* One document through both: the same verdict, and the same tree. */
static void compare(const jansson *j, const hg_buffer *text)
{
    hg_value mine, theirs;
    hg_limits limits = hg_limits_of(HG_LIMITS_NONE);
    limits.duplicates = HG_DUPLICATES_LAST; /* as jansson has it */
    hg_json_options options = {.limits = &limits};
    hg_status status = hg_json_read(hg_slice_of(text->ptr, text->len), &options, &mine, hg_heap(), NULL);
    void *root = j->load(text->ptr, text->len, DECODE_ANY | ALLOW_NUL, NULL);
    if ((status == HG_OK) != (root != NULL)) {
        /* jansson refuses numbers that overflow; we keep their text */
        if (root == NULL && memmem(text->ptr, text->len, "e", 1) != NULL && status == HG_OK) {
            hg_value_free(&mine, hg_heap());
            return;
        }
        fail_msg("status %d, jansson %s: %.*s", status, root ? "accepts" : "refuses", (int)text->len, text->ptr);
    }
    if (root == NULL)
        return;
    char *dump = j->dump(root, ENCODE_ANY | COMPACT | REAL_17);
    assert_int_equal(hg_json_read(hg_slice_from(dump), NULL, &theirs, hg_heap(), NULL), HG_OK);
    if (!hg_value_equal(&mine, &theirs))
        fail_msg("%.*s\nis for jansson\n%s", (int)text->len, text->ptr, dump);
    free(dump);
    j->delete(root);
    hg_value_free(&mine, hg_heap());
    hg_value_free(&theirs, hg_heap());
}

static void random_documents_read_as_by_jansson(void **state)
{
    (void)state;
    jansson j = {NULL, NULL, NULL};
    if (!jansson_open(&j)) {
        print_message("skipped: libjansson.so.4 is not installed\n");
        skip();
    }
    const char *wanted = getenv("SEED");
    uint32_t seed = wanted ? (uint32_t)atol(wanted) | 1 : 12345;
    for (int i = 0; i < 20000; i++) {
        hg_buffer text = {0};
        random_value(&text, &seed, 0);
        if (i % 3 == 0)
            damage(&text, &seed);
        compare(&j, &text);
        hg_buffer_free(&text);
    }
}

/* ---- writing ---- */

static void what_is_written_reads_back_equal(void **state)
{
    (void)state;
    uint32_t seed = 99;
    for (int i = 0; i < 3000; i++) {
        hg_buffer text = {0}, json = {0};
        hg_value v, back;
        random_value(&text, &seed, 0);
        assert_int_equal(hg_json_read(hg_slice_of(text.ptr, text.len), NULL, &v, hg_heap(), NULL), HG_OK);
        hg_json_write(&v, (i % 2 ? HG_JSON_PRETTY : 0) | (i % 3 ? HG_JSON_ASCII : 0), &json);
        assert_int_equal(hg_json_read(hg_slice_of(json.ptr, json.len), NULL, &back, hg_heap(), NULL), HG_OK);
        assert_true(hg_value_equal(&v, &back));
        hg_value_free(&v, hg_heap());
        hg_value_free(&back, hg_heap());
        hg_buffer_free(&text);
        hg_buffer_free(&json);
    }
}

static void expect_written(const hg_value *v, unsigned flags, const char *expected)
{
    hg_buffer json = {0};
    hg_json_write(v, flags, &json);
    hg_buffer_byte(&json, 0);
    assert_string_equal(json.ptr, expected);
    hg_buffer_free(&json);
}

static void texts_and_floats_are_written_by_the_flags(void **state)
{
    (void)state;
    hg_value v;
    hg_set_borrowed(&v, HG_SLICE("\xff\x01\"\\é😀"));
    expect_written(&v, 0, "\"\xEF\xBF\xBD\\u0001\\\"\\\\é😀\"");
    expect_written(&v, HG_JSON_ASCII, "\"\\ufffd\\u0001\\\"\\\\\\u00e9\\ud83d\\ude00\"");
    hg_set_float(&v, 1);
    expect_written(&v, 0, "1.0");
    expect_written(&v, HG_JSON_PLAIN_FLOATS, "1");
    hg_set_float(&v, 1e300);
    expect_written(&v, 0, "1e+300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_valid_text_is_accepted),
        cmocka_unit_test(every_invalid_text_is_refused),
        cmocka_unit_test(every_prefix_of_every_text_is_survived),
        cmocka_unit_test(random_documents_read_as_by_jansson),
        cmocka_unit_test(what_is_written_reads_back_equal),
        cmocka_unit_test(texts_and_floats_are_written_by_the_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
