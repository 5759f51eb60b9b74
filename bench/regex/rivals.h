/* The rivals, all loaded at run time: RE2 one by one and as RE2::Set, PCRE2 with its JIT one by one, Hyperscan. A rival
 * that is not there is left out, with a line that says so. */
#ifndef BENCH_REGEX_RIVALS_H
#define BENCH_REGEX_RIVALS_H

#include "regex/sets.h"

#include <dlfcn.h>

/* A compiled set of some rival; scan returns how many patterns hit (existence). */
typedef struct rival {
    const char *name;
    int refused; /* patterns it would not take */
    void *state;
    int (*scan)(void *state, hg_slice text);
} rival;

static void *open_library(const char *name)
{
    char path[4096];
    const char *build = getenv("HOTGATE_BUILD");
    snprintf(path, sizeof path, "%s/peers/%s", build ? build : "build", name);
    void *library = dlopen(path, RTLD_NOW);
    return library != NULL ? library : dlopen(name, RTLD_NOW);
}

/* ---- RE2 ---- */

enum { RE2_BUDGET = 512 << 10 };

typedef struct re2_list {
    void *regexes[MAX_PATTERNS];
    int count;
} re2_list;

static int (*re2_match)(const void *re, const char *text, size_t len, size_t *spans, int count);
static int (*re2_set_scan)(const void *set, const char *text, size_t len);

static int scan_re2(void *state, hg_slice text)
{
    const re2_list *list = state;
    int hits = 0;
    for (int i = 0; i < list->count; i++)
        hits += re2_match(list->regexes[i], text.ptr, text.len, NULL, 0);
    return hits;
}

static int scan_re2_set(void *state, hg_slice text)
{
    return re2_set_scan(state, text.ptr, text.len);
}

static bool open_re2(const ruleset *rules, const named_set *set, rival *one_by_one, rival *as_set)
{
    void *library = open_library("libre2_peer.so");
    if (library == NULL)
        return false;
    void *(*compile)(const char *, size_t, int, long, int *, char *, size_t, size_t *);
    void *(*make_set)(const char *const *, const size_t *, const int *, size_t, long);
    *(void **)&compile = dlsym(library, "re2_peer_compile");
    *(void **)&make_set = dlsym(library, "re2_peer_set");
    *(void **)&re2_match = dlsym(library, "re2_peer_match");
    *(void **)&re2_set_scan = dlsym(library, "re2_peer_set_scan");
    re2_list *list = calloc(1, sizeof *list);
    const char *texts[MAX_PATTERNS];
    size_t lens[MAX_PATTERNS], argument_len;
    int insensitive[MAX_PATTERNS], code;
    char argument[8];
    for (int i = 0; i < set->count; i++) {
        const pattern *p = &rules->patterns[set->members[i]];
        texts[i] = p->text.ptr;
        lens[i] = p->text.len;
        insensitive[i] = p->insensitive;
        list->regexes[list->count++] =
            compile(texts[i], lens[i], insensitive[i], RE2_BUDGET, &code, argument, sizeof argument, &argument_len);
    }
    *one_by_one = (rival){"RE2 one by one", 0, list, scan_re2};
    *as_set = (rival){"RE2::Set", 0, make_set(texts, lens, insensitive, (size_t)set->count, 256L << 20), scan_re2_set};
    return as_set->state != NULL;
}

/* ---- PCRE2 ---- */

enum { PCRE2_CASELESS_BIT = 0x8, PCRE2_UTF_BIT = 0x80000, PCRE2_INVALID_UTF_BIT = 0x04000000, PCRE2_JIT_BIT = 1 };

typedef struct pcre2_list {
    void *codes[MAX_PATTERNS];
    void *data;
    int count;
} pcre2_list;

static int (*pcre2_jit_match)(const void *code, const char *text, size_t len, size_t from, uint32_t options, void *data,
                              void *context);

static int scan_pcre2(void *state, hg_slice text)
{
    const pcre2_list *list = state;
    int hits = 0;
    for (int i = 0; i < list->count; i++)
        hits += pcre2_jit_match(list->codes[i], text.ptr, text.len, 0, 0, list->data, NULL) >= 0;
    return hits;
}

