/* hotgate regex: what becomes of patterns (accepted or why not, filter, automaton), and where they match. */
#include "cli/verbs.h"

#include "regex/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static const char usage[] =
    "usage: hotgate regex [-s] [-t TEXT] [--] PATTERN... [FILE]\n"
    "\n"
    "Says of each PATTERN (RE2 syntax) whether it is accepted or why not, which filter guards it and how large its\n"
    "automaton is; then where it matches in FILE (the last argument, when it names a file) or in TEXT.\n"
    "  -s        case sensitive (the rules of a WAF mostly are not)\n"
    "  -t TEXT   match against TEXT\n"
    "  --        what follows are patterns, also those that begin with a dash\n"
    "\n"
    "Exit status: 0 all accepted, 1 one was refused, 2 wrong usage.\n"
    "\n"
    "Examples:\n"
    "  hotgate regex '\\bselect\\b.+\\bfrom\\b' -t 'id=1 UNION SELECT name FROM users'\n"
    "  hotgate regex 'on(?:load|error)\\s*=' '(?:\\.\\./)+etc' access.log\n";

enum { SHOWN_MATCHES = 10, MOST_PATTERNS = 256 };

static void print_bytes(hg_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= ' ' && c < 127)
            putchar(c);
        else
            printf("\\x%02x", c);
    }
}

/* A byte set as a class; runs of three and more as ranges. */
static void print_set(const rx_byteset *set)
{
    unsigned members = 0;
    for (unsigned b = 0; b < 256; b++)
        members += rx_byteset_has(set, b);
    if (members == 256) {
        printf("(any)");
        return;
    }
    if (members != 1)
        putchar('[');
    for (unsigned b = 0; b < 256; b++) {
        if (!rx_byteset_has(set, b))
            continue;
        unsigned last = b;
        while (last < 255 && rx_byteset_has(set, last + 1))
            last++;
        char first_byte = (char)b, last_byte = (char)last;
        print_bytes(hg_slice_of(&first_byte, 1));
        if (last > b + 1)
            putchar('-');
        if (last > b)
            print_bytes(hg_slice_of(&last_byte, 1));
        b = last;
    }
    if (members != 1)
        putchar(']');
}

static void print_filter(const hg_regex *regex)
{
    if (regex->always) {
        printf("  matches every text: never scanned for\n");
        return;
    }
    if (regex->cut_count == 0)
        printf("  no filter: every text is a candidate\n");
    for (uint32_t c = 0; c < regex->cut_count; c++) {
        const rx_cut *cut = &regex->cuts[c];
        printf("  a match holds one of (%.3f%% of places in harmless text do):", 100 * (double)cut->odds);
        for (uint32_t t = 0; t < cut->count; t++) {
            printf(t > 0 ? ", " : " ");
            for (unsigned b = 0; b < cut->triples[t].known; b++)
                print_set(&cut->triples[t].bytes[b]);
        }
        printf("\n");
    }
}

static hg_regex *describe(hg_slice pattern, bool insensitive)
{
    hg_regex_error error;
    hg_regex_options options = {.case_insensitive = insensitive};
    hg_regex *regex = hg_regex_compile(pattern, &options, &error);
    print_bytes(pattern);
    if (regex == NULL) {
        printf("\n  refused: %s", error.message);
        if (error.argument.len > 0) {
            printf(": ");
            print_bytes(error.argument);
        }
        printf("\n");
        return NULL;
    }
    printf("\n  accepted: %zu instructions, %u byte classes, %u groups%s\n", regex->program.count,
           regex->program.class_count, regex->program.groups, regex->program.anchored ? ", only at the begin" : "");
    print_filter(regex);
    return regex;
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void print_speed(hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    double begin = microseconds();
    bool exists = hg_regex_test(regex, scratch, text);
    double first = microseconds() - begin;
    begin = microseconds();
    hg_regex_test(regex, scratch, text);
    double warm = microseconds() - begin, megabytes = (double)text.len / 1e6;
    printf("  %s; automaton of %u rows", exists ? "matches" : "does not match", atomic_load(&regex->opening) == RX_OPEN ? regex->dfa.rows : 0);
    if (text.len >= 1000)
        printf("; %.0f us a MB the first time, %.0f us warm", first / megabytes, warm / megabytes);
    printf("\n");
}

static void print_matches(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    size_t count = 0;
    hg_span span;
    for (size_t from = 0; from <= text.len && hg_regex_match(regex, scratch, text, from, &span, 1);) {
        if (count++ < SHOWN_MATCHES) {
            printf("  %zu..%zu ", span.begin, span.end);
            print_bytes(hg_slice_take(hg_slice_skip(text, span.begin), span.end - span.begin));
            printf("\n");
        }
        from = span.end > span.begin ? span.end : span.end + 1;
    }
    if (count > SHOWN_MATCHES)
        printf("  and %zu more\n", count - SHOWN_MATCHES);
}

static bool read_file(const char *path, hg_slice *out)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (file == NULL || fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)) {
        if (file != NULL)
            fclose(file);
        return false;
    }
    char *bytes = malloc((size_t)st.st_size + 1);
    *out = hg_slice_of(bytes, bytes != NULL ? fread(bytes, 1, (size_t)st.st_size, file) : 0);
    fclose(file);
    return bytes != NULL;
}

typedef struct request {
    const char *patterns[MOST_PATTERNS];
    size_t count;
    hg_slice text;
    bool has_text, sensitive;
    char *owned;
} request;

/* -1 to go on, else the exit status. */
static int read_arguments(int argc, char **argv, request *r)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && strcmp(argv[i], "-s") == 0) {
            r->sensitive = true;
        } else if (options && strcmp(argv[i], "-t") == 0) {
            if (++i == argc)
                return cli_usage_error("regex", "-t wants a text", NULL);
            r->text = hg_slice_from(argv[i]);
            r->has_text = true;
        } else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
            return cli_usage_error("regex", "unknown option (-- lets patterns begin with a dash)", argv[i]);
        } else if (r->count == MOST_PATTERNS) {
            return cli_usage_error("regex", "too many patterns", NULL);
        } else {
            r->patterns[r->count++] = argv[i];
        }
    }
    if (!r->has_text && r->count > 1 && read_file(r->patterns[r->count - 1], &r->text)) {
        r->owned = (char *)r->text.ptr;
        r->has_text = true;
        r->count--;
    }
    return r->count > 0 ? -1 : cli_usage_error("regex", "no pattern given", NULL);
}

int cli_regex(int argc, char **argv)
{
    request r = {.count = 0};
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    int early = read_arguments(argc, argv, &r);
    if (early >= 0)
        return early;
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    int status = scratch == NULL;
    for (size_t i = 0; scratch != NULL && i < r.count; i++) {
        hg_regex *regex = describe(hg_slice_from(r.patterns[i]), !r.sensitive);
        status |= regex == NULL;
        if (regex != NULL && r.has_text) {
            print_speed(regex, scratch, r.text);
            print_matches(regex, scratch, r.text);
        }
        hg_regex_unref(regex);
    }
    hg_regex_scratch_free(scratch);
    free(r.owned);
    return status;
}
