/* regex [-r | --json] [RULESET.json]: pattern sets against the clock and their bars, with -r against the rivals too;
 * --json prints the interleaved passes of all engines as measurement lines instead. The sets stem from a ruleset
 * ($HOTGATE_RULES, or the recommended one below $HOTGATE_CASES); texts are in rotation and, but for one row, not
 * remembered; times are processor time, the best of several passes. */
#include "json_lines.h"
#include "regex/rivals.h"
#include "regex/sets.h"
#include "regex/texts.h"

#include <time.h>

enum { PASSES = 7 };

static ruleset rules;
static bool json; /* measurement lines instead of tables */
static hg_regex *compiled[MAX_PATTERNS];
static hg_regex_scratch *scratch;

/* Microseconds of processor time: other processes do not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- Rows: what was measured, and what it is measured by ---- */

typedef enum row_bar { AT_MOST, AT_LEAST, NO_BAR } row_bar;

static void row(const char *what, const named_set *set, double value, const char *unit, row_bar kind, double bar)
{
    char name[160], limit[32] = "";
    bool good = kind == NO_BAR || (kind == AT_MOST ? value <= bar : value >= bar);
    if (set != NULL)
        snprintf(name, sizeof name, "%.60s, %.60s (%d)", what, set->name, set->count);
    else
        snprintf(name, sizeof name, "%s", what);
    if (kind != NO_BAR)
        snprintf(limit, sizeof limit, "%s %g", kind == AT_MOST ? "<=" : ">=", bar);
    printf("%-88.88s %9.3f %-6s %-9s %s\n", name, value, unit, limit, kind == NO_BAR ? "" : good ? "ok" : "MISS");
}

static hg_regex_set *make_set(const named_set *named)
{
    hg_regex *members[MAX_PATTERNS];
    for (int i = 0; i < named->count; i++)
        members[i] = compiled[named->members[i]];
    return hg_regex_set_new(members, (size_t)named->count);
}

static void compile_all(void)
{
    for (int i = 0; i < rules.count; i++) {
        hg_regex_options options = {.case_insensitive = rules.patterns[i].insensitive};
        compiled[i] = hg_regex_compile(rules.patterns[i].text, &options, NULL);
        if (compiled[i] == NULL) {
            fprintf(stderr, "refused: %.*s\n", (int)rules.patterns[i].text.len, rules.patterns[i].text.ptr);
            exit(1);
        }
    }
}

static void drop_all(void)
{
    for (int i = 0; i < rules.count; i++)
        hg_regex_unref(compiled[i]);
}

/* Microseconds for one pass over the texts; *hits counts texts that some pattern but the always-matching ones hit. */
static double pass_alone(const hg_regex_set *set, const hg_slice *texts, size_t count, size_t *hits)
{
    uint64_t words[MAX_PATTERNS / 64];
    size_t n = 0, rounds = count < 100 ? 40 : 1; /* few texts: several rounds under one clock reading */
    double begin = now();
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < count; i++) {
            n += hg_regex_set_scan(set, scratch, texts[i], words);
        }
    }
    *hits = n / rounds;
    return (now() - begin) / (double)rounds;
}

static double pass_many(const hg_regex_set *set, const hg_slice *texts, size_t count, size_t *hits)
{
    static uint64_t words[4096 * (MAX_PATTERNS / 64)];
    bool any[4096];
    double begin = now();
    hg_regex_set_scan_many(set, scratch, texts, count, words, any);
    double end = now();
    for (size_t i = 0; i < count; i++)
        *hits += any[i];
    return end - begin;
}

typedef double pass(const hg_regex_set *set, const hg_slice *texts, size_t count, size_t *hits);

static double best(pass *run, const hg_regex_set *set, const hg_slice *texts, size_t count, int warm_up)
{
    double least = 1e18;
    size_t hits;
    for (int i = 0; i < warm_up; i++)
        run(set, texts, count, &hits);
    for (int i = 0; i < PASSES; i++) {
        double t = run(set, texts, count, &hits);
        least = t < least ? t : least;
    }
    return least;
}