static bool open_pcre2(const ruleset *rules, const named_set *set, rival *out)
{
    void *library = dlopen("libpcre2-8.so.0", RTLD_NOW);
    if (library == NULL)
        return false;
    void *(*compile)(const char *, size_t, uint32_t, int *, size_t *, void *);
    int (*jit)(void *, uint32_t);
    void *(*make_data)(uint32_t, void *);
    *(void **)&compile = dlsym(library, "pcre2_compile_8");
    *(void **)&jit = dlsym(library, "pcre2_jit_compile_8");
    *(void **)&make_data = dlsym(library, "pcre2_match_data_create_8");
    *(void **)&pcre2_jit_match = dlsym(library, "pcre2_match_8");
    pcre2_list *list = calloc(1, sizeof *list);
    *out = (rival){"PCRE2 JIT one by one", 0, list, scan_pcre2};
    list->data = make_data(1, NULL);
    for (int i = 0; i < set->count; i++) {
        const pattern *p = &rules->patterns[set->members[i]];
        int error;
        size_t at;
        uint32_t options = PCRE2_UTF_BIT | PCRE2_INVALID_UTF_BIT | (p->insensitive ? PCRE2_CASELESS_BIT : 0);
        void *code = compile(p->text.ptr, p->text.len, options, &error, &at, NULL);
        if (code == NULL || jit(code, PCRE2_JIT_BIT) != 0)
            out->refused++;
        else
            list->codes[list->count++] = code;
    }
    return true;
}

/* ---- Hyperscan ---- */

enum { HS_CASELESS = 1, HS_SINGLEMATCH = 8, HS_ALLOWEMPTY = 16, HS_UTF8 = 32, HS_BLOCK = 1 };

typedef struct hyperscan {
    void *database, *scratch;
} hyperscan;

static int (*hs_scan)(const void *database, const char *text, unsigned len, unsigned flags, void *scratch,
                      int (*found)(unsigned, unsigned long long, unsigned long long, unsigned, void *), void *context);

static int count_hit(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    (void)id, (void)from, (void)to, (void)flags;
    ++*(int *)context;
    return 0;
}

static int scan_hyperscan(void *state, hg_slice text)
{
    const hyperscan *hs = state;
    int hits = 0;
    hs_scan(hs->database, text.ptr, (unsigned)text.len, 0, hs->scratch, count_hit, &hits);
    return hits;
}

typedef int hs_compile(const char *const *, const unsigned *, const unsigned *, unsigned, unsigned, const void *,
                       void **, void **);

static bool open_hyperscan(const ruleset *rules, const named_set *set, rival *out)
{
    void *library = open_library("hyperscan/libhs.so.5");
    if (library == NULL)
        return false;
    const char *(*version)(void);
    hs_compile *compile;
    int (*make_scratch)(const void *, void **), (*free_error)(void *);
    *(void **)&version = dlsym(library, "hs_version");
    *(void **)&compile = dlsym(library, "hs_compile_multi");
    *(void **)&make_scratch = dlsym(library, "hs_alloc_scratch");
    *(void **)&free_error = dlsym(library, "hs_free_compile_error");
    *(void **)&hs_scan = dlsym(library, "hs_scan");
    if (version == NULL || strncmp(version(), "5.4.0", 5) != 0)
        return false;
    hyperscan *hs = calloc(1, sizeof *hs);
    *out = (rival){"Hyperscan 5.4.0", 0, hs, scan_hyperscan};
    const char *texts[MAX_PATTERNS];
    unsigned flags[MAX_PATTERNS], ids[MAX_PATTERNS], count = 0;
    for (int i = 0; i < set->count; i++) {
        const pattern *p = &rules->patterns[set->members[i]];
        char *text = strndup(p->text.ptr, p->text.len);
        unsigned flag = HS_SINGLEMATCH | HS_ALLOWEMPTY | HS_UTF8 | (p->insensitive ? HS_CASELESS : 0), id = 0;
        void *database = NULL, *error = NULL;
        if (compile((const char *const *)&text, &flag, &id, 1, HS_BLOCK, NULL, &database, &error) != 0) {
            free_error(error);
            out->refused++;
            continue;
        }
        texts[count] = text;
        flags[count] = flag;
        ids[count] = count;
        count++;
    }
    void *error = NULL;
    return compile(texts, flags, ids, count, HS_BLOCK, NULL, &hs->database, &error) == 0 &&
           make_scratch(hs->database, &hs->scratch) == 0;
}

/* All that can be had for the set; returns how many. */
static int open_rivals(const ruleset *rules, const named_set *set, rival out[4])
{
    int count = 0;
    if (open_re2(rules, set, &out[count], &out[count + 1]))
        count += 2;
    else
        fprintf(stderr, "RE2: not there (build/peers/libre2_peer.so)\n");
    if (open_pcre2(rules, set, &out[count]))
        count++;
    else
        fprintf(stderr, "PCRE2: not there\n");
    if (open_hyperscan(rules, set, &out[count]))
        count++;
    else
        fprintf(stderr, "Hyperscan 5.4.0: not there (tools/bench-peers fetches it)\n");
    return count;
}

#endif
