/* A merge sort: stable, and unlike qsort it never allocates. The first eight bytes of the keys are compared as one
 * number; most keys differ there. */
#include "waf/processors/fingerprint.h"

#include "text/bytes.h"

enum { RUN = 8 };

/* Bytes are compared as signed characters when case does not matter. */
static uint8_t rank(uint8_t c, hg_sort_order order)
{
    return order == HG_SORT_BYTES ? c : hg_to_lower(c) ^ 0x80;
}

/* Short keys are filled up with zeros; that may make them equal to longer ones, which `less` looks at again. */
static uint64_t head_of(hg_slice key, hg_sort_order order)
{
    uint64_t head = 0;
    for (size_t i = 0; i < 8; i++)
        head = head << 8 | (i < key.len ? rank((uint8_t)key.ptr[i], order) : 0);
    return head;
}

static bool less(const hg_sorted *a, const hg_sorted *b, hg_sort_order order)
{
    if (a->head != b->head)
        return a->head < b->head;
    size_t common = a->key.len < b->key.len ? a->key.len : b->key.len;
    for (size_t i = 0; i < common; i++) {
        uint8_t x = rank((uint8_t)a->key.ptr[i], order);
        uint8_t y = rank((uint8_t)b->key.ptr[i], order);
        if (x != y)
            return x < y;
    }
    return a->key.len < b->key.len;
}

static void sort_run(hg_sorted *entries, size_t count, hg_sort_order order)
{
    for (size_t i = 1; i < count; i++) {
        hg_sorted moved = entries[i];
        size_t k = i;
        for (; k > 0 && less(&moved, &entries[k - 1], order); k--)
            entries[k] = entries[k - 1];
        entries[k] = moved;
    }
}

static void merge(const hg_sorted *left, size_t left_count, const hg_sorted *right, size_t right_count, hg_sorted *to,
                  hg_sort_order order)
{
    while (left_count > 0 && right_count > 0) {
        if (less(right, left, order)) {
            *to++ = *right++;
            right_count--;
        } else {
            *to++ = *left++;
            left_count--;
        }
    }
    memcpy(to, left, left_count * sizeof *to);
    memcpy(to + left_count, right, right_count * sizeof *to);
}

void hg_sort(hg_sorted *entries, hg_sorted *spare, size_t count, hg_sort_order order)
{
    for (size_t i = 0; i < count; i++)
        entries[i].head = head_of(entries[i].key, order);
    for (size_t i = 0; i < count; i += RUN)
        sort_run(entries + i, count - i < RUN ? count - i : RUN, order);
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run) {
            size_t left = count - i < run ? count - i : run;
            size_t right = count - i - left < run ? count - i - left : run;
            merge(entries + i, left, entries + i + left, right, spare + i, order);
        }
        memcpy(entries, spare, count * sizeof *entries);
    }
}
