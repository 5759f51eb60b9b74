/* Kind injection: verdicts, fingerprints, attempts, tokens and contexts of the SQL and HTML detectors. Files are
 * tables of tab-separated columns under a header line; inputs are JSON strings whose code points are bytes.
 * Built a second time for the stock profile, it reads the columns that hold the stock library's answers. */
#include "conformance/conformance.h"
#include "hotgate/value.h"
#include "text/sqli/sqli.h"
#include "text/xss/xss.h"

#include <stdio.h>

enum { COLUMNS = 32, ATTEMPTS_SIZE = 128 };

typedef struct table {
    hg_slice names[COLUMNS];
    hg_slice cells[COLUMNS]; /* of the present row */
    size_t count;
    hg_arena arena; /* what the present row needs */
    bool failed;    /* the present row */
    conformance_tally *tally;
} table;

static size_t split(hg_slice line, hg_slice cells[COLUMNS])
{
    size_t count = 0;
    while (count < COLUMNS) {
        const char *tab = line.len > 0 ? memchr(line.ptr, '\t', line.len) : NULL;
        size_t len = tab ? (size_t)(tab - line.ptr) : line.len;
        cells[count++] = hg_slice_take(line, len);
        if (tab == NULL)
            break;
        line = hg_slice_skip(line, len + 1);
    }
    return count;
}

static bool has(const table *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (hg_slice_equal(t->names[i], hg_slice_from(name)))
            return true;
    return false;
}

static hg_slice cell(const table *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (hg_slice_equal(t->names[i], hg_slice_from(name)))
            return t->cells[i];
    return (hg_slice){NULL, 0};
}

/* The columns that hold what this build's profile must give. */
static const char *column(const char *shipped, const char *stock)
{
    return HG_STOCK ? stock : shipped;
}

/* Turns the code points of a JSON string into bytes, in place. */
static hg_slice to_bytes(hg_slice text)
{
    unsigned char *s = (unsigned char *)text.ptr;
    size_t used = 0;
    for (size_t i = 0; i < text.len; i++) {
        if ((s[i] & 0xE0) == 0xC0 && i + 1 < text.len) {
            s[used++] = (unsigned char)(s[i] << 6 | (s[i + 1] & 0x3F));
            i++;
        } else {
            s[used++] = s[i];
        }
    }
    return hg_slice_of(text.ptr, used);
}

static bool read_json(table *t, const char *name, hg_value *value)
{
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    return hg_json_read(cell(t, name), &options, value, hg_arena_allocator(&t->arena), NULL) == HG_OK;
}

/* The bytes that a JSON string stands for; value must outlive them. */
static hg_slice read_bytes(table *t, const char *name, hg_value *value)
{
    if (!read_json(t, name, value) || !hg_is_string(value))
        return (hg_slice){NULL, 0};
    return to_bytes(hg_value_string(value));
}

/* One check of the present row, which is one case: it fails once at most. */
static void verdict(table *t, bool ok, const char *what, hg_slice expected, hg_slice got)
{
    hg_slice id = cell(t, "id"), input = cell(t, "input");
    if (ok || t->failed)
        return;
    t->failed = true;
    conformance_fail(t->tally, id, "%s '%.*s', not '%.*s', for %.*s", what, (int)got.len, got.ptr, (int)expected.len,
                     expected.ptr, (int)(input.len < 300 ? input.len : 300), input.ptr);
}

static void compare(table *t, const char *what, const char *name, hg_slice got)
{
    hg_slice expected = cell(t, name);
    verdict(t, hg_slice_equal(expected, got), what, expected, got);
}

/* ---- Whole inputs ---- */

static char context_letter(char quote)
{
    return quote == 0 ? 'n' : quote == '\'' ? 's' : quote == '"' ? 'd' : 'b';
}

