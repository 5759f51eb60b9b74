/* Random patterns and texts against RE2. SEED and PAIRS steer it; the program ends with status 77 without RE2. */
#include "regex/differential.h"
#include "regex/generator.h"

#include <time.h>

enum { TEXTS = 10, SET = 8 };

static size_t differences;

static void report(const char *what, const char *pattern, size_t len, int insensitive, hg_slice text)
{
    if (differences++ < 10)
        diff_show(what, hg_slice_of(pattern, len), insensitive, text);
}

/* A set of the patterns seen last must tell for each what the pattern alone tells. */
static void check_set(hg_regex *const *regexes, hg_regex_scratch *scratch, const hg_slice *texts)
{
    hg_regex_set *set = hg_regex_set_new(regexes, SET);
    uint64_t many[TEXTS], one;
    bool any[TEXTS];
    hg_regex_set_scan_many(set, scratch, texts, TEXTS, many, any);
    for (int t = 0; t < TEXTS; t++) {
        uint64_t expected = 0;
        for (int i = 0; i < SET; i++)
            expected |= (uint64_t)hg_regex_test(regexes[i], scratch, texts[t]) << i;
        bool found = hg_regex_set_scan(set, scratch, texts[t], &one);
        if (one != expected || many[t] != expected || any[t] != (expected != 0) || found != any[t])
            report("a set and its patterns differ", "", 0, 0, texts[t]);
    }
    hg_regex_set_free(set);
}

static void check_text(const re2_peer *re2, const diff_pair *pair, hg_slice pattern, int insensitive,
                       hg_regex_scratch *scratch, hg_slice text)
{
    diff_result result = diff_match(re2, pair, scratch, text);
    if (result == DIFF_ENGINES)
        report("our engines differ", pattern.ptr, pattern.len, insensitive, text);
    if (result == DIFF_SAME || result == DIFF_ENGINES || diff_is_quirky(pattern, text))
        return;
    if (result == DIFF_EXISTENCE || !diff_nests_empty_loops(pattern, insensitive))
        report(result == DIFF_EXISTENCE ? "existence differs" : "span differs", pattern.ptr, pattern.len, insensitive,
               text);
}

static size_t run(const re2_peer *re2, generator *g, size_t pairs, double seconds)
{
    static char texts[TEXTS][GEN_TEXT];
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    hg_regex *recent[SET] = {NULL};
    hg_slice slices[TEXTS];
    size_t done = 0, kept = 0;
    for (time_t begin = time(NULL); done < pairs && (seconds <= 0 || difftime(time(NULL), begin) < seconds);) {
        char pattern[GEN_TEXT];
        int root, insensitive = gen_below(g, 3) == 0;
        size_t len = gen_pattern(g, pattern, &root);
        diff_pair pair;
        if (!diff_compile(re2, hg_slice_of(pattern, len), insensitive, &pair))
            report("compiling differs", pattern, len, insensitive, HG_SLICE(""));
        for (int t = 0; t < TEXTS; t++, done++) {
            slices[t] = hg_slice_of(texts[t], gen_text(g, root, texts[t]));
            if (pair.ours != NULL)
                check_text(re2, &pair, hg_slice_of(pattern, len), insensitive, scratch, slices[t]);
        }
        if (pair.ours == NULL)
            continue;
        re2->free(pair.theirs);
        recent[kept++ % SET] = pair.ours;
        if (kept % SET != 0)
            continue;
        check_set(recent, scratch, slices);
        for (int i = 0; i < SET; i++)
            hg_regex_unref(recent[i]);
    }
    for (size_t i = 0; i < kept % SET; i++)
        hg_regex_unref(recent[i]);
    hg_regex_scratch_free(scratch);
    return done;
}

int main(void)
{
    re2_peer re2;
    const char *seed = getenv("SEED"), *pairs = getenv("PAIRS");
    if (!re2_peer_load(&re2)) {
        printf("skipped: RE2 was not found when this was built\n");
        return 77;
    }
    generator g = {.state = seed ? strtoull(seed, NULL, 10) : 1};
    g.state = g.state ? g.state : 1;
    size_t done = run(&re2, &g, pairs ? strtoull(pairs, NULL, 10) : 100000000, pairs ? 0 : 20);
    printf("%zu pairs, %zu differences, seed %s\n", done, differences, seed ? seed : "1");
    return differences != 0;
}