static void bench_load(void)
{
    double least_patterns = 1e18, least_sets = 1e18;
    for (int p = 0; p < 5; p++) {
        double begin = now();
        compile_all();
        double middle = now();
        hg_regex_set *sets[MAX_SETS];
        int count = rules.set_count - 2; /* the last two are the unions, which no address uses */
        for (int i = 0; i < count; i++)
            sets[i] = make_set(&rules.sets[i]);
        double end = now();
        for (int i = 0; i < count; i++)
            hg_regex_set_free(sets[i]);
        drop_all();
        least_patterns = middle - begin < least_patterns ? middle - begin : least_patterns;
        least_sets = end - middle < least_sets ? end - middle : least_sets;
    }
    row("load: all patterns", NULL, least_patterns / 1e3, "ms", NO_BAR, 0);
    row("load: all sets", NULL, least_sets / 1e3, "ms", NO_BAR, 0);
    row("load: all patterns and sets", NULL, (least_patterns + least_sets) / 1e3, "ms", AT_MOST, 15);
}

static size_t resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f != NULL && fscanf(f, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (f != NULL)
        fclose(f);
    return resident * 4096;
}

/* Everything of the ruleset in use: each set has scanned the same harmless values and some noise. */
static void bench_memory(void)
{
    enum { TEXTS = 2000 };
    hg_regex_set *sets[MAX_SETS];
    uint64_t words[MAX_PATTERNS / 64];
    char text[128];
    int count = rules.set_count - 2;
    size_t before = resident_bytes();
    compile_all();
    size_t loaded = resident_bytes();
    for (int i = 0; i < count; i++)
        sets[i] = make_set(&rules.sets[i]);
    size_t ready = resident_bytes();
    for (int t = 0; t < TEXTS; t++) {
        hg_slice s = hg_slice_of(text, make_value(text));
        if (t % 20 == 0) {
            make_printable(text, 60);
            s.len = 60;
        }
        for (int i = 0; i < count; i++)
            hg_regex_set_scan(sets[i], scratch, s, words);
    }
    size_t used = resident_bytes();
    row("memory: patterns", NULL, (double)(loaded - before) / 1e6, "MB", NO_BAR, 0);
    row("memory: sets", NULL, (double)(ready - loaded) / 1e6, "MB", NO_BAR, 0);
    row("memory: patterns and sets", NULL, (double)(ready - before) / 1e6, "MB", AT_MOST, 4);
    row("memory: added by 2000 texts in each set, the thread's own included", NULL, (double)(used - ready) / 1e6, "MB", NO_BAR, 0);
    for (int i = 0; i < count; i++)
        hg_regex_set_free(sets[i]);
    drop_all();
}

static void bench_agents(const char *name, double bar)
{
    enum { AGENTS = 4000 };
    static char agents[AGENTS][102];
    static hg_slice texts[AGENTS];
    const named_set *named = ruleset_find(&rules, name);
    hg_regex_set *set = make_set(named);
    for (int i = 0; i < AGENTS; i++) {
        make_agent(agents[i]);
        texts[i] = hg_slice_of(agents[i], 101);
    }
    row("user agent of 101 bytes", named, best(pass_alone, set, texts, AGENTS, 10) / AGENTS, "us", bar > 0 ? AT_MOST : NO_BAR, bar);
    row("  in a batch", named, best(pass_many, set, texts, AGENTS, 10) / AGENTS, "us", NO_BAR, 0);
    hg_regex_scratch_remember(scratch, true);
    row("  remembered", named, best(pass_alone, set, texts, AGENTS, 10) / AGENTS, "us", NO_BAR, 0);
    hg_regex_scratch_remember(scratch, false);
    hg_regex_set_free(set);
}

