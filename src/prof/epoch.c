/* What the consumer collects from one export to the next: strings, functions, locations, stacks, labels and label
 * sets, each kept once, and a profile an identity with its rows. */
#include "prof/internal.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdlib.h>

static const uint32_t NONE = UINT32_MAX;

bool grow(growing *g, size_t size, size_t more)
{
    if (g->count + more <= g->capacity)
        return true;
    size_t capacity = g->capacity ? g->capacity * 2 : 64;
    while (capacity < g->count + more)
        capacity *= 2;
    void *items = realloc(g->items, capacity * size);
    if (items == NULL)
        return false;
    g->items = items;
    g->capacity = capacity;
    return true;
}

/* ---- A set of positions, found by hash and a comparison that the caller brings ---- */

typedef bool same_fn(const epoch *e, uint32_t position, const void *key);

static bool table_grow(table *t)
{
    size_t capacity = t->capacity ? t->capacity * 2 : 64;
    uint32_t *cells = calloc(capacity, sizeof *cells);
    uint64_t *hashes = malloc(capacity * sizeof *hashes);
    if (cells == NULL || hashes == NULL) {
        free(cells);
        free(hashes);
        return false;
    }
    for (size_t i = 0; i < t->capacity; i++) {
        if (t->cells[i] == 0)
            continue;
        size_t at = t->hashes[i] & (capacity - 1);
        while (cells[at] != 0)
            at = (at + 1) & (capacity - 1);
        cells[at] = t->cells[i];
        hashes[at] = t->hashes[i];
    }
    free(t->cells);
    free(t->hashes);
    t->cells = cells;
    t->hashes = hashes;
    t->capacity = capacity;
    return true;
}

/* The position of an equal entry, or NONE with *at where `position` may be stored by table_put. */
static uint32_t table_get(const epoch *e, table *t, uint64_t hash, same_fn *same, const void *key, size_t *at)
{
    if ((t->count + 1) * 4 > t->capacity * 3 && !table_grow(t)) {
        *at = SIZE_MAX;
        return NONE;
    }
    for (*at = hash & (t->capacity - 1); t->cells[*at] != 0; *at = (*at + 1) & (t->capacity - 1))
        if (t->hashes[*at] == hash && same(e, t->cells[*at] - 1, key))
            return t->cells[*at] - 1;
    return NONE;
}

static void table_put(table *t, size_t at, uint64_t hash, uint32_t position)
{
    t->cells[at] = position + 1;
    t->hashes[at] = hash;
    t->count++;
}

static void table_free(table *t)
{
    free(t->cells);
    free(t->hashes);
}

/* ---- Strings, functions, locations ---- */

static bool same_string(const epoch *e, uint32_t position, const void *key)
{
    return hg_slice_equal(((const hg_slice *)e->strings.items)[position], *(const hg_slice *)key);
}

uint32_t epoch_string(epoch *e, hg_slice s)
{
    size_t at;
    uint64_t hash = hg_hash(s, 0);
    uint32_t found = table_get(e, &e->string_table, hash, same_string, &s, &at);
    if (found != NONE || at == SIZE_MAX)
        return found;
    bool ok;
    hg_slice copy = hg_arena_copy(&e->text, s, &ok);
    if (!ok || !grow(&e->strings, sizeof copy, 1))
        return NONE;
    ((hg_slice *)e->strings.items)[e->strings.count] = copy;
    table_put(&e->string_table, at, hash, (uint32_t)e->strings.count);
    e->bytes += s.len + sizeof copy + 24;
    return (uint32_t)e->strings.count++;
}

/* Fixed-size entries are compared as bytes. */
static uint32_t entry_intern(epoch *e, table *t, growing *g, const void *entry, size_t size, same_fn *same)
{
    size_t at;
    uint64_t hash = hg_hash(hg_slice_of(entry, size), 0);
    uint32_t found = table_get(e, t, hash, same, entry, &at);
    if (found != NONE || at == SIZE_MAX)
        return found;
    if (!grow(g, size, 1))
        return NONE;
    memcpy((char *)g->items + g->count * size, entry, size);
    table_put(t, at, hash, (uint32_t)g->count);
    e->bytes += size + 24;
    return (uint32_t)g->count++;
}

static bool same_function(const epoch *e, uint32_t position, const void *key)
{
    return memcmp((const function_entry *)e->functions.items + position, key, sizeof(function_entry)) == 0;
}

static bool same_location(const epoch *e, uint32_t position, const void *key)
{
    return memcmp((const location_entry *)e->locations.items + position, key, sizeof(location_entry)) == 0;
}

static bool same_label(const epoch *e, uint32_t position, const void *key)
{
    return memcmp((const label_entry *)e->labels.items + position, key, sizeof(label_entry)) == 0;
}

uint32_t epoch_function(epoch *e, uint32_t name, uint32_t file)
{
    function_entry entry = {name, file};
    return entry_intern(e, &e->function_table, &e->functions, &entry, sizeof entry, same_function);
}

