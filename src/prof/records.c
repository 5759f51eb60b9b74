/* The producer's interning: functions, stacks and label sets of one thread, each made once and then found by a few
 * comparisons. No other thread writes them; the consumer uses only the fields that are its own. */
#include "prof/internal.h"

#include "base/hash.h"
#include "base/utf.h"

#include <stdlib.h>

enum { FIRST_FUNCTIONS = 256, FIRST_STACKS = 256 };

record_table *records_new(void)
{
    record_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    hg_arena_init(&t->arena, NULL);
    t->function_capacity = FIRST_FUNCTIONS;
    t->stack_capacity = FIRST_STACKS;
    t->functions = calloc(FIRST_FUNCTIONS, sizeof *t->functions);
    t->stacks = calloc(FIRST_STACKS, sizeof *t->stacks);
    if (t->functions == NULL || t->stacks == NULL) {
        records_free(t);
        return NULL;
    }
    return t;
}

static void free_tables(record_table *t)
{
    free(t->functions);
    free(t->stacks);
    free(t);
}

void records_free(record_table *t)
{
    if (t == NULL)
        return;
    hg_arena_close(&t->arena);
    free_tables(t);
}

void records_retire(hg_prof *prof, record_table *t)
{
    if (t == NULL)
        return;
    retired_arena *old = malloc(sizeof *old);
    if (old == NULL)
        return; /* leaked rather than freed under the consumer's eyes */
    old->arena = t->arena;
    free_tables(t);
    pthread_mutex_lock(&prof->lock);
    old->ticket = atomic_load(&prof->queue.tail);
    old->next = prof->retired;
    prof->retired = old;
    pthread_mutex_unlock(&prof->lock);
}

/* Text as the profile shows it: bounded, well-formed UTF-8. {NULL,0} when out of memory. */
static hg_slice clean_text(hg_arena *arena, hg_slice s)
{
    if (s.len > TEXT_MAX)
        return HG_SLICE("[suspiciously large string]");
    bool ill = false;
    for (size_t at = 0; at < s.len;) {
        uint32_t cp;
        at += hg_utf8_decode(s.ptr + at, s.len - at, &cp);
        ill |= cp == UINT32_MAX;
    }
    if (!ill)
        return hg_arena_copy(arena, s, NULL);
    char *out = hg_arena_alloc(arena, 3 * s.len, 1);
    size_t length = 0;
    for (size_t at = 0; out != NULL && at < s.len;) {
        uint32_t cp;
        at += hg_utf8_decode(s.ptr + at, s.len - at, &cp);
        length += hg_utf8_encode(cp == UINT32_MAX ? HG_REPLACEMENT : cp, out + length);
    }
    return hg_slice_of(out, length);
}

static bool functions_grow(record_table *t)
{
    size_t capacity = t->function_capacity * 2;
    function_record **cells = calloc(capacity, sizeof *cells);
    if (cells == NULL)
        return false;
    for (size_t i = 0; i < t->function_capacity; i++) {
        if (t->functions[i] == NULL)
            continue;
        size_t at = hg_hash_u64((uintptr_t)t->functions[i]->key) & (capacity - 1);
        while (cells[at] != NULL)
            at = (at + 1) & (capacity - 1);
        cells[at] = t->functions[i];
    }
    free(t->functions);
    t->functions = cells;
    t->function_capacity = capacity;
    return true;
}

static function_record *function_make(record_table *t, const hg_prof_function *key)
{
    function_record *f = hg_arena_alloc(&t->arena, sizeof *f, _Alignof(function_record));
    if (f == NULL)
        return NULL;
    *f = (function_record){.key = key};
    hg_slice name = hg_slice_from(key->name), file = hg_slice_from(key->file);
    f->name = name.len == 0 && file.len > 0 ? HG_SLICE("[unknown]") : clean_text(&t->arena, name);
    f->file = clean_text(&t->arena, file);
    return f->name.ptr != NULL && f->file.ptr != NULL ? f : NULL;
}

static function_record *function_find(record_table *t, const hg_prof_function *key)
{
    size_t at = hg_hash_u64((uintptr_t)key) & (t->function_capacity - 1);
    while (t->functions[at] != NULL) {
        if (t->functions[at]->key == key)
            return t->functions[at];
        at = (at + 1) & (t->function_capacity - 1);
    }
    function_record *f = function_make(t, key);
    if (f == NULL)
        return NULL;
    t->functions[at] = f;
    if (++t->function_count * 4 > t->function_capacity * 3 && !functions_grow(t))
        return NULL;
    return f;
}

