/* Instructions of one operation, counted by callgrind, which runs this program again for each case and engine. */
#ifndef BENCH_WAF_INSTRUCTIONS_H
#define BENCH_WAF_INSTRUCTIONS_H

#include "waf/requests.h"

#include <string.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT ((void)0)
#endif

/* What callgrind runs: requests before the count begins, then the ones counted. */
static inline void count_operations(const engine *e, const waf_case *c, bool again, size_t warm, size_t counted)
{
    static requests r;
    r.library = e->library;
    for (size_t i = 0; i < warm; i++) {
        requests_make(&r, c, 1);
        judge(e, &r.items[0]);
    }
    for (size_t i = 0; i < counted; i++) {
        if (i == 0 || !again)
            requests_make(&r, c, 1);
        for (int k = 0; i == 0 && again && k < 3; k++)
            judge(e, &r.items[0]);
        CALLGRIND_TOGGLE_COLLECT;
        judge(e, &r.items[0]);
        CALLGRIND_TOGGLE_COLLECT;
    }
    requests_clear(&r);
}

/* Instructions a request; negative: valgrind is not there. */
static inline double instructions_of(const char *self, const char *rules, const char *name, const char *mode)
{
    enum { COUNTED = 10 };
    char line[10000];
    double collected = -1;
    snprintf(line, sizeof line,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '%s' --rules '%s' --case %s "
             "--count-%s %d 2>&1",
             self, rules, name, mode, COUNTED);
    FILE *pipe = popen(line, "r");
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        const char *at = strstr(line, "Collected : ");
        if (at != NULL)
            collected = strtod(at + strlen("Collected : "), NULL) / COUNTED;
    }
    if (pipe != NULL)
        pclose(pipe);
    return collected;
}

static inline int show_instructions(const char *rules, const char *only, bool with_peer)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    printf("instructions a request, by callgrind, which knows AVX2 but no SHA instructions\n\n");
    printf("%-10s %12s %12s %12s %7s\n", "case", "hotgate", "again", "libddwaf", "ratio");
    for (size_t i = 0; i < WAF_CASES; i++) {
        if (only != NULL && strcmp(only, waf_cases[i].name) != 0)
            continue;
        double ours = instructions_of(self, rules, waf_cases[i].name, "ours");
        double again = instructions_of(self, rules, waf_cases[i].name, "again");
        double theirs = with_peer ? instructions_of(self, rules, waf_cases[i].name, "theirs") : 0;
        if (ours <= 0) {
            fprintf(stderr, "--callgrind needs valgrind and its header: apt-get install valgrind, then build again\n");
            return 3;
        }
        printf("%-10s %12.0f %12.0f %12.0f %7.1f\n", waf_cases[i].name, ours, again, theirs, theirs / ours);
        fflush(stdout);
    }
    return 0;
}

#endif