/* "nA=1s1s1;sA=s&sos*": the attempts made, with ; and = of fingerprints as %3b and %3d. */
static void describe_attempts(hg_slice input, char out[ATTEMPTS_SIZE])
{
    hg_sqli_detection d;
    size_t used = 0;
    out[0] = '\0';
    hg_sqli_begin(&d, input);
    while (hg_sqli_step(&d)) {
        used += (size_t)snprintf(out + used, ATTEMPTS_SIZE - used, "%s%c%c=", used ? ";" : "",
                                 context_letter(d.attempt.scan.quote), d.attempt.scan.mysql ? 'M' : 'A');
        for (const char *c = d.attempt.fingerprint; *c != '\0'; c++)
            used += (size_t)snprintf(out + used, ATTEMPTS_SIZE - used, *c == ';' || *c == '=' ? "%%%02x" : "%c", *c);
        if (d.attempt.positive)
            used += (size_t)snprintf(out + used, ATTEMPTS_SIZE - used, "*");
    }
}

static void check_sqli(table *t, hg_slice input)
{
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE], attempts[ATTEMPTS_SIZE];
    bool found = hg_sqli(input, fingerprint);
    compare(t, "verdict", column("sqli", "deb_sqli"), hg_slice_from(found ? "1" : "0"));
    compare(t, "fingerprint", column("fingerprint", "deb_fingerprint"), hg_slice_from(fingerprint));
    if (HG_STOCK || !has(t, "attempts"))
        return;
    describe_attempts(input, attempts);
    compare(t, "attempts", "attempts", hg_slice_from(attempts));
}

static void check_xss(table *t, hg_slice input)
{
    char bits[HG_HTML_CONTEXTS + 1] = "";
    const char *contexts = column(has(t, "contexts") ? "contexts" : "xss_contexts", "deb_contexts");
    compare(t, "verdict", column("xss", "deb_xss"), hg_slice_from(hg_xss(input) ? "1" : "0"));
    for (int i = 0; i < HG_HTML_CONTEXTS; i++)
        bits[i] = hg_xss_in(input, (hg_html_context)i) ? '1' : '0';
    if (has(t, contexts))
        compare(t, "contexts", contexts, hg_slice_from(bits));
}

static void run_verdicts(table *t)
{
    hg_value value;
    hg_slice input = read_bytes(t, "input", &value);
    if (has(t, "sqli"))
        check_sqli(t, input);
    if (has(t, "xss"))
        check_xss(t, input);
}

/* ---- SQL in detail ---- */

static bool is_mark(const hg_value *mark, char c)
{
    hg_slice text = hg_value_string(mark);
    return c == 0 ? text.len == 0 : text.len == 1 && text.ptr[0] == c;
}

/* Is the token [type, start, length, opening mark, closing mark, at-count, text]? */
static bool is_token(const hg_value *expected, const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    const hg_value *items = hg_array_items(expected);
    if (hg_value_size(expected) != 7)
        return false;
    return is_mark(&items[0], token->type) && (uint64_t)items[1].i64.val == token->start &&
           (uint64_t)items[2].i64.val == token->len && is_mark(&items[3], token->open) &&
           is_mark(&items[4], token->close) && (uint64_t)items[5].i64.val == token->ats &&
           hg_slice_equal(to_bytes(hg_value_string(&items[6])), hg_sqli_text(scan, token));
}

static void check_raw(table *t, hg_slice input, char quote, bool mysql)
{
    hg_sqli_scan scan;
    hg_sqli_token token;
    hg_value expected;
    size_t count = 0;
    bool ok = read_json(t, "raw_tokens", &expected);
    hg_sqli_scan_start(&scan, input, quote, mysql);
    for (; hg_sqli_next(&scan, &token); count++)
        ok = ok && count < hg_value_size(&expected) && is_token(&hg_array_items(&expected)[count], &scan, &token);
    verdict(t, ok && count == hg_value_size(&expected), "raw tokens", cell(t, "raw_tokens"), hg_slice_from("others"));
    compare(t, "stop", "stop", hg_slice_from(scan.illegal ? "illegal" : "end"));
}

