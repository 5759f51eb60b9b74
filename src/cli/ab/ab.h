/* hotgate ab: two sets of measurements, a verdict for each benchmark, reports. Shared by the files of this folder. */
#ifndef CLI_AB_AB_H
#define CLI_AB_AB_H

#include "hotgate/base.h"
#include "hotgate/value.h"

#include <stdio.h>

/* One benchmark of one side. `ns` holds nanoseconds per operation, in the order of measurement until
 * series_prepare sorts it. */
typedef struct series {
    char *suite, *class, *method, *params, *toolchain; /* never NULL */
    double *ns;
    size_t count, capacity;
    double bytes_sum; /* of bytes allocated per operation */
    size_t bytes_count;
    double gc[3]; /* collections per 1,000 operations */
    bool has_gc;
    double instructions_sum; /* per operation */
    size_t instructions_count;
    bool program; /* a whole program was timed: judged by Welch */
    /* derived by series_prepare */
    double mean, sd, median, minimum, maximum;
    size_t outliers;
    const char *modality; /* "" when there is nothing to say */
} series;

typedef struct result_set {
    const char *name; /* a file or a branch, for the reports */
    series *items;
    size_t count, capacity;
    size_t rejected; /* measurements that could not be used */
} result_set;

typedef struct measurement {
    hg_slice suite, class, method, params, toolchain;
    double ns_per_op;
    double bytes_per_op; /* negative: not measured */
    double instructions_per_op; /* negative: not measured */
    bool program;
} measurement;

/* samples.c */
hg_status set_add(result_set *set, const measurement *m);
hg_status series_push(series *s, double ns);
series *set_series(result_set *set, const measurement *m); /* finds or makes; NULL when out of memory */
void set_free(result_set *set);
const series *set_find(const result_set *set, const series *like);
hg_status series_prepare(series *s); /* sorts and derives */
double series_bytes(const series *s); /* mean, or -1 */

/* read*.c: any supported format, recognised from content. On failure *error holds a message. */
typedef struct read_error {
    char message[256];
} read_error;
hg_status read_results(const char *path, double unit_ns, result_set *set, read_error *error);
hg_status read_json(hg_slice text, result_set *set, read_error *error);
hg_status read_json_lines(hg_slice text, result_set *set, read_error *error);
hg_status read_csv(hg_slice text, result_set *set, read_error *error);
hg_status read_numbers(hg_slice text, double unit_ns, const char *name, result_set *set, read_error *error);
bool number_parse(hg_slice text, double *out); /* the whole of text */

/* stats.c, distributions.c */
double normal_cdf(double z);
double student_cdf(double t, double df);
double student_quantile(double p, double df);
/* One-sided p value of "x - y > shift"; both sorted. */
double mann_whitney(const double *x, size_t n, const double *y, size_t m, double shift);
double mann_whitney_u(const double *x, size_t n, const double *y, size_t m, double shift);
double welch(double mean_x, double var_x, size_t n, double mean_y, double var_y, size_t m, double shift);
hg_status sort_numbers(double *values, size_t count);
double sorted_quantile(const double *sorted, size_t count, double q);
const char *modality_of(const double *sorted, size_t count); /* modality.c */

/* judge.c */
typedef enum verdict { VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNKNOWN } verdict;
typedef enum alloc_verdict { ALLOC_SAME, ALLOC_FEWER, ALLOC_MORE, ALLOC_UNKNOWN } alloc_verdict;

typedef struct judge_options {
    enum { JUDGE_AUTO, JUDGE_MANN_WHITNEY, JUDGE_WELCH } method;
    double significance;  /* 0.05 */
    double relative;      /* threshold as a share of the mean; negative: 0.10 (Mann-Whitney) or 0.05 (Welch) */
    double absolute_ns;   /* negative: 0.3 ns or 5 ms */
    double allocation;    /* 0.005 */
} judge_options;

typedef struct comparison {
    const series *base, *diff;
    verdict speed;
    alloc_verdict allocation;
    bool welch;
    double ratio;            /* of medians, >= 1 for faster and slower, base/diff otherwise */
    double change;           /* (diff mean - base mean) / base mean */
    double low, high;        /* its 95 % confidence interval */
    double p_faster, p_slower;
    double bytes_change;     /* relative; infinity from 0 to anything */
} comparison;

typedef struct report {
    const char *base_name, *diff_name;
    comparison *items; /* sorted by class, method, parameters, toolchain */
    size_t count;
    const series **only_base, **only_diff;
    size_t only_base_count, only_diff_count;
    size_t faster, slower, same, unknown, fewer, more;
    double faster_mean, slower_mean; /* geometric; 1 when there are none */
    size_t rejected;
    bool seed_order;
    judge_options options;
} report;

hg_status judge(const result_set *base, const result_set *diff, const judge_options *options, report *out);
void report_free(report *r);
const char *verdict_name(verdict v);
const char *alloc_name(alloc_verdict v);

/* report_*.c */
void report_text(const report *r, bool color, FILE *out);
void report_markdown(const report *r, FILE *out);
void report_json(const report *r, FILE *out);
void report_html(const report *r, FILE *out);
const char *format_time(double ns, char out[32]);      /* three significant digits, ns / μs / ms / s */
const char *format_bytes(double bytes, char out[32]);  /* B / KB / MB */
const char *format_grouped(double number, int decimals, char out[48]); /* 49,313.75 */
const char *short_params(const series *s, char *out, size_t size); /* first5(...)last5 [length] */

/* runs.c */
typedef struct run_options {
    size_t runs, warmup;
    int cpu; /* -1: not pinned */
    uint64_t seed;
    double max_steal; /* share of CPU time stolen during a run above which it is thrown away and repeated */
    bool progress;
} run_options;
hg_status run_commands(const char *commands[2], const run_options *options, result_set sets[2], read_error *error);
hg_status save_results(const char *path, const result_set *set, read_error *error);

#endif