static void bench_get(void)
{
    enum { ROUNDS = 20 };
    hg_regex_set *sets[GET_STRINGS];
    hg_slice texts[GET_STRINGS];
    uint64_t words[32 * (MAX_PATTERNS / 64)];
    double least_alone = 1e18, least_many = 1e18, least_jobs = 1e18;
    hg_regex_job jobs[GET_STRINGS];
    for (int i = 0; i < GET_STRINGS; i++) {
        texts[i] = hg_slice_from(get_request[i].text);
        sets[i] = i > 0 && strcmp(get_request[i].set, get_request[i - 1].set) == 0
                      ? sets[i - 1]
                      : make_set(ruleset_find(&rules, get_request[i].set));
    }
    for (int i = 0; i < GET_STRINGS; i++)
        jobs[i] = (hg_regex_job){.set = sets[i], .text = texts[i], .hits = words + i * (MAX_PATTERNS / 64)};
    for (int p = 0; p < 200; p++) {
        double begin = now();
        for (int i = 0; i < GET_STRINGS * ROUNDS; i++)
            hg_regex_set_scan(sets[i % GET_STRINGS], scratch, texts[i % GET_STRINGS], words);
        double middle = now();
        for (int i = 0, k, round = 0; round < ROUNDS; i = k % GET_STRINGS, round += k == GET_STRINGS) {
            for (k = i + 1; k < GET_STRINGS && sets[k] == sets[i];)
                k++;
            hg_regex_set_scan_many(sets[i], scratch, texts + i, (size_t)(k - i), words, NULL);
        }
        double end = now();
        for (int round = 0; round < ROUNDS; round++)
            hg_regex_scan_jobs(scratch, jobs, GET_STRINGS);
        double last = now();
        least_jobs = last - end < least_jobs ? last - end : least_jobs;
        least_alone = middle - begin < least_alone ? middle - begin : least_alone;
        least_many = end - middle < least_many ? end - middle : least_many;
    }
    row("GET, 25 strings with their sets, one by one", NULL, least_alone / ROUNDS, "us", NO_BAR, 0);
    row("GET, 25 strings with their sets, a batch per set", NULL, least_many / ROUNDS, "us", NO_BAR, 0);
    row("GET, 25 strings with their sets, all together, as the evaluator does", NULL, least_jobs / ROUNDS, "us", AT_MOST, 1.2);
    for (int i = 0; i < GET_STRINGS; i++) {
        if (i == 0 || sets[i] != sets[i - 1])
            hg_regex_set_free(sets[i]);
    }
}

static int count_hits(const hg_regex_set *set, hg_slice text)
{
    uint64_t words[MAX_PATTERNS / 64] = {0};
    int hits = 0;
    hg_regex_set_scan(set, scratch, text, words);
    for (size_t i = 0; i < hg_regex_set_count(set); i++)
        hits += (words[i / 64] >> (i % 64)) & 1;
    return hits;
}

/* English prose that no pattern but .* matches, and the same with an attack in every 4 KB. */
static void bench_prose(const char *name)
{
    enum { SIZE = 65536, EVERY = 4096 };
    static const char attack[] = " <script>alert(document.cookie)</script> ' UNION SELECT password FROM users -- ";
    static char prose[SIZE];
    char what[64];
    const named_set *named = ruleset_find(&rules, name);
    hg_regex_set *set = make_set(named);
    hg_slice text = hg_slice_of(prose, SIZE);
    make_prose(prose, SIZE);
    for (int attacked = 0; attacked < 2; attacked++) {
        for (size_t at = EVERY / 2; attacked && at < SIZE; at += EVERY)
            memcpy(prose + at, attack, sizeof attack - 1);
        double t = best(pass_alone, set, &text, 1, 8);
        snprintf(what, sizeof what, "64 KB prose, %d patterns hit", count_hits(set, text));
        row(what, named, SIZE / t / 1e3, "GB/s", attacked ? NO_BAR : AT_LEAST, 0.5);
    }
    hg_regex_set_free(set);
}