static void check_folded(table *t, hg_slice input, char quote, bool mysql)
{
    hg_sqli_scan scan;
    hg_sqli_token slots[HG_SQLI_SLOTS];
    hg_value expected;
    bool ok = read_json(t, "folded_tokens", &expected);
    hg_sqli_scan_start(&scan, input, quote, mysql);
    size_t count = hg_sqli_fold(&scan, slots);
    ok = ok && count == hg_value_size(&expected);
    for (size_t i = 0; ok && i < count; i++)
        ok = is_token(&hg_array_items(&expected)[i], &scan, &slots[i]);
    verdict(t, ok, "folded tokens", cell(t, "folded_tokens"), hg_slice_from("others"));
}

static void compare_number(table *t, const char *name, size_t got)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", got);
    compare(t, name, name, hg_slice_from(text));
}

static void run_sqli_detail(table *t)
{
    hg_value value;
    hg_slice input = read_bytes(t, "input", &value), context = cell(t, "context"), mode = cell(t, "mode");
    char letter = context.len == 1 ? context.ptr[0] : '?';
    char quote = letter == 's' ? '\'' : letter == 'd' ? '"' : letter == 'b' ? '`' : 0;
    bool mysql = hg_slice_equal(mode, HG_SLICE("M"));
    check_raw(t, input, quote, mysql);
    check_folded(t, input, quote, mysql);
    hg_sqli_attempt attempt;
    hg_sqli_try(&attempt, input, quote, mysql);
    compare(t, "fingerprint", "fingerprint", hg_slice_from(attempt.fingerprint));
    compare_number(t, "ntokens", attempt.scan.tokens);
    compare_number(t, "ddx", attempt.scan.ddx);
    compare_number(t, "hash", attempt.scan.hashes);
    compare_number(t, "listed", attempt.listed);
    compare_number(t, "matched", attempt.positive);
}

/* ---- HTML in detail ---- */

static const char *const html_kinds[] = {
    [HG_HTML_TEXT] = "DATA_TEXT",
    [HG_HTML_OPEN] = "TAG_NAME_OPEN",
    [HG_HTML_NAME_CLOSE] = "TAG_NAME_CLOSE",
    [HG_HTML_SELF_CLOSE] = "TAG_NAME_SELFCLOSE",
    [HG_HTML_CLOSE] = "TAG_CLOSE",
    [HG_HTML_ATTRIBUTE] = "ATTR_NAME",
    [HG_HTML_VALUE] = "ATTR_VALUE",
    [HG_HTML_COMMENT] = "TAG_COMMENT",
    [HG_HTML_DOCTYPE] = "DOCTYPE",
};

static bool is_html_token(const hg_value *expected, const hg_html_token *token)
{
    const hg_value *items = hg_array_items(expected);
    return hg_value_size(expected) == 3 &&
           hg_slice_equal(hg_value_string(&items[0]), hg_slice_from(html_kinds[token->kind])) &&
           (uint64_t)items[1].i64.val == token->start && (uint64_t)items[2].i64.val == token->len;
}

static void run_html(table *t)
{
    hg_value value, expected;
    hg_slice input = read_bytes(t, "input", &value), start = cell(t, "start");
    hg_html html;
    hg_html_token token;
    size_t count = 0;
    bool ok = read_json(t, "tokens", &expected) && start.len == 1 && start.ptr[0] >= '0' && start.ptr[0] <= '4';
    hg_html_start(&html, input, ok ? (hg_html_context)(start.ptr[0] - '0') : HG_HTML_TEXT_CONTEXT);
    for (; hg_html_next(&html, &token); count++)
        ok = ok && count < hg_value_size(&expected) && is_html_token(&hg_array_items(&expected)[count], &token);
    verdict(t, ok && count == hg_value_size(&expected), "tokens", cell(t, "tokens"), hg_slice_from("others"));
}

/* ---- Unit tests in text form: one token a line ---- */

static void print_sqli_token(hg_buffer *out, const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    hg_buffer_byte(out, token->type);
    hg_buffer_byte(out, ' ');
    for (int i = 0; i < token->ats; i++)
        hg_buffer_byte(out, '@');
    bool is_quoted = token->type == 's' || token->type == 'v';
    if (is_quoted && token->open != 0)
        hg_buffer_byte(out, token->open);
    hg_buffer_append(out, hg_sqli_text(scan, token));
    if (is_quoted && token->close != 0)
        hg_buffer_byte(out, token->close);
    hg_buffer_byte(out, '\n');
}

