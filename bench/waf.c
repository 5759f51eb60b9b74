/* bench/waf: what judging a request costs, next to the official libddwaf 1.x in the same process and the same moment.
 *
 *   build/bench/waf [--rules FILE] [--case NAME] [--ms N] [--json] [--seed N]
 *   build/bench/waf --callgrind [--case NAME]   instructions instead of time
 *   build/bench/waf --threads                   what a second thread gains
 *   build/bench/waf --alone N [--again]         only judges, with our engine, for profilers
 *
 * One operation is a context: made, given the request, ended. Limits are off on both sides, nothing is obfuscated, no
 * input is freed or converted. The engines take turns; shown are medians over all turns. Every request is new: its
 * headers and names are those of one client and one service, its values were not seen before. "again" is the time when
 * it is the same request every time, so that a thread remembers all of it. The last table goes through our libddwaf.so
 * (version 1 ABI), with the ABI's default limits on both sides.
 *
 * Rules are those of --rules, else ruleset 1.18.0 from $HOTGATE_CASES or from where tools/peers puts it. The rival is
 * where tools/peers puts it, or $HOTGATE_DDWAF1; without it ours is shown. */
#include "waf/instructions.h"
#include "waf/loading.h"
#include "waf/threads.h"

enum { ROUNDS = 41 };

typedef struct options {
    const char *rules, *only, *count_mode;
    size_t alone, counted;
    uint64_t seed;
    double turn_ns;
    bool json, threads, callgrind, again;
} options;

/* ---- Measuring ---- */

typedef struct figures {
    double ns; /* median of one operation */
    double mallocs;
    bool match;
} figures;

static double time_batch(const engine *e, const requests *r, size_t operations)
{
    uint64_t begin = now();
    for (size_t i = 0; i < operations; i++)
        judge(e, &r->items[i % r->count]);
    return (double)(now() - begin) / (double)operations;
}

/* Operations that take about that long, as far as there are requests for them. */
static size_t calibrate(const engine *e, const requests *r, double wanted_ns)
{
    double once = time_batch(e, r, r->count);
    size_t wanted = once >= wanted_ns ? 1 : (size_t)(wanted_ns / once) + 1;
    return wanted < REQUESTS ? wanted : REQUESTS;
}

static void count_mallocs(const engine *e, const requests *r, figures *out)
{
    size_t before = allocations;
    for (size_t i = 0; i < r->count; i++)
        out->match = judge(e, &r->items[i]);
    out->mallocs = (double)(allocations - before) / (double)r->count;
}

static void print_json(const char *name, const char *method, size_t iteration, size_t operations, double ns, size_t bytes)
{
    printf("{\"suite\":\"waf\",\"class\":\"%s\",\"method\":\"%s\",\"params\":\"\",\"toolchain\":\"%s\",\"launch\":0,"
           "\"iteration\":%zu,\"stage\":\"measured\",\"ops\":%zu,\"ns\":%.0f,\"bytes\":%zu}\n",
           name, method, __VERSION__, iteration, operations, ns * (double)operations, bytes * operations);
}

/* Each engine, then our own with the same request again and again. */
static void measure(const engine *engines, size_t count, requests *r, const waf_case *c, const options *o, figures out[3])
{
    static double times[3][ROUNDS];
    const char *labels[3] = {engines[0].label, count > 1 ? engines[1].label : NULL, "hotgate again"};
    size_t operations[3] = {0}, most = 1;
    requests_make(r, c, 8);
    for (size_t k = 0; k < count; k++) {
        operations[k] = calibrate(&engines[k], r, o->turn_ns);
        most = operations[k] > most ? operations[k] : most;
    }
    operations[2] = operations[0];
    for (size_t round = 0; round < ROUNDS; round++) {
        requests_make(r, c, most);
        for (size_t k = 0; k < count; k++)
            times[k][round] = time_batch(&engines[k], r, operations[k]);
        r->count = 1;
        times[2][round] = time_batch(&engines[0], r, operations[2]);
        r->count = most;
        for (size_t k = 0; k < 3 && o->json; k++)
            if (operations[k] > 0)
                print_json(c->name, labels[k], round, operations[k], times[k][round], r->items[0].bytes);
    }
    requests_make(r, c, 8);
    for (size_t k = 0; k < 3; k++)
        out[k].ns = operations[k] > 0 ? median(times[k], ROUNDS) : 0;
    for (size_t k = 0; k < count; k++)
        count_mallocs(&engines[k], r, &out[k]);
}