static uint32_t function_of(epoch *e, function_record *f)
{
    if (f->epoch == e->number)
        return f->id;
    uint32_t name = epoch_string(e, f->name), file = epoch_string(e, f->file);
    if (name == NONE || file == NONE)
        return NONE;
    f->id = epoch_function(e, name, file);
    f->epoch = f->id == NONE ? 0 : e->number;
    return f->id;
}

static uint32_t location_of(epoch *e, const frame_record *f)
{
    location_entry entry = {NONE, f->line, f->address};
    if (f->function != NULL && (entry.function = function_of(e, f->function)) == NONE)
        return NONE;
    return entry_intern(e, &e->location_table, &e->locations, &entry, sizeof entry, same_location);
}

/* ---- Runs of ids: stacks and label sets ---- */

typedef struct id_run {
    const growing *spans, *ids;
    const uint32_t *items;
    size_t count;
} id_run;

static bool same_run(const epoch *e, uint32_t position, const void *key)
{
    (void)e;
    const id_run *run = key;
    span_entry span = ((const span_entry *)run->spans->items)[position];
    return span.count == run->count && (span.count == 0 || memcmp((const uint32_t *)run->ids->items + span.start,
                                                                  run->items, run->count * sizeof *run->items) == 0);
}

static uint32_t run_intern(epoch *e, table *t, growing *spans, growing *ids, const uint32_t *items, size_t count)
{
    size_t at;
    id_run run = {spans, ids, items, count};
    uint64_t hash = hg_hash(hg_slice_of((const char *)items, count * sizeof *items), count);
    uint32_t found = table_get(e, t, hash, same_run, &run, &at);
    if (found != NONE || at == SIZE_MAX)
        return found;
    if (!grow(spans, sizeof(span_entry), 1) || !grow(ids, sizeof *items, count))
        return NONE;
    ((span_entry *)spans->items)[spans->count] = (span_entry){(uint32_t)ids->count, (uint32_t)count};
    if (count > 0)
        memcpy((uint32_t *)ids->items + ids->count, items, count * sizeof *items);
    ids->count += count;
    table_put(t, at, hash, (uint32_t)spans->count);
    e->bytes += count * sizeof *items + sizeof(span_entry) + 24;
    return (uint32_t)spans->count++;
}

static bool is_hidden(const frame_record *f)
{
    return f->function != NULL && f->function->name.len == 0 && f->function->file.len == 0;
}

static uint32_t stack_of(epoch *e, stack_record *s)
{
    if (s->epoch == e->number)
        return s->id;
    uint32_t ids[FRAMES_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < s->count && count < FRAMES_MAX; i++) {
        if (is_hidden(&s->frames[i]))
            continue;
        ids[count] = location_of(e, &s->frames[i]);
        if (ids[count++] == NONE)
            return NONE;
    }
    s->id = run_intern(e, &e->stack_table, &e->stacks, &e->stack_ids, ids, count);
    s->epoch = s->id == NONE ? 0 : e->number;
    s->row_profile = NULL;
    return s->id;
}

enum { LABELS_MAX = 64 };

static uint32_t labels_of(epoch *e, labels_record *r)
{
    if (r->epoch == e->number)
        return r->id;
    uint32_t ids[LABELS_MAX];
    size_t count = r->count < LABELS_MAX ? r->count : LABELS_MAX;
    for (size_t i = 0; i < count; i++) {
        const label *l = &r->items[i];
        label_entry entry = {epoch_string(e, l->key), epoch_string(e, l->text), epoch_string(e, l->unit), l->number};
        if (entry.key == NONE || entry.text == NONE || entry.unit == NONE)
            return NONE;
        ids[i] = entry_intern(e, &e->label_table, &e->labels, &entry, sizeof entry, same_label);
        if (ids[i] == NONE)
            return NONE;
    }
    r->id = run_intern(e, &e->label_set_table, &e->label_sets, &e->label_ids, ids, count);
    r->epoch = r->id == NONE ? 0 : e->number;
    return r->id;
}

/* ---- Rows ---- */

static profile *profile_of(epoch *e, identity *id)
{
    if (id->epoch == e->number)
        return id->profile;
    profile *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->identity = id;
    p->next = e->profiles;
    e->profiles = p;
    id->profile = p;
    id->epoch = e->number;
    return p;
}

typedef struct row_key {
    const profile *profile;
    row row;
} row_key;

static bool same_row(const epoch *e, uint32_t position, const void *key)
{
    (void)e;
    const row_key *k = key;
    row r = ((const row *)k->profile->rows.items)[position];
    return r.stack == k->row.stack && r.labels == k->row.labels;
}