/* The first 100 bytes that a set gets after loading; the median of many sets, as only once is each new. */
static void bench_first(const char *name)
{
    enum { SETS = 31, TEXTS = 3, BYTES = 100 };
    static double times[SETS];
    const named_set *named = ruleset_find(&rules, name);
    hg_regex_set *sets[SETS];
    uint64_t words[MAX_PATTERNS / 64];
    for (int k = 0; k < SETS; k++)
        sets[k] = make_set(named);
    for (int k = 0; k < SETS; k++) {
        char prose[BYTES + 1];
        make_prose(prose, BYTES);
        double begin = now();
        for (int i = 0; i < TEXTS; i++)
            hg_regex_set_scan(sets[k], scratch, hg_slice_of(prose + i * BYTES / TEXTS, BYTES / TEXTS), words);
        double t = now() - begin;
        int at = k;
        for (; at > 0 && times[at - 1] > t; at--)
            times[at] = times[at - 1];
        times[at] = t;
    }
    row("first 100 bytes after load, median of 31", named, times[SETS / 2], "us", AT_MOST, 25);
    for (int k = 0; k < SETS; k++)
        hg_regex_set_free(sets[k]);
}

/* Texts seen for the first time by a fresh set, against the same texts once all is warm. */
static void bench_unseen(const char *name)
{
    enum { VALUES = 4000 };
    static char values[VALUES][64];
    static hg_slice texts[VALUES];
    const named_set *named = ruleset_find(&rules, name);
    size_t bytes = 0, hits;
    for (int i = 0; i < VALUES; i++) {
        texts[i] = hg_slice_of(values[i], make_value(values[i]));
        bytes += texts[i].len;
    }
    hg_regex_set *set = make_set(named);
    double unseen = pass_alone(set, texts, VALUES, &hits);
    double warm = best(pass_alone, set, texts, VALUES, 60);
    row("unseen values of 24 bytes", named, unseen * 1e3 / (double)bytes, "ns/B", NO_BAR, 0);
    row("  the same, warm", named, warm * 1e3 / (double)bytes, "ns/B", NO_BAR, 0);
    row("  unseen against warm", named, unseen / warm, "times", AT_MOST, 4);
    hg_regex_set_free(set);
}

static void bench_noise(const char *name, const char *kind, void (*make)(char *out, size_t len))
{
    enum { TEXTS = 1000, SIZE = 100, ROUNDS = 80, LAST = 20 };
    static char noise[TEXTS][SIZE];
    hg_slice texts[TEXTS];
    size_t hits = 0;
    double first = 0, worst = 0, least = 1e18, sum = 0;
    const named_set *named = ruleset_find(&rules, name);
    hg_regex_set *set = make_set(named);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TEXTS; i++) {
            make(noise[i], SIZE);
            texts[i] = hg_slice_of(noise[i], SIZE);
        }
        double t = pass_alone(set, texts, TEXTS, &hits) * 1e3 / (TEXTS * SIZE);
        first = round == 0 ? t : first;
        worst = round > 0 && t > worst ? t : worst;
        sum += round >= ROUNDS - LAST ? t : 0;
        least = t < least ? t : least;
    }
    char what[64];
    snprintf(what, sizeof what, "noise, %s, tables growing (worst of 100 KB)", kind);
    row(what, named, first > worst ? first : worst, "ns/B", AT_MOST, 60);
    snprintf(what, sizeof what, "noise, %s, steady (last 2 MB)", kind);
    row(what, named, sum / LAST, "ns/B", AT_MOST, 12);
    snprintf(what, sizeof what, "  %s, best 100 KB", kind);
    row(what, named, least, "ns/B", NO_BAR, 0);
    hg_regex_set_free(set);
}

static void print_pass(const char *name, const char *kind, const char *engine, int turn, size_t texts, double us)
{
    bench_print(&(bench_line){"regex", "set", kind, name, engine, 0, turn, texts, (uint64_t)(us * 1e3), 0});
}