static void stacks_grow(record_table *t)
{
    size_t capacity = t->stack_capacity * 2;
    stack_record **buckets = calloc(capacity, sizeof *buckets);
    if (buckets == NULL)
        return; /* longer chains, still right */
    for (size_t i = 0; i < t->stack_capacity; i++)
        for (stack_record *s = t->stacks[i], *next; s != NULL; s = next) {
            next = s->next;
            s->next = buckets[s->hash & (capacity - 1)];
            buckets[s->hash & (capacity - 1)] = s;
        }
    free(t->stacks);
    t->stacks = buckets;
    t->stack_capacity = capacity;
}

static const hg_prof_function truncated = {"[truncated]", ""};

/* Frame i of what a stack shows, leaf first: 511 frames, then the mark. */
static hg_prof_frame shown_frame(const hg_prof_thread *t, size_t depth, size_t i)
{
    return i == FRAMES_MAX - 1 ? (hg_prof_frame){&truncated, 0} : t->frames[depth - 1 - i];
}

static bool same_stack(const stack_record *s, const hg_prof_thread *t, size_t depth, size_t count)
{
    if (s->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        hg_prof_frame f = shown_frame(t, depth, i);
        if (s->frames[i].function->key != f.function || s->frames[i].line != f.line)
            return false;
    }
    return true;
}

static stack_record *stack_make(record_table *records, const hg_prof_thread *t, size_t depth, size_t count,
                                uint64_t hash)
{
    stack_record *s = hg_arena_alloc(&records->arena, sizeof *s + count * sizeof *s->frames, _Alignof(stack_record));
    if (s == NULL)
        return NULL;
    *s = (stack_record){.hash = hash, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        hg_prof_frame f = shown_frame(t, depth, i);
        function_record *function = function_find(records, f.function);
        if (function == NULL)
            return NULL;
        s->frames[i] = (frame_record){function, 0, f.line};
    }
    s->next = records->stacks[hash & (records->stack_capacity - 1)];
    records->stacks[hash & (records->stack_capacity - 1)] = s;
    if (++records->stack_count > records->stack_capacity)
        stacks_grow(records);
    return s;
}

/* A thread that has collected too much starts anew; what is in flight keeps the old records alive. */
static bool renew_if_large(hg_prof_thread *t)
{
    if (hg_arena_used(&t->records->arena) <= THREAD_ARENA_MAX)
        return true;
    record_table *fresh = records_new();
    if (fresh == NULL)
        return false;
    records_retire(t->prof, t->records);
    t->records = fresh;
    return true;
}

stack_record *records_stack(hg_prof_thread *t)
{
    size_t depth = t->depth < t->stored ? t->depth : t->stored;
    size_t count = depth >= FRAMES_MAX - 1 ? FRAMES_MAX : depth;
    uint64_t hash = t->hashes[depth] ^ count;
    for (stack_record *s = t->records->stacks[hash & (t->records->stack_capacity - 1)]; s != NULL; s = s->next)
        if (s->hash == hash && same_stack(s, t, depth, count))
            return s;
    return renew_if_large(t) ? stack_make(t->records, t, depth, count, hash) : NULL;
}

stack_record *records_pseudo_stack(hg_prof_thread *t, hg_slice name)
{
    uint64_t hash = hg_hash(name, 1);
    stack_record **bucket = &t->records->stacks[hash & (t->records->stack_capacity - 1)];
    for (stack_record *s = *bucket; s != NULL; s = s->next)
        if (s->hash == hash && s->count == 1 && s->frames[0].function->key == NULL &&
            hg_slice_equal(s->frames[0].function->name, name))
            return s;
    hg_arena *arena = &t->records->arena;
    stack_record *s = hg_arena_alloc(arena, sizeof *s + sizeof *s->frames, _Alignof(stack_record));
    function_record *f = hg_arena_alloc(arena, sizeof *f, _Alignof(function_record));
    if (s == NULL || f == NULL)
        return NULL;
    *f = (function_record){.name = clean_text(arena, name), .file = HG_SLICE("")};
    *s = (stack_record){.hash = hash, .count = 1, .next = *bucket};
    s->frames[0] = (frame_record){f, 0, 0};
    *bucket = s;
    t->records->stack_count++;
    return s;
}

/* ---- Labels ---- */

static uint64_t hash_label(uint64_t hash, const label *l)
{
    hash = hg_hash(l->key, hash);
    hash = hg_hash(l->text, hash);
    return hg_hash_u64(hash ^ (uint64_t)l->number);
}

static bool same_label(const label *a, const label *b)
{
    return a->number == b->number && hg_slice_equal(a->key, b->key) && hg_slice_equal(a->text, b->text) &&
           hg_slice_equal(a->unit, b->unit);
}

