/* Conformance cases of the regular-expression engine: matches, spans, groups, refusals, pattern sets and the
 * Unicode tables. In JSON one character stands for one byte. */
#include "conformance/conformance.h"
#include "hotgate/regex.h"
#include "hotgate/value.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static hg_regex_scratch *scratch;

static const char *const code_names[] = {
    "NoError",        "Internal",          "BadEscape",      "BadClass",     "BadCharRange", "MissingBracket",
    "MissingParen",   "UnexpectedParen",   "TrailingBackslash", "RepeatArgument", "RepeatSize", "RepeatOp",
    "BadPerlOp",      "BadUTF8",           "BadNamedCapture", "PatternTooLarge",
};

/* Each code point of the JSON string is a byte. */
static hg_slice narrow(hg_slice utf8, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < utf8.len; i++) {
        unsigned char c = (unsigned char)utf8.ptr[i];
        if (c >= 0x80 && i + 1 < utf8.len)
            c = (unsigned char)(c << 6 | ((unsigned char)utf8.ptr[++i] & 0x3F));
        out[len++] = (char)c;
    }
    return hg_slice_of(out, len);
}

static bool field(const hg_value *row, const char *name, hg_slice *out, hg_arena *arena)
{
    const hg_value *v = hg_map_find(row, hg_slice_from(name));
    if (v == NULL || !hg_is_string(v))
        return false;
    hg_slice s = hg_value_string(v);
    char *bytes = hg_arena_alloc(arena, s.len + 1, 1);
    *out = narrow(s, bytes);
    return true;
}

static int64_t integer(const hg_value *v)
{
    return v->type == HG_SIGNED ? v->i64.val : v->type == HG_UNSIGNED ? (int64_t)v->u64.val : -1;
}

static hg_span expected_span(const hg_value *v)
{
    if (hg_value_size(v) != 2)
        return (hg_span){SIZE_MAX, SIZE_MAX};
    const hg_value *pair = hg_array_items(v);
    return (hg_span){(size_t)integer(&pair[0]), (size_t)integer(&pair[1])};
}

static bool span_equal(hg_span a, hg_span b)
{
    return a.begin == b.begin && (a.end == b.end || a.begin == SIZE_MAX);
}

typedef struct test_case {
    hg_slice line, pattern, flags, text;
    const hg_value *row;
} test_case;

static hg_regex *compile(const test_case *c, hg_regex_error *error)
{
    hg_regex_options options = {.case_insensitive = c->flags.len > 0};
    return hg_regex_compile(c->pattern, &options, error);
}

static void check_refusal(const test_case *c, hg_slice name, hg_arena *arena, conformance_tally *tally)
{
    hg_regex_error error;
    hg_regex *regex = compile(c, &error);
    hg_slice argument = {NULL, 0};
    field(c->row, "arg", &argument, arena);
    if (regex != NULL)
        conformance_fail(tally, c->line, "accepted");
    else if (!hg_slice_equal(name, hg_slice_from(code_names[error.code])))
        conformance_fail(tally, c->line, "refused as %s", code_names[error.code]);
    else if (!hg_slice_equal(argument, error.argument))
        conformance_fail(tally, c->line, "argument is %.*s", (int)error.argument.len, error.argument.ptr);
    else
        conformance_pass(tally);
    hg_regex_unref(regex);
}

/* The same pattern alone, as a set of one, and with its span must agree. */
static void check_span(const test_case *c, const hg_regex *regex, hg_span want, conformance_tally *tally)
{
    hg_span got = {SIZE_MAX, SIZE_MAX};
    bool matched = hg_regex_match(regex, scratch, c->text, 0, &got, 1);
    bool wanted = want.begin != SIZE_MAX;
    hg_regex *member = (hg_regex *)regex;
    hg_regex_set *set = hg_regex_set_new(&member, 1);
    uint64_t hits = 0;
    bool any = hg_regex_set_scan(set, scratch, c->text, &hits);
    if (matched != wanted || (wanted && !span_equal(got, want)))
        conformance_fail(tally, c->line, "span is %zd..%zd", (ssize_t)got.begin, (ssize_t)got.end);
    else if (hg_regex_test(regex, scratch, c->text) != wanted)
        conformance_fail(tally, c->line, "existence differs from the span");
    else if (any != wanted || hits != wanted)
        conformance_fail(tally, c->line, "a set of one differs from the pattern");
    else
        conformance_pass(tally);
    hg_regex_set_free(set);
}

