/* The objects behind hotgate/regex.h, shared inside the room. */
#ifndef REGEX_INTERNAL_H
#define REGEX_INTERNAL_H

#include "hotgate/regex.h"
#include "regex/program.h"
#include "regex/simulate.h"

#include <stdatomic.h>

struct hg_regex {
    atomic_uint references;
    rx_program program;
    size_t pattern_len;
    char pattern[]; /* pattern_len bytes */
};

struct hg_regex_scratch {
    rx_sim sim;
    hg_status status; /* HG_ERR_NOMEM once memory ran out */
};

struct hg_regex_set {
    size_t count;
    hg_regex **regexes;
};

#endif