static labels_record *labels_find(record_table *t, const label *items, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_label(hash, &items[i]);
    labels_record **bucket = &t->labels[hash % LABEL_BUCKETS];
    for (labels_record *r = *bucket; r != NULL; r = r->next) {
        bool same = r->hash == hash && r->count == count;
        for (size_t i = 0; same && i < count; i++)
            same = same_label(&r->items[i], &items[i]);
        if (same)
            return r;
    }
    labels_record *r = hg_arena_alloc(&t->arena, sizeof *r + count * sizeof *items, _Alignof(labels_record));
    if (r == NULL)
        return NULL;
    *r = (labels_record){.hash = hash, .count = (uint32_t)count, .next = *bucket};
    for (size_t i = 0; i < count; i++) {
        r->items[i] = items[i]; /* an empty text is a number, 0 */
        r->items[i].key = clean_text(&t->arena, items[i].key);
        r->items[i].text = clean_text(&t->arena, items[i].text);
        r->items[i].unit = clean_text(&t->arena, items[i].unit);
    }
    *bucket = r;
    return r;
}

enum { LABELS_MAX = 16 };

static size_t base_labels(const hg_prof_thread *t, label *out)
{
    size_t count = 0;
    out[count++] = (label){.key = HG_SLICE("thread id"), .number = t->tid, .unit = HG_SLICE("id")};
    if (t->name[0] != '\0')
        out[count++] = (label){.key = HG_SLICE("thread name"), .text = hg_slice_from(t->name)};
    if (t->root_span != 0) {
        out[count++] = (label){.key = HG_SLICE("local root span id"), .number = (int64_t)t->root_span};
        out[count++] = (label){.key = HG_SLICE("span id"), .number = (int64_t)t->span};
    }
    return count;
}

labels_record *records_labels(hg_prof_thread *t, const label *extra, size_t extra_count)
{
    if (extra_count == 0 && t->records->base_labels != NULL)
        return t->records->base_labels;
    label items[LABELS_MAX];
    size_t count = base_labels(t, items);
    for (size_t i = 0; i < extra_count && count < LABELS_MAX; i++)
        items[count++] = extra[i];
    if (!renew_if_large(t))
        return NULL;
    labels_record *r = labels_find(t->records, items, count);
    if (extra_count == 0)
        t->records->base_labels = r;
    return r;
}

hg_status hg_prof_set_stack(hg_prof_thread *t, const hg_prof_frame *frames, size_t count)
{
    if (t == NULL || (frames == NULL && count > 0))
        return HG_ERR_ARGUMENT;
    t->depth = t->stored = 0;
    for (size_t i = count; i-- > 0;)
        hg_prof_push(t, frames[i].function, frames[i].line);
    return HG_OK;
}

static bool frames_grow(hg_prof_thread *t)
{
    if (t->frame_capacity >= DEPTH_MAX)
        return false;
    size_t capacity = t->frame_capacity ? t->frame_capacity * 2 : 64;
    hg_prof_frame *frames = realloc(t->frames, capacity * sizeof *frames);
    if (frames != NULL)
        t->frames = frames;
    uint64_t *hashes = realloc(t->hashes, (capacity + 1) * sizeof *hashes);
    if (hashes != NULL)
        t->hashes = hashes;
    if (frames == NULL || hashes == NULL)
        return false;
    t->frame_capacity = capacity;
    return true;
}

void hg_prof_push(hg_prof_thread *t, const hg_prof_function *function, uint32_t line)
{
    if (t == NULL)
        return;
    size_t depth = t->depth++;
    if (depth != t->stored || (depth == t->frame_capacity && !frames_grow(t)))
        return; /* beyond what can be kept: only counted */
    t->frames[depth] = (hg_prof_frame){function, line};
    t->hashes[depth + 1] = hg_hash_u64(t->hashes[depth] + (uintptr_t)function + ((uint64_t)line << 32));
    t->stored = depth + 1;
}

void hg_prof_pop(hg_prof_thread *t)
{
    if (t == NULL || t->depth == 0)
        return;
    t->depth--;
    if (t->stored > t->depth)
        t->stored = t->depth;
}

void hg_prof_line(hg_prof_thread *t, uint32_t line)
{
    if (t == NULL || t->depth == 0 || t->depth != t->stored)
        return;
    size_t top = t->depth - 1;
    t->frames[top].line = line;
    t->hashes[top + 1] = hg_hash_u64(t->hashes[top] + (uintptr_t)t->frames[top].function + ((uint64_t)line << 32));
}