static void print_raw(hg_buffer *out, hg_slice input)
{
    hg_sqli_scan scan;
    hg_sqli_token token;
    hg_sqli_scan_start(&scan, input, 0, false);
    while (hg_sqli_next(&scan, &token))
        print_sqli_token(out, &scan, &token);
}

static void print_folded(hg_buffer *out, hg_slice input)
{
    hg_sqli_attempt attempt;
    hg_sqli_try(&attempt, input, 0, false);
    for (size_t i = 0; i < attempt.count; i++)
        print_sqli_token(out, &attempt.scan, &attempt.tokens[i]);
}

static void print_html(hg_buffer *out, hg_slice input)
{
    hg_html html;
    hg_html_token token;
    hg_html_start(&html, input, HG_HTML_TEXT_CONTEXT);
    while (hg_html_next(&html, &token)) {
        hg_buffer_printf(out, "%s,%zu,", html_kinds[token.kind], token.len);
        hg_buffer_append(out, hg_slice_of(input.ptr + token.start, token.len));
        hg_buffer_byte(out, '\n');
    }
}

static hg_slice trim_end(hg_slice s)
{
    while (s.len > 0 && strchr(" \t\n\v\f\r", s.ptr[s.len - 1]) != NULL)
        s.len--;
    return s;
}

static void run_unit(table *t)
{
    hg_value value, wanted;
    hg_buffer out = {0};
    hg_slice input = read_bytes(t, "input", &value), kind = cell(t, "kind");
    hg_slice expected = read_bytes(t, column("expected", "upstream_expected"), &wanted);
    if (hg_slice_equal(kind, HG_SLICE("tokens")))
        print_raw(&out, input);
    else if (hg_slice_equal(kind, HG_SLICE("folding")))
        print_folded(&out, input);
    else if (hg_slice_equal(kind, HG_SLICE("html5")))
        print_html(&out, input);
    else if (hg_slice_equal(kind, HG_SLICE("sqli"))) {
        char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
        hg_sqli(input, fingerprint);
        hg_buffer_append(&out, hg_slice_from(fingerprint));
    } else {
        hg_buffer_append(&out, HG_SLICE("(no such kind)"));
    }
    hg_slice got = trim_end(hg_slice_of(out.ptr, out.len));
    verdict(t, hg_slice_equal(got, expected), "tokens", expected, got);
    hg_buffer_free(&out);
}

/* What runs a row of a table with these columns; NULL when it is none of ours. */
static void (*runner(const table *t))(table *)
{
    if (!has(t, "id") || !has(t, "input"))
        return NULL;
    if (has(t, "raw_tokens") && has(t, "folded_tokens"))
        return run_sqli_detail;
    if (has(t, "start") && has(t, "tokens"))
        return run_html;
    if (has(t, "kind") && has(t, column("expected", "upstream_expected")))
        return run_unit;
    if (has(t, column("sqli", "deb_sqli")) || has(t, column("xss", "deb_xss")))
        return run_verdicts;
    return NULL;
}

static bool run_table(hg_slice content, conformance_tally *tally)
{
    table t = {.tally = tally};
    hg_slice line;
    if (!conformance_line(&content, &line))
        return false;
    t.count = split(line, t.names);
    void (*run)(table *) = runner(&t);
    if (run == NULL)
        return false;
    hg_arena_init(&t.arena, NULL);
    while (conformance_line(&content, &line)) {
        if (line.len == 0)
            continue;
        t.failed = split(line, t.cells) != t.count;
        if (t.failed)
            conformance_fail(tally, line, "another number of columns than the header");
        else
            run(&t);
        if (!t.failed)
            conformance_pass(tally);
        hg_arena_reset(&t.arena);
    }
    hg_arena_close(&t.arena);
    return true;
}

const conformance_kind conformance_injection = {
    .name = "injection",
    .summary = "SQL injection and XSS detectors: tables of inputs, verdicts, fingerprints, tokens",
    .file = run_table,
};
