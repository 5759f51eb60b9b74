/* Sets of code points: building, complement, the ASCII classes. */
#include "regex/class.h"
#include "regex/unicode.h"

#include <stdlib.h>

void rx_class_add(rx_class_builder *b, uint32_t lo, uint32_t hi)
{
    if (b->count > 0) {
        rx_range *last = &b->ranges[b->count - 1];
        if (lo >= last->lo && lo <= last->hi + 1) {
            if (hi > last->hi)
                last->hi = hi;
            return;
        }
    }
    if (b->count == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 64;
        rx_range *grown = realloc(b->ranges, cap * sizeof *grown);
        if (grown == NULL) {
            b->nomem = true;
            return;
        }
        b->ranges = grown;
        b->cap = cap;
    }
    b->ranges[b->count++] = (rx_range){lo, hi};
}

void rx_class_add_fold(rx_class_builder *b, uint32_t lo, uint32_t hi, bool fold)
{
    rx_class_add(b, lo, hi);
    if (!fold)
        return;
    if (hi < 0x80) {
        for (uint32_t c = lo; c <= hi; c++) {
            for (uint32_t n = rx_fold_next(c); n != c; n = rx_fold_next(n)) {
                if (n < lo || n > hi)
                    rx_class_add(b, n, n);
            }
        }
        return;
    }
    const rx_fold *end = rx_folds + rx_fold_count;
    for (const rx_fold *f = rx_fold_from(lo); f < end && f->code <= hi; f++) {
        for (uint32_t c = f->next; c != f->code; c = rx_fold_next(c)) {
            if (c < lo || c > hi)
                rx_class_add(b, c, c);
        }
    }
}

static int range_order(const void *a, const void *b)
{
    const rx_range *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return (x->hi > y->hi) - (x->hi < y->hi);
}

void rx_class_settle(rx_class_builder *b)
{
    if (b->count < 2)
        return;
    rx_range *r = b->ranges;
    bool sorted = true;
    for (size_t i = 1; i < b->count && sorted; i++)
        sorted = r[i - 1].lo <= r[i].lo;
    if (!sorted)
        qsort(r, b->count, sizeof *r, range_order);
    size_t out = 0;
    for (size_t i = 1; i < b->count; i++) {
        if (r[i].lo <= r[out].hi + 1) {
            if (r[i].hi > r[out].hi)
                r[out].hi = r[i].hi;
        } else {
            r[++out] = r[i];
        }
    }
    b->count = out + 1;
}

/* In place: after i ranges at most i ranges of the complement are complete. */
void rx_class_negate(rx_class_builder *b)
{
    rx_class_settle(b);
    uint32_t next = 0;
    size_t out = 0;
    for (size_t i = 0; i < b->count; i++) {
        rx_range r = b->ranges[i];
        if (r.lo > next)
            b->ranges[out++] = (rx_range){next, r.lo - 1};
        next = r.hi + 1;
    }
    b->count = out;
    if (next <= RX_MAX_CODE)
        rx_class_add(b, next, RX_MAX_CODE);
}

void rx_class_add_all(rx_class_builder *b, const rx_class_builder *part)
{
    for (size_t i = 0; i < part->count; i++)
        rx_class_add(b, part->ranges[i].lo, part->ranges[i].hi);
    b->nomem |= part->nomem;
}

typedef struct ascii_class {
    const char *name;
    rx_range ranges[4];
    unsigned count;
} ascii_class;

static const ascii_class perl_classes[] = {
    {"d", {{'0', '9'}}, 1},
    {"s", {{9, 10}, {12, 13}, {' ', ' '}}, 3},
    {"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
};

static const ascii_class posix_classes[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 0x7F}}, 1},
    {"blank", {{9, 9}, {' ', ' '}}, 2},
    {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{9, 13}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

/* Folding comes before the complement. */
static void add_ascii(rx_class_builder *b, const ascii_class *c, bool negated, bool fold)
{
    rx_class_builder part = {0};
    for (unsigned i = 0; i < c->count; i++)
        rx_class_add_fold(&part, c->ranges[i].lo, c->ranges[i].hi, fold);
    if (negated)
        rx_class_negate(&part);
    rx_class_add_all(b, &part);
    rx_class_close(&part);
}

void rx_class_add_perl(rx_class_builder *b, char letter, bool fold)
{
    bool negated = letter < 'a';
    char lower = (char)(letter | 0x20);
    const ascii_class *c = lower == 'd' ? &perl_classes[0] : lower == 's' ? &perl_classes[1] : &perl_classes[2];
    add_ascii(b, c, negated, fold);
}

bool rx_class_add_posix(rx_class_builder *b, hg_slice written, bool fold)
{
    if (written.len < 5)
        return false;
    hg_slice name = hg_slice_of(written.ptr + 2, written.len - 4);
    bool negated = name.ptr[0] == '^';
    if (negated)
        name = hg_slice_skip(name, 1);
    for (size_t i = 0; i < sizeof posix_classes / sizeof *posix_classes; i++) {
        if (hg_slice_equal(name, hg_slice_from(posix_classes[i].name))) {
            add_ascii(b, &posix_classes[i], negated, fold);
            return true;
        }
    }
    return false;
}

void rx_class_close(rx_class_builder *b)
{
    free(b->ranges);
    *b = (rx_class_builder){0};
}
