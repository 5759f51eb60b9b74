/* Heap-live: sampled allocations that have not been freed. Sharded by address; an address that is not tracked costs
 * one relaxed load of its shard's count, or a short look under the shard's lock. */
#include "prof/internal.h"

#include "base/hash.h"

#include <stdlib.h>

enum { SHARDS = 64, CELLS = 256, TRACKED_MAX = 4096 };

typedef struct tracked {
    void *ptr; /* NULL: empty */
    size_t size;
    identity *identity;
    stack_record *stack; /* copies: the records of the thread may be gone by the export */
    labels_record *labels;
} tracked;

typedef struct shard {
    _Alignas(64) pthread_mutex_t lock;
    atomic_uint count;
    tracked cells[CELLS];
} shard;

struct tracker {
    atomic_uint total;
    shard shards[SHARDS];
};

tracker *tracker_new(void)
{
    tracker *t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    if (t == NULL)
        return NULL;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&t->shards[i].lock, NULL);
    return t;
}

static void entry_free(tracked *e)
{
    free(e->stack);
    free(e->labels);
    *e = (tracked){0};
}

static void clear(tracker *t)
{
    for (int s = 0; s < SHARDS; s++) {
        for (int c = 0; c < CELLS; c++)
            entry_free(&t->shards[s].cells[c]);
        atomic_store(&t->shards[s].count, 0);
    }
    atomic_store(&t->total, 0);
}

/* In a forked child a shard's lock may be held by a thread that is not there: start anew, leak the entries. */
void tracker_forget(tracker *t)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&t->shards[i].lock, NULL);
}

void tracker_free(tracker *t)
{
    if (t == NULL)
        return;
    clear(t);
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_destroy(&t->shards[i].lock);
    free(t);
}

/* One block a stack: the record, its functions, and their text. */
static stack_record *stack_copy(const stack_record *s)
{
    size_t size = sizeof *s + s->count * (sizeof(frame_record) + sizeof(function_record));
    for (uint32_t i = 0; i < s->count; i++)
        size += s->frames[i].function->name.len + s->frames[i].function->file.len;
    stack_record *copy = calloc(1, size);
    if (copy == NULL)
        return NULL;
    function_record *functions = (function_record *)(copy->frames + s->count);
    char *text = (char *)(functions + s->count);
    copy->count = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        const function_record *from = s->frames[i].function;
        copy->frames[i] = (frame_record){&functions[i], 0, s->frames[i].line};
        functions[i].name = hg_slice_of(text, from->name.len);
        text = mempcpy(text, from->name.ptr, from->name.len);
        functions[i].file = hg_slice_of(text, from->file.len);
        text = mempcpy(text, from->file.ptr, from->file.len);
    }
    return copy;
}

static hg_slice text_copy(char **at, hg_slice s)
{
    hg_slice copy = {*at, s.len};
    if (s.len > 0)
        *at = mempcpy(*at, s.ptr, s.len);
    return copy;
}

static labels_record *labels_copy(const labels_record *r)
{
    size_t size = sizeof *r + r->count * sizeof(label);
    for (uint32_t i = 0; i < r->count; i++)
        size += r->items[i].key.len + r->items[i].text.len + r->items[i].unit.len;
    labels_record *copy = calloc(1, size);
    if (copy == NULL)
        return NULL;
    char *text = (char *)(copy->items + r->count);
    copy->count = r->count;
    for (uint32_t i = 0; i < r->count; i++) {
        copy->items[i].number = r->items[i].number;
        copy->items[i].key = text_copy(&text, r->items[i].key);
        copy->items[i].text = text_copy(&text, r->items[i].text);
        copy->items[i].unit = text_copy(&text, r->items[i].unit);
    }
    return copy;
}

static shard *shard_of(tracker *t, const void *ptr, size_t *cell)
{
    uint64_t hash = hg_hash_u64((uintptr_t)ptr);
    *cell = hash >> 32 & (CELLS - 1);
    return &t->shards[hash & (SHARDS - 1)];
}

bool tracker_add(tracker *t, void *ptr, size_t size, identity *id, const stack_record *stack,
                 const labels_record *labels)
{
    if (atomic_load_explicit(&t->total, memory_order_relaxed) >= TRACKED_MAX)
        return false;
    tracked entry = {ptr, size, id, stack_copy(stack), labels_copy(labels)};
    size_t at;
    shard *s = shard_of(t, ptr, &at);
    bool added = false;
    if (entry.stack != NULL && entry.labels != NULL) {
        pthread_mutex_lock(&s->lock);
        if (atomic_load_explicit(&s->count, memory_order_relaxed) < CELLS / 2) {
            while (s->cells[at].ptr != NULL && s->cells[at].ptr != ptr)
                at = (at + 1) & (CELLS - 1);
            if (s->cells[at].ptr == NULL) { /* else its free went unnoticed: the newer one counts */
                atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
                atomic_fetch_add_explicit(&t->total, 1, memory_order_relaxed);
            }
            tracked old = s->cells[at];
            s->cells[at] = entry;
            entry = old;
            added = true;
        }
        pthread_mutex_unlock(&s->lock);
    }
    free(entry.stack);
    free(entry.labels);
    return added;
}

/* Closes the gap, so that probing needs no tombstones. */
static void remove_at(shard *s, size_t hole)
{
    s->cells[hole] = (tracked){0};
    for (size_t at = (hole + 1) & (CELLS - 1); s->cells[at].ptr != NULL; at = (at + 1) & (CELLS - 1)) {
        size_t home = hg_hash_u64((uintptr_t)s->cells[at].ptr) >> 32 & (CELLS - 1);
        if (((at - home) & (CELLS - 1)) < ((at - hole) & (CELLS - 1)))
            continue;
        s->cells[hole] = s->cells[at];
        s->cells[at] = (tracked){0};
        hole = at;
    }
}

void tracker_remove(tracker *t, void *ptr)
{
    size_t at;
    shard *s = shard_of(t, ptr, &at);
    if (atomic_load_explicit(&s->count, memory_order_relaxed) == 0)
        return;
    tracked gone = {0};
    pthread_mutex_lock(&s->lock);
    while (s->cells[at].ptr != NULL && s->cells[at].ptr != ptr)
        at = (at + 1) & (CELLS - 1);
    if (s->cells[at].ptr == ptr) {
        gone = s->cells[at];
        remove_at(s, at);
        atomic_fetch_sub_explicit(&s->count, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&t->total, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&s->lock);
    free(gone.stack);
    free(gone.labels);
}

/* Straight into the profiles, never through the channel. The weight is that of the allocation's size. */
hg_status tracker_emit(tracker *t, const hg_prof *prof, epoch *e)
{
    hg_status status = HG_OK;
    uint32_t mask = 1u << HG_PROF_HEAP_LIVE_SAMPLES | 1u << HG_PROF_HEAP_LIVE_SIZE;
    for (int s = 0; s < SHARDS; s++) {
        shard *here = &t->shards[s];
        pthread_mutex_lock(&here->lock);
        for (int c = 0; c < CELLS && status == HG_OK; c++) {
            tracked *entry = &here->cells[c];
            if (entry->ptr == NULL)
                continue;
            int64_t values[VALUES_MAX] = {1, (int64_t)entry->size};
            double weighted[VALUES_MAX];
            weigh(prof, mask, values, weighted);
            status = epoch_add(e, entry->identity, entry->stack, entry->labels, 0, mask, weighted);
        }
        pthread_mutex_unlock(&here->lock);
    }
    return status;
}