static bool is_wanted(const options *o, size_t i)
{
    return o->only == NULL || strcmp(o->only, waf_cases[i].name) == 0;
}

static void show_cases(const engine *engines, size_t count, requests *r, const options *o)
{
    if (!o->json)
        printf("%-10s %8s %12s %12s %12s %7s %9s %9s  events\n", "case", "bytes", engines[0].label, "again",
               count > 1 ? engines[1].label : "", "ratio", "mallocs", "theirs");
    for (size_t i = 0; i < WAF_CASES; i++) {
        figures f[3] = {0};
        if (!is_wanted(o, i))
            continue;
        measure(engines, count, r, &waf_cases[i], o, f);
        if (!o->json)
            printf("%-10s %8zu %9.0f ns %9.0f ns %9.0f ns %7.1f %9.1f %9.1f  %s\n", waf_cases[i].name, r->items[0].bytes,
                   f[0].ns, f[2].ns, f[1].ns, f[1].ns / f[0].ns, f[0].mallocs, f[1].mallocs,
                   count < 2 || f[0].match == f[1].match ? "agree" : "DIFFER");
        fflush(stdout);
    }
}

/* ---- Parts of a run ---- */

static void show_loading(engine *engines, size_t count, hg_slice rules, const request *first)
{
    loading l[2] = {0};
    measure_loading(engines, count, rules, first, l);
    printf("%-16s %10s %13s\n", "", engines[0].label, count > 1 ? engines[1].label : "");
    printf("load            %10.0f us %10.0f us\n", l[0].load_ns / 1000, l[1].load_ns / 1000);
    printf("first judgement %10.0f us %10.0f us\n", l[0].first_ns / 1000, l[1].first_ns / 1000);
    printf("resident growth %10zu KB %10zu KB\n\n", l[0].grown / 1024, l[1].grown / 1024);
}

static void show_facade(const ddwaf1 *peer, hg_slice rules, requests *r, const options *o)
{
    static ddwaf1 facade;
    char path[4096];
    const char *build = getenv("HOTGATE_BUILD");
    snprintf(path, sizeof path, "%s/ddwaf1/libddwaf.so", build ? build : "build");
    if (!ddwaf1_open_file(path, &facade))
        return;
    engine engines[2] = {{.label = "our facade", .library = &facade}, {.label = "libddwaf", .library = peer}};
    printf("\nthrough libddwaf.so, default limits\n\n");
    for (size_t k = 0; k < 2; k++)
        engine_load(&engines[k], rules);
    show_cases(engines, 2, r, o);
    for (size_t k = 0; k < 2; k++)
        engine_unload(&engines[k]);
}

static void judge_alone(const engine *e, requests *r, const options *o)
{
    for (size_t i = 0; i < WAF_CASES; i++) {
        if (!is_wanted(o, i))
            continue;
        requests_make(r, &waf_cases[i], o->again ? 1 : o->alone < REQUESTS ? o->alone : REQUESTS);
        for (size_t k = 0; k < o->alone; k++)
            judge(e, &r->items[k % r->count]);
    }
}

static void judge_counted(engine *engines, hg_slice rules, const options *o)
{
    enum { WARM_OURS = 400, WARM_LONG = 20, WARM_THEIRS = 5, LONG = 16384 };
    const bool theirs = strcmp(o->count_mode, "theirs") == 0;
    const engine *e = &engines[theirs];
    engine_load(&engines[theirs], rules);
    for (size_t i = 0; i < WAF_CASES; i++) {
        hg_buffer text = {0};
        if (!is_wanted(o, i))
            continue;
        waf_cases[i].write(&text);
        size_t warm = theirs ? WARM_THEIRS : text.len > LONG ? WARM_LONG : WARM_OURS;
        hg_buffer_free(&text);
        count_operations(e, &waf_cases[i], strcmp(o->count_mode, "again") == 0, warm, o->counted);
    }
}

