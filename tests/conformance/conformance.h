/* The conformance runner: what main.c and the kinds share. A kind is one file here and one line in main.c. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "hotgate/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct conformance_tally {
    const char *path; /* the file or folder being run */
    size_t passed;
    size_t failed;
} conformance_tally;

typedef struct conformance_kind {
    const char *name;
    const char *summary;

    /* Runs all cases of one file, whose whole content is given. False: the content (its header line or its
     * fields) is no format of this kind; nothing was counted then. */
    bool (*file)(hg_slice content, conformance_tally *tally);

    /* Optional: runs a folder that is one case as a whole. False: it is none, its entries are tried singly. */
    bool (*folder)(const char *path, conformance_tally *tally);

    /* Optional: takes an option of the command line, `--name` and its value. False: it is none of this kind's. */
    bool (*option)(const char *name, const char *value);
} conformance_kind;

extern const conformance_kind conformance_regex;
extern const conformance_kind conformance_injection;
extern const conformance_kind conformance_waf;
extern const conformance_kind conformance_packets;

/* Counts one case; a failure prints the path, the name of the case and the reason on one line. */
void conformance_pass(conformance_tally *tally);
void conformance_fail(conformance_tally *tally, hg_slice name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The file's bytes, to be freed by the caller (free(content.ptr)); false, with a message printed, on failure. */
bool conformance_read(const char *path, hg_slice *content);

/* Cuts the first line (without its LF) off *rest; false at the end. */
bool conformance_line(hg_slice *rest, hg_slice *line);

#endif