static void check_groups(const test_case *c, const hg_regex *regex, const hg_value *want, conformance_tally *tally)
{
    hg_span got[32];
    size_t count = hg_value_size(want);
    bool matched = hg_regex_match(regex, scratch, c->text, 0, got, count > 0 ? count : 1);
    if (matched != (count > 0)) {
        conformance_fail(tally, c->line, matched ? "matches" : "does not match");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!span_equal(got[i], expected_span(&hg_array_items(want)[i]))) {
            conformance_fail(tally, c->line, "group %zu is %zd..%zd", i, (ssize_t)got[i].begin, (ssize_t)got[i].end);
            return;
        }
    }
    conformance_pass(tally);
}

static void check_case(const test_case *c, hg_arena *arena, conformance_tally *tally)
{
    hg_slice refusal;
    if (field(c->row, "error", &refusal, arena)) {
        check_refusal(c, refusal, arena, tally);
        return;
    }
    hg_regex_error error;
    hg_regex *regex = compile(c, &error);
    if (regex == NULL) {
        conformance_fail(tally, c->line, "refused: %s", error.message);
        return;
    }
    const hg_value *groups = hg_map_find(c->row, HG_SLICE("caps"));
    if (groups != NULL)
        check_groups(c, regex, groups, tally);
    else
        check_span(c, regex, expected_span(hg_map_find(c->row, HG_SLICE("span"))), tally);
    hg_regex_unref(regex);
}

/* ---- Sets ---- */

enum { MAX_PATTERNS = 4096 };

typedef struct pattern_list {
    hg_regex *regexes[MAX_PATTERNS];
    int64_t ids[MAX_PATTERNS];
    size_t count;
} pattern_list;

static pattern_list *patterns;

static bool read_row(hg_slice line, hg_value *row, hg_arena *arena)
{
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    return line.len > 0 && line.ptr[0] == '{' &&
           hg_json_read(line, &options, row, hg_arena_allocator(arena), NULL) == HG_OK && hg_is_map(row);
}

static void check_pattern(const test_case *c, conformance_tally *tally)
{
    hg_regex_error error;
    hg_regex *regex = compile(c, &error);
    if (regex == NULL)
        conformance_fail(tally, c->line, "refused: %s", error.message);
    else
        conformance_pass(tally);
    if (regex == NULL || patterns == NULL || patterns->count == MAX_PATTERNS) {
        hg_regex_unref(regex);
        return;
    }
    patterns->ids[patterns->count] = integer(hg_map_find(c->row, HG_SLICE("id")));
    patterns->regexes[patterns->count++] = regex;
}

static bool run_lines(hg_slice content, conformance_tally *tally);

/* The pattern list that the texts speak of lies beside them. */
static bool load_patterns(const char *texts)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", texts);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash + 1 : folder, 2, slash ? "" : ".");
    patterns = calloc(1, sizeof *patterns);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir != NULL && patterns->count == 0 && (e = readdir(dir)) != NULL;) {
        char path[8192];
        hg_slice content, rest, line;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || !conformance_read(path, &content))
            continue;
        rest = content;
        conformance_tally unused = {.path = path};
        if (conformance_line(&rest, &line) && memmem(line.ptr, line.len, "\"id\"", 4) != NULL)
            run_lines(content, &unused);
        free((char *)content.ptr);
    }
    if (dir != NULL)
        closedir(dir);
    return patterns->count > 0;
}

static void check_hits(const test_case *c, hg_regex_set *set, conformance_tally *tally)
{
    const hg_value *want = hg_map_find(c->row, HG_SLICE("hits"));
    uint64_t hits[MAX_PATTERNS / 64];
    size_t next = 0, count = hg_value_size(want);
    hg_regex_set_scan(set, scratch, c->text, hits);
    for (size_t i = 0; i < patterns->count; i++) {
        bool hit = (hits[i / 64] >> (i % 64)) & 1;
        const hg_value *expected = next < count ? hg_array_items(&hg_array_items(want)[next]) : NULL;
        bool wanted = expected != NULL && integer(&expected[0]) == patterns->ids[i];
        if (hit != wanted) {
            conformance_fail(tally, c->line, "pattern %" PRId64 " %s", patterns->ids[i], hit ? "hits" : "is missed");
            return;
        }
        if (!wanted)
            continue;
        next++;
        hg_span got = {SIZE_MAX, SIZE_MAX}, span = {(size_t)integer(&expected[1]), (size_t)integer(&expected[2])};
        hg_regex_match(patterns->regexes[i], scratch, c->text, 0, &got, 1);
        if (!span_equal(got, span)) {
            conformance_fail(tally, c->line, "pattern %" PRId64 ": span is %zd..%zd", patterns->ids[i],
                             (ssize_t)got.begin, (ssize_t)got.end);
            return;
        }
    }
    conformance_pass(tally);
}

