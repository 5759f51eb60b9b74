/* Named Unicode classes and case-folding orbits. */
#ifndef REGEX_UNICODE_H
#define REGEX_UNICODE_H

#include "regex/class.h"

typedef struct rx_group {
    const char *name;
    uint32_t offset; /* into rx_group_data; ranges run to the next group's offset */
} rx_group;

typedef struct rx_fold {
    uint32_t code;
    uint32_t next; /* the next member of the orbit, cyclic */
} rx_fold;

/* Per range two base-128 numbers, low part first: gap from the last code point before (0 at the start), length - 1. */
extern const uint8_t rx_group_data[];
extern const rx_group rx_groups[]; /* sorted by name, ends with a NULL name */
extern const size_t rx_group_count;
extern const rx_fold rx_folds[]; /* sorted by code */
extern const size_t rx_fold_count;

/* Adds the class called name (a general category, a script or Any) to the builder; false: no such class. */
bool rx_unicode_add(rx_class_builder *b, hg_slice name, bool fold);

/* The next member of the folding orbit of code; code itself when it has no partner. */
uint32_t rx_fold_next(uint32_t code);

/* The first entry of rx_folds at or after code. */
const rx_fold *rx_fold_from(uint32_t code);

/* Is code a letter, mark, decimal digit, letter number or connector: what a group name may hold? */
bool rx_unicode_name_char(uint32_t code);

#endif