/* The same texts through every engine, turn by turn, so that all meet the same weather. */
static void against_rivals(const char *name, const char *kind, const hg_slice *texts, size_t count)
{
    rival rivals[4];
    const named_set *named = ruleset_find(&rules, name);
    hg_regex_set *set = make_set(named);
    int rival_count = open_rivals(&rules, named, rivals);
    double least[5] = {1e18, 1e18, 1e18, 1e18, 1e18};
    for (int p = 0; p < 3 * PASSES; p++) {
        size_t hits;
        double t = pass_alone(set, texts, count, &hits);
        least[4] = t < least[4] ? t : least[4];
        if (json)
            print_pass(name, kind, "hotgate", p, count, t);
        for (int r = 0; r < rival_count; r++) {
            double begin = now();
            for (size_t i = 0; i < count; i++)
                rivals[r].scan(rivals[r].state, texts[i]);
            t = now() - begin;
            least[r] = t < least[r] ? t : least[r];
            if (json)
                print_pass(name, kind, rivals[r].name, p, count, t);
        }
    }
    hg_regex_set_free(set);
    if (json)
        return;
    printf("%s, %s (%d patterns), us a text:\n  %-22s %8.3f\n", kind, name, named->count, "hotgate",
           least[4] / (double)count);
    for (int r = 0; r < rival_count; r++)
        printf("  %-22s %8.3f%s%.0d%s\n", rivals[r].name, least[r] / (double)count, rivals[r].refused ? " (refuses " : "",
               rivals[r].refused, rivals[r].refused ? ")" : "");
}

static void bench_rivals(void)
{
    enum { TEXTS = 500, SIZE = 100 };
    static char agents[TEXTS][102], values[TEXTS][64], noise[TEXTS][SIZE];
    hg_slice agent_texts[TEXTS], value_texts[TEXTS], noise_texts[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        make_agent(agents[i]);
        make_printable(noise[i], SIZE);
        agent_texts[i] = hg_slice_of(agents[i], 101);
        value_texts[i] = hg_slice_of(values[i], make_value(values[i]));
        noise_texts[i] = hg_slice_of(noise[i], SIZE);
    }
    against_rivals("server.request.headers.no_cookies:user-agent", "user agents", agent_texts, TEXTS);
    against_rivals("all rules", "user agents", agent_texts, TEXTS);
    against_rivals("server.request.query", "values", value_texts, TEXTS);
    against_rivals("server.request.body", "printable noise", noise_texts, TEXTS);
}

static void bench_own(void)
{
    bench_memory();
    bench_load();
    compile_all();
    bench_agents("server.request.headers.no_cookies:user-agent", 0.2);
    bench_agents("all rules", 0.3);
    bench_agents("all patterns", 0);
    bench_get();
    bench_prose("server.request.body");
    bench_first("server.request.query");
    bench_first("server.request.headers.no_cookies:user-agent");
    bench_unseen("server.request.query");
    bench_noise("server.request.body", "printable", make_printable);
    bench_noise("server.request.body", "specials", make_specials);
}

int main(int argc, char **argv)
{
    char path[4096];
    bool with_rivals = argc > 1 && strcmp(argv[1], "-r") == 0;
    json = argc > 1 && strcmp(argv[1], "--json") == 0;
    argc -= with_rivals || json;
    argv += with_rivals || json;
    const char *cases = getenv("HOTGATE_CASES"), *given = argc > 1 ? argv[1] : getenv("HOTGATE_RULES");
    if (given == NULL && cases == NULL) {
        fprintf(stderr, "usage: regex [-r | --json] RULESET.json (or set HOTGATE_RULES)\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s%s", given ? given : cases, given ? "" : "/rulesets/recommended-1.18.0.json");
    if (!ruleset_load(&rules, path))
        return 1;
    scratch = hg_regex_scratch_new();
    hg_regex_scratch_remember(scratch, false);
    if (json)
        compile_all();
    else
        bench_own();
    if (with_rivals || json)
        bench_rivals();
    drop_all();
    hg_regex_scratch_free(scratch);
    hg_arena_close(&rules.arena);
    return 0;
}
