/* The HTML report of a scan: what is collected while scanning, and the page at the end. */
#ifndef CLI_SCAN_REPORT_H
#define CLI_SCAN_REPORT_H

#include "cli/rules.h"
#include "cli/scan/scan.h"

typedef struct scan_report scan_report;

/* The page without its data, NUL-terminated; part of the program. */
extern const char scan_report_page[];

/* NULL: out of memory. */
scan_report *scan_report_new(void);
void scan_report_free(scan_report *report);

/* Takes note of a request; results without events count for the sample of request costs only. */
void scan_report_add(scan_report *report, const cli_input *input, const cli_entry *entry, const hg_result *result);

typedef struct scan_report_end {
    const scan_totals *totals;
    double seconds;
    const char *const *rule_files;
    size_t rule_count;
    size_t rules_loaded;
    char *const *paths;
    size_t path_count;
} scan_report_end;

/* Measures the rules one by one on the sample and writes the page. HG_ERR_IO: errno tells. */
hg_status scan_report_write(scan_report *report, const char *file, const scan_report_end *end);

/* Seconds since 1970 of a time as logs ("12/Mar/2026:08:14:02 +0100") or ISO 8601 write it; -1 when unreadable. */
int64_t scan_time(hg_slice text);

#endif