static uint32_t row_of(epoch *e, profile *p, uint32_t stack, uint32_t labels)
{
    size_t at;
    row_key key = {p, {stack, labels}};
    uint64_t hash = hg_hash_u64((uint64_t)stack << 32 | labels);
    uint32_t found = table_get(e, &p->row_table, hash, same_row, &key, &at);
    if (found != NONE || at == SIZE_MAX)
        return found;
    if (!grow(&p->rows, sizeof(row), 1) || !grow(&p->values, sizeof(double), e->type_count))
        return NONE;
    ((row *)p->rows.items)[p->rows.count] = key.row;
    memset((double *)p->values.items + p->values.count, 0, e->type_count * sizeof(double));
    p->values.count += e->type_count;
    table_put(&p->row_table, at, hash, (uint32_t)p->rows.count);
    e->bytes += e->type_count * sizeof(double) + sizeof(row) + 24;
    return (uint32_t)p->rows.count++;
}

static unsigned position_of(const epoch *e, unsigned type)
{
    return (unsigned)__builtin_popcount(e->types & ((1u << type) - 1));
}

/* A record of the log: stack, label set, timestamp, mask, the values of the mask. */
static bool log_append(epoch *e, profile *p, uint32_t stack, uint32_t labels, int64_t timestamp, uint32_t mask,
                       const double *values)
{
    uint32_t head[3] = {stack, labels, mask};
    size_t count = (size_t)__builtin_popcount(mask);
    hg_buffer_append(&p->log, hg_slice_of((const char *)head, sizeof head));
    hg_buffer_append(&p->log, hg_slice_of((const char *)&timestamp, sizeof timestamp));
    hg_buffer_append(&p->log, hg_slice_of((const char *)values, count * sizeof *values));
    p->log_count++;
    e->bytes += sizeof head + sizeof timestamp + count * sizeof *values;
    return !p->log.failed;
}

hg_status epoch_add(epoch *e, identity *id, stack_record *stack, labels_record *labels,
                    int64_t timestamp, uint32_t mask, const double *values)
{
    profile *p = profile_of(e, id);
    uint32_t stack_id = stack_of(e, stack), labels_id = labels_of(e, labels);
    if (p == NULL || stack_id == NONE || labels_id == NONE)
        return HG_ERR_NOMEM;
    if (timestamp != 0)
        return log_append(e, p, stack_id, labels_id, timestamp, mask, values) ? HG_OK : HG_ERR_NOMEM;
    uint32_t at = stack->row;
    if (stack->row_profile != p || stack->row_labels != labels) {
        at = row_of(e, p, stack_id, labels_id);
        if (at == NONE)
            return HG_ERR_NOMEM;
        stack->row = at;
        stack->row_profile = p;
        stack->row_labels = labels;
    }
    double *sums = (double *)p->values.items + (size_t)at * e->type_count;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        sums[position_of(e, (unsigned)__builtin_ctz(left))] += *values++;
    return HG_OK;
}

/* Goes to every profile that exists now (spec 8.4). */
hg_status epoch_endpoint(epoch *e, int64_t root, hg_slice resource)
{
    uint32_t text = epoch_string(e, resource);
    if (text == NONE)
        return HG_ERR_NOMEM;
    for (profile *p = e->profiles; p != NULL; p = p->next) {
        endpoint_count *counts = p->endpoint_counts.items;
        size_t i = 0;
        while (i < p->endpoint_counts.count && counts[i].resource != text)
            i++;
        if (!grow(&p->endpoints, sizeof(endpoint_entry), 1) || !grow(&p->endpoint_counts, sizeof *counts, 1))
            return HG_ERR_NOMEM;
        counts = p->endpoint_counts.items;
        if (i == p->endpoint_counts.count)
            counts[p->endpoint_counts.count++] = (endpoint_count){text, 0};
        counts[i].count++;
        ((endpoint_entry *)p->endpoints.items)[p->endpoints.count++] = (endpoint_entry){root, text};
        e->bytes += sizeof(endpoint_entry);
    }
    return HG_OK;
}

epoch *epoch_new(uint64_t number, uint32_t types)
{
    epoch *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->number = number;
    e->types = types;
    e->type_count = (unsigned)__builtin_popcount(types);
    e->start_wall = hg_clock_wall_ns();
    e->start_monotonic = hg_clock_monotonic_ns();
    hg_arena_init(&e->text, NULL);
    static const hg_slice first[] = {{"", 0}, {"local root span id", 18}, {"trace endpoint", 14}, {"end_timestamp_ns", 16}};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (epoch_string(e, first[i]) == NONE) {
            epoch_free(e);
            return NULL;
        }
    e->bytes = 0;
    return e;
}

void epoch_free(epoch *e)
{
    if (e == NULL)
        return;
    for (profile *p = e->profiles, *next; p != NULL; p = next) {
        next = p->next;
        table_free(&p->row_table);
        free(p->rows.items);
        free(p->values.items);
        hg_buffer_free(&p->log);
        free(p->endpoints.items);
        free(p->endpoint_counts.items);
        free(p);
    }
    table *tables[] = {&e->string_table, &e->function_table, &e->location_table, &e->stack_table, &e->label_table,
                       &e->label_set_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    growing *arrays[] = {&e->strings, &e->functions, &e->locations, &e->stacks, &e->stack_ids, &e->labels,
                         &e->label_sets, &e->label_ids};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]->items);
    hg_arena_close(&e->text);
    free(e);
}
