/* Sets of code points while a pattern is read. */
#ifndef REGEX_CLASS_H
#define REGEX_CLASS_H

#include "hotgate/base.h"

enum { RX_MAX_CODE = 0x10FFFF };

typedef struct rx_range {
    uint32_t lo, hi; /* inclusive */
} rx_range;

/* Ranges in any order, overlapping, until rx_class_settle. Reused from class to class. */
typedef struct rx_class_builder {
    rx_range *ranges;
    size_t count, cap;
    bool nomem;
} rx_class_builder;

void rx_class_add(rx_class_builder *b, uint32_t lo, uint32_t hi);

/* Adds the range and, when fold is set, every case partner of its members. */
void rx_class_add_fold(rx_class_builder *b, uint32_t lo, uint32_t hi, bool fold);

/* Sorts and merges. */
void rx_class_settle(rx_class_builder *b);

/* Becomes everything it did not hold; settled. */
void rx_class_negate(rx_class_builder *b);

void rx_class_add_all(rx_class_builder *b, const rx_class_builder *part);

/* The ASCII classes \d \s \w and their complements; letter is one of dswDSW. */
void rx_class_add_perl(rx_class_builder *b, char letter, bool fold);

/* A POSIX class as written, [:name:] or [:^name:]; false: no such class. */
bool rx_class_add_posix(rx_class_builder *b, hg_slice written, bool fold);

void rx_class_close(rx_class_builder *b);

#endif