static hg_regex_set *set_of_all;

static bool ready_for_texts(conformance_tally *tally)
{
    if (set_of_all != NULL)
        return true;
    if (!load_patterns(tally->path))
        return false;
    set_of_all = hg_regex_set_new(patterns->regexes, patterns->count);
    return true;
}

static void drop_patterns(void)
{
    hg_regex_set_free(set_of_all);
    set_of_all = NULL;
    for (size_t i = 0; patterns != NULL && i < patterns->count; i++)
        hg_regex_unref(patterns->regexes[i]);
    free(patterns);
    patterns = NULL;
}

/* One line of any of the JSON forms; false: none of them. */
static bool run_line(hg_slice line, hg_arena *arena, conformance_tally *tally)
{
    hg_value row;
    if (!read_row(line, &row, arena))
        return false;
    test_case c = {.line = line, .row = &row};
    bool has_pattern = field(&row, "pattern", &c.pattern, arena);
    bool has_text = field(&row, "text", &c.text, arena);
    field(&row, "flags", &c.flags, arena);
    if (has_pattern && has_text)
        check_case(&c, arena, tally);
    else if (has_pattern && hg_map_find(&row, HG_SLICE("id")) != NULL)
        check_pattern(&c, tally);
    else if (has_text && hg_map_find(&row, HG_SLICE("hits")) != NULL && ready_for_texts(tally))
        check_hits(&c, set_of_all, tally);
    else
        return false;
    return true;
}

static bool run_lines(hg_slice content, conformance_tally *tally)
{
    hg_arena arena;
    hg_slice line;
    bool known = content.len > 0;
    hg_arena_init(&arena, NULL);
    while (known && conformance_line(&content, &line)) {
        known = run_line(line, &arena, tally);
        hg_arena_reset(&arena);
    }
    hg_arena_close(&arena);
    return known;
}

/* ---- Tables ---- */

typedef struct table_row {
    hg_slice cells[10];
    size_t count;
} table_row;

static table_row split_row(hg_slice line)
{
    table_row row = {.count = 0};
    while (row.count < 10) {
        const char *tab = memchr(line.ptr, '\t', line.len);
        size_t len = tab ? (size_t)(tab - line.ptr) : line.len;
        row.cells[row.count++] = hg_slice_take(line, len);
        if (tab == NULL)
            break;
        line = hg_slice_skip(line, len + 1);
    }
    return row;
}

static uint32_t hex(hg_slice s)
{
    char text[16] = "";
    memcpy(text, s.ptr, s.len < 15 ? s.len : 15);
    return (uint32_t)strtoul(text, NULL, 16);
}

static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> len) | (int)c);
    return len;
}

/* The pattern compiled; the last two are kept, because neighbouring rows ask for the same. NULL: refused. */
static const hg_regex *compiled(const char *pattern, bool fold)
{
    static struct {
        char pattern[128];
        bool fold;
        hg_regex *regex;
    } kept[2];
    static unsigned oldest;
    for (int i = 0; i < 2; i++) {
        if (kept[i].regex != NULL && kept[i].fold == fold && strcmp(kept[i].pattern, pattern) == 0)
            return kept[i].regex;
    }
    hg_regex_options options = {.case_insensitive = fold};
    oldest ^= 1;
    hg_regex_unref(kept[oldest].regex);
    snprintf(kept[oldest].pattern, sizeof kept->pattern, "%s", pattern);
    kept[oldest].fold = fold;
    kept[oldest].regex = hg_regex_compile(hg_slice_from(pattern), &options, NULL);
    return kept[oldest].regex;
}

/* Does the pattern match the code point? -1: the pattern is refused. */
static int code_matches(const char *pattern, bool fold, uint32_t code)
{
    char bytes[4];
    const hg_regex *regex = compiled(pattern, fold);
    return regex == NULL ? -1 : hg_regex_test(regex, scratch, hg_slice_of(bytes, encode(code, bytes)));
}

/* Both ends of a range belong to the class and not to its complement. */
static bool range_belongs(const char *class, const char *complement, uint32_t lo, uint32_t hi)
{
    return code_matches(class, false, lo) == 1 && code_matches(class, false, hi) == 1 &&
           code_matches(complement, false, lo) == 0 && code_matches(complement, false, hi) == 0;
}

