#include "waf/ruleset/data_set.h"

#include <stdlib.h>

/* One item of one configuration. */
typedef struct contribution {
    uint64_t serial;
    uint32_t item;
    const hg_data *data; /* valid while the set is being built */
} contribution;

typedef struct data_set {
    atomic_uint references;
    hg_arena arena;
    hg_data_kind kind;
    hg_slice id;
    hg_matcher matcher;
    contribution *parts;
    size_t part_count;
    size_t value_count;
} data_set;

struct hg_data_sets {
    atomic_uint references;
    size_t count;
    data_set *sets[]; /* by kind and id */
};

static void set_unref(data_set *set)
{
    if (set == NULL || atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel) != 1)
        return;
    hg_arena_close(&set->arena);
    free(set);
}

hg_data_sets *hg_data_sets_ref(hg_data_sets *sets)
{
    atomic_fetch_add_explicit(&sets->references, 1, memory_order_relaxed);
    return sets;
}

void hg_data_sets_unref(hg_data_sets *sets)
{
    if (sets == NULL || atomic_fetch_sub_explicit(&sets->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < sets->count; i++)
        set_unref(sets->sets[i]);
    free(sets);
}

static int order(hg_data_kind kind, hg_slice id, const data_set *set)
{
    if (kind != set->kind)
        return kind < set->kind ? -1 : 1;
    return hg_slice_compare(id, set->id);
}

static data_set *find(const hg_data_sets *sets, hg_data_kind kind, hg_slice id)
{
    size_t low = 0;
    size_t high = sets != NULL ? sets->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = order(kind, id, sets->sets[middle]);
        if (c == 0)
            return sets->sets[middle];
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool hg_data_sets_find(const hg_data_sets *sets, hg_data_kind kind, hg_slice id, hg_matcher *out)
{
    const data_set *set = find(sets, kind, id);
    if (set != NULL)
        *out = set->matcher;
    return set != NULL;
}

static int compare_sets(const void *a, const void *b)
{
    const data_set *x = *(data_set *const *)a;
    const data_set *y = *(data_set *const *)b;
    return order(x->kind, x->id, y);
}

static data_set *set_new(const hg_data_type *type)
{
    data_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    atomic_init(&set->references, 1);
    hg_arena_init(&set->arena, NULL);
    bool ok;
    set->kind = type->kind;
    set->id = hg_arena_copy(&set->arena, type->id, &ok);
    set->matcher = (hg_matcher){type->op, NULL, type->op->accepts};
    if (ok)
        return set;
    set_unref(set);
    return NULL;
}

static hg_section section_of(hg_data_kind kind)
{
    return kind == HG_DATA_RULES ? HG_SECTION_RULES_DATA : HG_SECTION_EXCLUSION_DATA;
}

static size_t items_of_kind(const hg_builder *builder, hg_data_kind kind)
{
    size_t count = 0;
    for (size_t c = 0; c < builder->count; c++)
        count += builder->configs[c]->sections[section_of(kind)].count;
    return count;
}

/* Lists what contributes to the set. */
static bool gather(const hg_builder *builder, data_set *set)
{
    size_t room = items_of_kind(builder, set->kind);
    set->parts = hg_arena_alloc(&set->arena, room * sizeof *set->parts, _Alignof(contribution));
    if (set->parts == NULL)
        return false;
    for (size_t c = 0; c < builder->count; c++) {
        const hg_items *items = &builder->configs[c]->sections[section_of(set->kind)];
        for (uint32_t i = 0; i < items->count; i++) {
            const hg_data *data = items->items[i];
            if (!hg_slice_equal(data->id, set->id))
                continue;
            set->parts[set->part_count++] = (contribution){builder->configs[c]->serial, i, data};
            set->value_count += data->count;
        }
    }
    return true;
}

static bool same_parts(const data_set *a, const data_set *b)
{
    if (a->part_count != b->part_count)
        return false;
    for (size_t i = 0; i < a->part_count; i++)
        if (a->parts[i].serial != b->parts[i].serial || a->parts[i].item != b->parts[i].item)
            return false;
    return true;
}

/* The values with their texts copied: the set may outlive the configurations. */
static hg_expiring *copy_values(data_set *set)
{
    hg_expiring *values = hg_arena_alloc(&set->arena, set->value_count * sizeof *values, _Alignof(hg_expiring));
    size_t n = 0;
    for (size_t p = 0; values != NULL && p < set->part_count; p++) {
        const hg_data *data = set->parts[p].data;
        for (uint32_t i = 0; i < data->count; i++, n++) {
            bool ok;
            values[n].value = hg_arena_copy(&set->arena, data->values[i].value, &ok);
            values[n].expiration = data->values[i].expiration;
            if (!ok)
                return NULL;
        }
    }
    return values;
}

static bool compile(data_set *set)
{
    const hg_expiring *values = copy_values(set);
    if (values == NULL)
        return false;
    set->matcher.params = hg_data_params(set->matcher.op, values, set->value_count, &set->arena);
    return set->matcher.params != NULL;
}

/* The set of that type: last build's if nothing in it has changed. */
static data_set *build(const hg_builder *builder, const hg_data_type *type)
{
    data_set *set = set_new(type);
    if (set == NULL || !gather(builder, set)) {
        set_unref(set);
        return NULL;
    }
    data_set *last = find(builder->last_data, type->kind, type->id);
    if (last != NULL && same_parts(last, set)) {
        set_unref(set);
        atomic_fetch_add_explicit(&last->references, 1, memory_order_relaxed);
        return last;
    }
    if (compile(set))
        return set;
    set_unref(set);
    return NULL;
}

hg_data_sets *hg_data_sets_build(const hg_builder *builder)
{
    hg_data_sets *sets = malloc(sizeof *sets + builder->type_count * sizeof(data_set *));
    if (sets == NULL)
        return NULL;
    atomic_init(&sets->references, 1);
    sets->count = 0;
    for (size_t i = 0; i < builder->type_count; i++) {
        data_set *set = build(builder, &builder->types[i]);
        if (set == NULL) {
            hg_data_sets_unref(sets);
            return NULL;
        }
        sets->sets[sets->count++] = set;
    }
    qsort(sets->sets, sets->count, sizeof(data_set *), compare_sets);
    return sets;
}
