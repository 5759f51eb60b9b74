/* The pattern sets of lanes. Lanes that look for nearly the same share one set: its automaton, filter and working memory
 * are made once, and what it learned from one lane's texts serves the others. A pattern of the set that a lane has no
 * use for may occur in its texts and is then of no interest. */
#include "waf/plan/lanes.h"
#include "waf/plan/patterns.h"

#include <stdlib.h>

enum {
    FEW = 8,           /* patterns that always may be joined: their set is not larger for it */
    STRANGER_SHARE = 4 /* else at most a quarter of what a lane is scanned for may be of no use to it */
};

/* Patterns sorted by address, without duplicates. */
typedef struct pattern_list {
    hg_regex **items;
    size_t count;
} pattern_list;

typedef struct group {
    pattern_list patterns; /* of all its lanes */
    size_t smallest;       /* number of patterns of one of them */
    const hg_regex_set *set;
} group;

typedef struct joining {
    hg_plan *plan;
    hg_arena scratch;
    hg_regex ***of_use;   /* by lane and use; NULL: asked directly */
    pattern_list *wanted; /* by lane */
    hg_regex **united;    /* room for all patterns of all lanes */
    uint32_t *group_of;   /* by lane */
    group *groups;
    uint32_t group_count;
} joining;

static void *take(joining *j, size_t count, size_t size)
{
    return hg_arena_alloc(&j->scratch, (count + 1) * size, _Alignof(max_align_t));
}

static int compare_addresses(const hg_regex *a, const hg_regex *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_patterns(const void *a, const void *b)
{
    return compare_addresses(*(hg_regex *const *)a, *(hg_regex *const *)b);
}

static void sort_patterns(pattern_list *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_patterns);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->items[kept - 1] != list->items[i])
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* What a lane's uses look for; use->pattern is numbered later. */
static bool list_patterns(joining *j, uint32_t number)
{
    hg_lane *lane = &j->plan->lanes->lanes[number];
    pattern_list *list = &j->wanted[number];
    *list = (pattern_list){take(j, lane->use_count, sizeof(hg_regex *)), 0};
    hg_regex **of_use = j->of_use[number] = take(j, lane->use_count, sizeof *of_use);
    if (list->items == NULL || of_use == NULL)
        return false;
    for (uint32_t i = 0; i < lane->use_count; i++) {
        hg_use *use = &lane->uses[i];
        hg_pattern pattern = hg_pattern_of(j->plan->lanes->sets, use->matcher, lane->chains[use->chain].folds);
        if (pattern.failed)
            return false;
        use->exact = pattern.exact;
        use->min_length = pattern.min_length < UINT32_MAX ? (uint32_t)pattern.min_length : UINT32_MAX;
        of_use[i] = pattern.regex;
        if (pattern.regex != NULL)
            list->items[list->count++] = pattern.regex;
    }
    sort_patterns(list);
    return true;
}

/* ---- Groups ---- */

/* Writes the union; returns its size. */
static size_t unite(const pattern_list *a, const pattern_list *b, hg_regex **out)
{
    size_t i = 0, k = 0, count = 0;
    while (i < a->count || k < b->count) {
        int order = i == a->count ? 1 : k == b->count ? -1 : compare_addresses(a->items[i], b->items[k]);
        out[count++] = order <= 0 ? a->items[i] : b->items[k];
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}

static bool may_join(const group *g, const pattern_list *list, size_t united)
{
    size_t smallest = list->count < g->smallest ? list->count : g->smallest;
    size_t common = g->patterns.count + list->count - united;
    return common > 0 && (united <= FEW || (united - smallest) * STRANGER_SHARE <= united);
}

/* Puts a lane into the first group that it fits into, or a new one. */
static bool assign_lane(joining *j, uint32_t number)
{
    const pattern_list *list = &j->wanted[number];
    for (uint32_t i = 0; i < j->group_count; i++) {
        group *g = &j->groups[i];
        size_t united = unite(&g->patterns, list, j->united);
        if (!may_join(g, list, united))
            continue;
        hg_regex **kept = take(j, united, sizeof *kept);
        if (kept == NULL)
            return false;
        memcpy(kept, j->united, united * sizeof *kept);
        g->patterns = (pattern_list){kept, united};
        g->smallest = list->count < g->smallest ? list->count : g->smallest;
        j->group_of[number] = i;
        return true;
    }
    j->group_of[number] = j->group_count;
    j->groups[j->group_count++] = (group){*list, list->count, NULL};
    return true;
}

/* The largest first, so that groups grow little. */
static bool assign_lanes(joining *j)
{
    const uint32_t count = j->plan->lanes->count;
    size_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        next = j->wanted[i].count > next ? j->wanted[i].count : next;
    for (size_t size = next; size > 0; size = next) {
        next = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (j->wanted[i].count == size && !assign_lane(j, i))
                return false;
            if (j->wanted[i].count < size && j->wanted[i].count > next)
                next = j->wanted[i].count;
        }
    }
    return true;
}

