/* The parts of hotgate scan: what it counts, and the forms in which it tells. */
#ifndef CLI_SCAN_SCAN_H
#define CLI_SCAN_SCAN_H

#include "cli/event.h"
#include "cli/input/input.h"
#include "hotgate/waf.h"

#include <stdio.h>

enum { SCAN_CATEGORIES_MAX = 64, SCAN_NAME_MAX = 48 };

typedef struct scan_category {
    char name[SCAN_NAME_MAX];
    uint64_t hits;
} scan_category;

typedef struct scan_totals {
    uint64_t requests;
    uint64_t matched;  /* requests with at least one event */
    uint64_t hits;     /* events */
    uint64_t bad;      /* entries that could not be read */
    uint64_t judging;  /* nanoseconds inside the engine */
    uint64_t slowest;  /* of one request */
    scan_category categories[SCAN_CATEGORIES_MAX]; /* beyond that: the last is "other" */
    size_t category_count;
} scan_totals;

void scan_count(scan_totals *totals, const hg_result *result);

/* One line a hit for people. */
typedef struct scan_table {
    FILE *out;
    bool colour;
    bool header_done;
} scan_table;

void scan_table_hit(scan_table *table, const cli_input *input, const cli_entry *entry, const hg_result *result);
void scan_table_summary(const scan_table *table, const scan_totals *totals, double seconds);

/* One JSON object a line. */
void scan_json_entry(FILE *out, const cli_input *input, const cli_entry *entry, const hg_result *result);

/* A line on the terminal that says how far the scan is. */
typedef struct scan_progress {
    bool on;
    bool shown;
    double started, last;
    uint64_t files_size, files_done; /* bytes of all files, and of those finished; size 0 = not known */
} scan_progress;

void scan_progress_start(scan_progress *progress, bool wanted, char *const *paths, size_t count);
void scan_progress_update(scan_progress *progress, const cli_input *input, const scan_totals *totals);
void scan_progress_clear(scan_progress *progress);

/* Seconds of a clock that never goes back. */
double scan_clock(void);

#endif