/* ---- Options and files ---- */

static hg_slice read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    hg_buffer text = {0};
    char block[65536];
    if (file == NULL) {
        perror(path);
        exit(3);
    }
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        hg_buffer_append(&text, hg_slice_of(block, got));
    fclose(file);
    return hg_slice_of(text.ptr, text.len);
}

static const char *find_rules(char path[4096])
{
    const char *cases = getenv("HOTGATE_CASES"), *build = getenv("HOTGATE_BUILD");
    if (cases != NULL) {
        snprintf(path, 4096, "%s/rulesets/recommended-1.18.0.json", cases);
        if (access(path, R_OK) == 0)
            return path;
    }
    snprintf(path, 4096, "%s/peers/recommended-1.18.0.json", build ? build : "build");
    if (access(path, R_OK) == 0)
        return path;
    fprintf(stderr, "no rules: %s is not there. Run tools/peers, which fetches ruleset 1.18.0 from npm, set HOTGATE_CASES to "
                    "a folder that has rulesets/recommended-1.18.0.json, or name a file with --rules.\n", path);
    exit(3);
}

static bool read_flag(const char *argument, options *o)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--json", &o->json}, {"--threads", &o->threads}, {"--callgrind", &o->callgrind}, {"--again", &o->again}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(argument, flags[i].name) == 0)
            return *flags[i].flag = true;
    return false;
}

static bool read_option(const char *name, const char *value, options *o)
{
    if (strcmp(name, "--rules") == 0) {
        o->rules = value;
    } else if (strcmp(name, "--case") == 0) {
        o->only = value;
    } else if (strcmp(name, "--alone") == 0) {
        o->alone = strtoul(value, NULL, 10);
    } else if (strcmp(name, "--seed") == 0) {
        o->seed = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--ms") == 0) {
        o->turn_ns = strtod(value, NULL) * 1e6;
    } else if (strncmp(name, "--count-", 8) == 0) {
        o->count_mode = name + 8;
        o->counted = strtoul(value, NULL, 10);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.turn_ns = 2e6, .seed = 1};
    char path[4096];
    for (int i = 1; i < argc; i++) {
        if (read_flag(argv[i], &o) || (i + 1 < argc && read_option(argv[i], argv[i + 1], &o) && ++i))
            continue;
        fprintf(stderr, "waf: unknown option %s\n", argv[i]);
        return 2;
    }
    if (o.rules == NULL)
        o.rules = find_rules(path);
    const ddwaf1 *peer = o.alone ? NULL : ddwaf1_open();
    if (o.callgrind)
        return show_instructions(o.rules, o.only, peer != NULL);
    engine engines[2] = {{.label = "hotgate"}, {.label = "libddwaf", .library = peer, .limits = unlimited}};
    size_t count = peer != NULL ? 2 : 1;
    hg_slice rules = read_file(o.rules);
    static requests r;
    case_seed = o.seed;
    if (o.count_mode != NULL) {
        judge_counted(engines, rules, &o);
        return 0;
    }
    r.library = peer;
    requests_make(&r, &waf_cases[0], 64);
    if (o.alone || o.threads || o.json) {
        for (size_t k = 0; k < count; k++)
            engine_load(&engines[k], rules);
    } else {
        show_loading(engines, count, rules, &r.items[0]);
    }
    if (o.threads)
        show_threads(&engines[0], &r);
    else if (o.alone)
        judge_alone(&engines[0], &r, &o);
    else
        show_cases(engines, count, &r, &o);
    if (peer != NULL && !o.threads && !o.json)
        show_facade(peer, rules, &r, &o);
    return 0;
}
