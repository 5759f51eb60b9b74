/* Ranges in CIDR form nest or are disjoint. They are flattened at build time into steps: from address `first` on, the
 * answer is `expiry`. So a look-up is one binary search, and expiry needs no second look. */
#include "text/ipset.h"

#include <stdlib.h>

typedef struct step {
    hg_ip first;
    uint64_t expiry;
} step;

struct hg_ipset {
    size_t count;
    step steps[];
};

typedef struct range {
    hg_ip first;
    hg_ip last;
    uint64_t expiry;
} range;

/* Outer ranges before the ones inside them. */
static int compare_ranges(const void *left, const void *right)
{
    const range *a = left;
    const range *b = right;
    int c = hg_ip_compare(a->first, b->first);
    return c ? c : hg_ip_compare(b->last, a->last);
}

static size_t parse_ranges(const hg_slice *texts, const uint64_t *expirations, size_t count, range *ranges)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        range *r = &ranges[n];
        r->expiry = expirations ? hg_expiry_of(expirations[i]) : HG_NEVER_EXPIRES;
        n += hg_ip_range_parse(texts[i], &r->first, &r->last);
    }
    qsort(ranges, n, sizeof *ranges, compare_ranges);
    return n;
}

static void add_step(hg_ipset *set, hg_ip first, uint64_t expiry)
{
    step *last = set->count ? &set->steps[set->count - 1] : NULL;
    if (last && hg_ip_compare(last->first, first) == 0)
        last->expiry = expiry;
    else
        set->steps[set->count++] = (step){first, expiry};
}

static bool next_address(hg_ip *ip)
{
    ip->low++;
    ip->high += ip->low == 0;
    return (ip->high | ip->low) != 0;
}

/* Closes open ranges that end before `first` (all when it is NULL): what is around them goes on. */
static size_t close_ranges(hg_ipset *set, range *const *open, size_t depth, const hg_ip *first)
{
    while (depth > 0 && (first == NULL || hg_ip_compare(open[depth - 1]->last, *first) < 0)) {
        hg_ip after = open[depth - 1]->last;
        depth--;
        if (next_address(&after))
            add_step(set, after, depth ? open[depth - 1]->expiry : HG_ABSENT);
    }
    return depth;
}

/* Equal ranges may repeat, so the nesting can be deeper than 129: `open` has room for all. */
static void flatten(hg_ipset *set, range *ranges, size_t count, range **open)
{
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        range *r = &ranges[i];
        depth = close_ranges(set, open, depth, &r->first);
        if (depth > 0 && open[depth - 1]->expiry > r->expiry)
            r->expiry = open[depth - 1]->expiry;
        add_step(set, r->first, r->expiry);
        open[depth++] = r;
    }
    close_ranges(set, open, depth, NULL);
}

const hg_ipset *hg_ipset_build(const hg_slice *texts, const uint64_t *expirations, size_t count, hg_arena *arena)
{
    hg_arena scratch;
    hg_arena_init(&scratch, NULL);
    hg_ipset *set = NULL;
    range *ranges = hg_arena_alloc(&scratch, (count + 1) * sizeof *ranges, _Alignof(range));
    range **open = hg_arena_alloc(&scratch, (count + 1) * sizeof *open, _Alignof(range *));
    if (ranges && open) {
        size_t n = parse_ranges(texts, expirations, count, ranges);
        set = hg_arena_alloc(arena, sizeof *set + 2 * n * sizeof set->steps[0], _Alignof(hg_ipset));
        if (set) {
            set->count = 0;
            flatten(set, ranges, n, open);
        }
    }
    hg_arena_close(&scratch);
    return set;
}

uint64_t hg_ipset_find(const hg_ipset *set, hg_ip ip)
{
    const step *base = set->steps;
    size_t count = set->count;
    while (count > 0) {
        size_t half = count / 2;
        if (hg_ip_compare(base[half].first, ip) <= 0) {
            base += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return base == set->steps ? HG_ABSENT : base[-1].expiry;
}
