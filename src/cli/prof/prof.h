/* hotgate prof: what its sub-verbs share. */
#ifndef CLI_PROF_PROF_H
#define CLI_PROF_PROF_H

#include "prof/pprof.h"

#include <stdio.h>

enum { PROF_OK = 0, PROF_FAILED = 1, PROF_USAGE = 2, PROF_DATA = 3 };

typedef struct prof_options {
    const char *output; /* NULL: standard output */
    const char *type;   /* sample type; NULL: the first one that is not empty, time before counts */
    const char *format;
    size_t count; /* rows of a table */
    bool plain;   /* do not compress */
    char **files;
    size_t file_count;
} prof_options;

typedef int prof_run(const prof_options *o);
prof_run prof_top, prof_flame, prof_diff, prof_convert, prof_merge;

/* Reads a file and complains on stderr; PROF_OK or PROF_DATA. */
int prof_load(const char *path, pprof *out);
int prof_load_all(const prof_options *o, pprof *out); /* all files, added up */

/* Position of the wanted sample type, or SIZE_MAX with a complaint. */
size_t prof_type(const pprof *p, const char *wanted);

/* Opens the output; closes it (not stdout) and tells whether everything was written. */
FILE *prof_open(const prof_options *o);
int prof_close(const prof_options *o, FILE *out);

/* A name from a file, for people: control characters escaped. */
void prof_print_name(FILE *out, hg_slice name);

/* "1.25 s", "3.1 MB", "1,204" by unit. */
const char *prof_amount(double value, hg_slice unit, char out[48]);

/* ---- Functions with what they cost themselves and with what they call ---- */
typedef struct function_sum {
    hg_slice name, file;
    int64_t self, total;
} function_sum;

typedef struct function_sums {
    function_sum *items; /* by self, falling */
    size_t count;
    int64_t all;
} function_sums;

hg_status sums_of(const pprof *p, size_t type, function_sums *out);
void sums_free(function_sums *s);

hg_slice flame_page(void);

#endif