static void check_range(hg_slice line, const char *class, const char *complement, uint32_t lo, uint32_t hi,
                        conformance_tally *tally)
{
    if (range_belongs(class, complement, lo, hi))
        conformance_pass(tally);
    else
        conformance_fail(tally, line, "not in the class");
}

static void check_group_row(hg_slice line, conformance_tally *tally)
{
    table_row row = split_row(line);
    char class[128], complement[128];
    snprintf(class, sizeof class, "^\\p{%.*s}$", (int)row.cells[0].len, row.cells[0].ptr);
    snprintf(complement, sizeof complement, "^\\P{%.*s}$", (int)row.cells[0].len, row.cells[0].ptr);
    check_range(line, class, complement, hex(row.cells[2]), hex(row.cells[3]), tally);
}

static void check_ascii_row(hg_slice line, conformance_tally *tally)
{
    table_row row = split_row(line);
    char class[128], complement[128];
    snprintf(class, sizeof class, "^[%.*s]$", (int)row.cells[0].len, row.cells[0].ptr);
    snprintf(complement, sizeof complement, "^[^%.*s]$", (int)row.cells[0].len, row.cells[0].ptr);
    check_range(line, class, complement, hex(row.cells[1]), hex(row.cells[2]), tally);
}

static void check_orbit_row(hg_slice line, conformance_tally *tally)
{
    table_row row = split_row(line);
    for (size_t i = 0; i < row.count; i++) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "^\\x{%.*s}$", (int)row.cells[i].len, row.cells[i].ptr);
        for (size_t k = 0; k < row.count; k++) {
            if (code_matches(pattern, true, hex(row.cells[k])) != 1) {
                conformance_fail(tally, line, "%s does not fold", pattern);
                return;
            }
        }
    }
    conformance_pass(tally);
}

/* The cost column against the smallest budget that accepts the class: (2 budget / 3 - 432) / 8 instructions. */
static bool costs_exactly(const char *pattern, bool fold, long cost)
{
    for (int more = 0; more < 2; more++) {
        hg_regex_options options = {.case_insensitive = fold, .max_mem = ((cost + 3 + more) * 8 + 432) * 3 / 2 + 3};
        hg_regex *regex = hg_regex_compile(hg_slice_from(pattern), &options, NULL);
        bool accepted = regex != NULL;
        hg_regex_unref(regex);
        if (accepted != (more == 1))
            return false;
    }
    return true;
}

static void check_name_row(hg_slice line, conformance_tally *tally)
{
    table_row row = split_row(line);
    for (int column = 0; column < 4; column++) {
        char pattern[128];
        snprintf(pattern, sizeof pattern, "\\%c{%.*s}", column & 1 ? 'P' : 'p', (int)row.cells[0].len,
                 row.cells[0].ptr);
        long cost = row.count == 10 ? strtol(row.cells[6 + column].ptr, NULL, 10) : 0;
        if (cost > 0 && !costs_exactly(pattern, column >= 2, cost)) {
            conformance_fail(tally, line, "%s does not cost %ld", pattern, cost);
            return;
        }
    }
    conformance_pass(tally);
}

static const struct {
    const char *header;
    void (*row)(hg_slice line, conformance_tally *tally);
} tables[] = {
    {"# name\tkind\tlo\thi", check_group_row},
    {"# name\tkind\tranges", check_name_row},
    {"# one simple-case-folding orbit", check_orbit_row},
    {"# spelling\tlo\thi", check_ascii_row},
};

static bool run_table(hg_slice content, conformance_tally *tally)
{
    hg_slice line;
    if (!conformance_line(&content, &line))
        return false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        hg_slice header = hg_slice_from(tables[i].header);
        if (!hg_slice_equal(hg_slice_take(line, header.len), header))
            continue;
        while (conformance_line(&content, &line))
            tables[i].row(line, tally);
        return true;
    }
    return false;
}

static bool run_file(hg_slice content, conformance_tally *tally)
{
    scratch = hg_regex_scratch_new();
    bool known = content.len > 0 && (content.ptr[0] == '#' ? run_table(content, tally) : run_lines(content, tally));
    drop_patterns();
    hg_regex_scratch_free(scratch);
    return known;
}

const conformance_kind conformance_regex = {"regex", "regular expressions: patterns, sets, tables", run_file, NULL,
                                            NULL};