/* ---- Numbers ---- */

/* By pattern, those that are asked directly first. */
static int compare_uses(const void *a, const void *b)
{
    const hg_use *x = a, *y = b;
    uint32_t p = x->pattern + 1, q = y->pattern + 1; /* HG_NO_PATTERN becomes 0 */
    if (p != q)
        return p < q ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

static bool index_patterns(hg_plan *plan, hg_lane *lane)
{
    uint32_t *starts = hg_arena_alloc(&plan->arena, (lane->pattern_count + (size_t)1) * sizeof *starts,
                                      _Alignof(uint32_t));
    uint32_t use = 0;
    while (use < lane->use_count && lane->uses[use].pattern == HG_NO_PATTERN)
        use++;
    lane->direct_count = use;
    lane->pattern_uses = starts;
    for (uint32_t p = 0; p <= lane->pattern_count && starts != NULL; p++) {
        starts[p] = use;
        while (use < lane->use_count && lane->uses[use].pattern == p)
            use++;
    }
    return starts != NULL;
}

static uint32_t number_of(const pattern_list *list, hg_regex *regex)
{
    hg_regex *const *found = bsearch(&regex, list->items, list->count, sizeof regex, compare_patterns);
    return (uint32_t)(found - list->items);
}

static bool number_uses(joining *j, uint32_t number)
{
    hg_lane *lane = &j->plan->lanes->lanes[number];
    const group *g = j->wanted[number].count > 0 ? &j->groups[j->group_of[number]] : NULL;
    for (uint32_t i = 0; i < lane->use_count; i++) {
        hg_regex *regex = j->of_use[number][i];
        lane->uses[i].pattern = regex != NULL ? number_of(&g->patterns, regex) : HG_NO_PATTERN;
    }
    if (g != NULL) {
        lane->set = g->set;
        lane->pattern_count = (uint32_t)g->patterns.count;
    }
    qsort(lane->uses, lane->use_count, sizeof *lane->uses, compare_uses);
    return index_patterns(j->plan, lane);
}

static bool join_all(joining *j)
{
    const uint32_t count = j->plan->lanes->count;
    size_t total = 0;
    j->of_use = take(j, count, sizeof *j->of_use);
    j->wanted = take(j, count, sizeof *j->wanted);
    j->group_of = take(j, count, sizeof *j->group_of);
    j->groups = take(j, count, sizeof *j->groups);
    if (j->of_use == NULL || j->wanted == NULL || j->group_of == NULL || j->groups == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!list_patterns(j, i))
            return false;
        total += j->wanted[i].count;
    }
    j->united = take(j, total, sizeof *j->united);
    if (j->united == NULL || !assign_lanes(j))
        return false;
    for (uint32_t i = 0; i < j->group_count; i++) {
        group *g = &j->groups[i];
        g->set = hg_set_store_add(j->plan->lanes->sets, g->patterns.items, g->patterns.count);
        if (g->set == NULL)
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!number_uses(j, i))
            return false;
    return true;
}

bool hg_lanes_join_patterns(hg_plan *plan)
{
    joining j = {.plan = plan};
    hg_arena_init(&j.scratch, NULL);
    bool ok = join_all(&j);
    hg_arena_close(&j.scratch);
    return ok;
}
