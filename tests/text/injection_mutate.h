/* Endless seeded inputs for the injection detectors: pieces of SQL and HTML, mixed, and mutations of samples. */
#ifndef TESTS_INJECTION_MUTATE_H
#define TESTS_INJECTION_MUTATE_H

#include "hotgate/base.h"

typedef struct injection_samples {
    hg_slice *items;
    size_t count;
    size_t cap;
} injection_samples;

typedef struct injection_mutator {
    uint64_t random;
    injection_samples samples; /* whole inputs; may be empty */
    injection_samples pieces;  /* words and names, besides those built in */
} injection_mutator;

enum { INJECTION_LONGEST = 4096 };

/* Takes every cell of a tab-separated table that is a JSON string, its code points being bytes. False, with a
 * message, when the file cannot be read. */
bool injection_add_table(injection_samples *samples, const char *path);

/* Takes the first column of every line. */
bool injection_add_list(injection_samples *samples, const char *path);

/* Takes every file of a folder as it is. */
bool injection_add_folder(injection_samples *samples, const char *path);

void injection_free_samples(injection_samples *samples);

/* Writes the next input, up to INJECTION_LONGEST bytes; returns its length. */
size_t injection_mutate(injection_mutator *m, char *out);

#endif
