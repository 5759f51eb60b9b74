/* injection_peer [--count N] [--seconds N] [--seed N]: judges seeded inputs by the detectors and by another
 * implementation, and prints every difference. Samples come from $HOTGATE_CASES when it is set. Exit status: 0
 * all equal, 1 differences, 77 the other implementation is not installed. */
#include "hotgate/injection.h"
#include "text/injection_mutate.h"
#include "text/injection_oracle.h"
#include "text/xss/xss.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SHOWN = 20, PADDING = 4 };

typedef struct counts {
    uint64_t inputs;
    uint64_t sqli;
    uint64_t xss;
    uint64_t different;
} counts;

static void print_text(hg_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        printf(c < 32 || c > 126 || c == '"' || c == '\\' ? "\\x%02x" : "%c", c);
    }
}

static int contexts_of(hg_slice text)
{
    int bits = 0;
    for (int context = 0; context < HG_HTML_CONTEXTS; context++)
        bits |= hg_xss_in(text, (hg_html_context)context) << context;
    return bits;
}

static void compare(hg_slice text, counts *n)
{
    injection_verdict theirs;
    char ours[HG_SQLI_FINGERPRINT_SIZE];
    injection_oracle_judge(text, &theirs);
    hg_sqli(text, ours);
    bool xss = hg_xss(text);
    int contexts = theirs.contexts < 0 ? -1 : contexts_of(text);
    n->inputs++;
    n->sqli += ours[0] != '\0';
    n->xss += xss;
    if (strcmp(ours, theirs.fingerprint) == 0 && xss == theirs.xss && contexts == theirs.contexts)
        return;
    if (n->different++ < SHOWN) {
        printf("DIFFERENT \"");
        print_text(text);
        printf("\": '%s' xss %d %d, %s says '%s' xss %d %d\n", ours, xss, contexts, injection_oracle_name,
               theirs.fingerprint, theirs.xss, theirs.contexts);
    }
}

static const char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    return path;
}

/* The lists and the fuzzers' inputs beside the sources, and the corpus where there is one. */
static void load(injection_mutator *m)
{
    const char *source = getenv("HOTGATE_SOURCE"), *cases = getenv("HOTGATE_CASES");
    injection_add_list(&m->pieces, in(source, "src/text/sqli/words.tsv"));
    injection_add_list(&m->pieces, in(source, "src/text/xss/attributes.tsv"));
    injection_add_folder(&m->samples, in(source, "fuzz/corpus/sqli"));
    injection_add_folder(&m->samples, in(source, "fuzz/corpus/xss"));
    if (cases == NULL)
        return;
    injection_add_table(&m->samples, in(cases, "injection/cases/corpus.tsv"));
    injection_add_table(&m->samples, in(cases, "injection/cases/xss.tsv"));
}

int main(int argc, char **argv)
{
    uint64_t count = UINT64_MAX, seed = 1;
    time_t end = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--count") == 0)
            count = value;
        else if (strcmp(argv[i], "--seconds") == 0)
            end = time(NULL) + (time_t)value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = value;
    }
    if (!injection_oracle_open()) {
        printf("skipped: %s is not installed\n", injection_oracle_name);
        return 77;
    }
    injection_mutator m = {.random = seed * 2 + 1};
    counts n = {0};
    static char text[INJECTION_LONGEST + PADDING];
    load(&m);
    while (n.inputs < count && (end == 0 || n.inputs % 1024 != 0 || time(NULL) < end)) {
        size_t len = injection_mutate(&m, text);
        memset(text + len, 0, PADDING);
        compare(hg_slice_of(text, len), &n);
    }
    injection_oracle_close();
    injection_free_samples(&m.samples);
    injection_free_samples(&m.pieces);
    printf("%llu inputs (seed %llu), %llu with SQL injection, %llu with XSS, %llu judged differently by %s\n",
           (unsigned long long)n.inputs, (unsigned long long)seed, (unsigned long long)n.sqli,
           (unsigned long long)n.xss, (unsigned long long)n.different, injection_oracle_name);
    return n.different > 0;
}
