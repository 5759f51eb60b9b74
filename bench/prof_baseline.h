/* An emulation of the common design of sample pipelines (labelled as such in every result): text copied a sample,
 * reference-counted blocks, a 25-slot record, identity hashed by SipHash, one message a wait. The switches turn its
 * five published optimizations on, one by one. Only bench/prof_load.c uses it. */
#ifndef BENCH_PROF_BASELINE_H
#define BENCH_PROF_BASELINE_H

#include "prof/internal.h"

#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

enum { STEP_FAST_HASH = 1, STEP_CACHED_IDENTITY = 2, STEP_BATCH = 4, STEP_OWNED = 8, STEP_LAZY = 16, STEPS_ALL = 31 };

enum { BASELINE_TYPES = 23 };

typedef struct shared { /* a reference-counted block */
    atomic_size_t references;
} shared;

typedef struct base_identity {
    shared head;
    char *types[BASELINE_TYPES * 2];
    const char *groups[4];
    atomic_size_t *group_references[4];
    uint64_t hash; /* with STEP_CACHED_IDENTITY */
    profile *unused;
} base_identity;

typedef struct base_frames {
    shared head;
    stack_record *stack;
} base_frames;

typedef struct base_labels {
    shared head;
    labels_record *labels;
} base_labels;

typedef struct base_message {
    base_identity *identity;
    base_frames *frames;
    base_labels *labels;
    int64_t *values;
    size_t value_count;
    int64_t timestamp;
} base_message;

typedef struct baseline {
    unsigned steps;
    queue queue; /* carries pointers */
    pthread_t thread;
    atomic_bool stopping;
    pthread_mutex_t registration; /* looked at in every round */
    size_t registered;
    hg_prof *rules; /* distances for weighting */
    epoch *epoch;
    struct {
        uint64_t hash;
        base_identity *key;
        identity *value;
    } map[8];
    size_t map_count;
    base_identity *cached;
    const char *groups[4];
    atomic_size_t group_references[4];
    atomic_uint_fast64_t accepted, dropped;
    atomic_uint_fast64_t consumer_cpu;
} baseline;

/* ---- SipHash-1-3 (Aumasson and Bernstein 2012), fed in pieces as a streaming hasher is ---- */

typedef struct sip {
    uint64_t v0, v1, v2, v3, tail;
    size_t length;
} sip;

static inline uint64_t rotate(uint64_t x, int b)
{
    return x << b | x >> (64 - b);
}

static inline void sip_round(sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static inline void sip_add(sip *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->tail |= (uint64_t)(unsigned char)p[i] << 8 * (s->length & 7);
        if ((++s->length & 7) == 0) {
            s->v3 ^= s->tail;
            sip_round(s);
            s->v0 ^= s->tail;
            s->tail = 0;
        }
    }
}

static inline uint64_t sip_end(sip *s)
{
    uint64_t last = s->tail | (uint64_t)s->length << 56;
    s->v3 ^= last;
    sip_round(s);
    s->v0 ^= last;
    s->v2 ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

static inline uint64_t fx_add(uint64_t h, const char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (rotate(h, 5) ^ word) * 0x517cc1b727220a95ull;
    }
    for (; n > 0; p++, n--)
        h = (rotate(h, 5) ^ (unsigned char)*p) * 0x517cc1b727220a95ull;
    return h;
}

static inline uint64_t identity_hash(const baseline *b, const base_identity *id)
{
    sip s = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573, 0, 0};
    uint64_t fx = 0;
    for (int i = 0; i < BASELINE_TYPES * 2 + 4; i++) {
        const char *text = i < BASELINE_TYPES * 2 ? id->types[i] : id->groups[i - BASELINE_TYPES * 2];
        if (b->steps & STEP_FAST_HASH)
            fx = fx_add(fx, text, strlen(text));
        else
            sip_add(&s, text, strlen(text));
    }
    return b->steps & STEP_FAST_HASH ? fx : sip_end(&s);
}

static inline base_identity *identity_make(baseline *b)
{
    base_identity *id = calloc(1, sizeof *id);
    atomic_init(&id->head.references, 1);
    uint32_t types = b->rules->types;
    int at = 0;
    for (uint32_t left = types; left != 0 && at < BASELINE_TYPES * 2; left &= left - 1) {
        hg_prof_type t = (hg_prof_type)__builtin_ctz(left);
        id->types[at++] = (char *)hg_prof_type_name(t);
        id->types[at++] = (char *)hg_prof_type_unit(t);
    }
    for (int i = 0; i < 4; i++) {
        id->groups[i] = b->groups[i];
        id->group_references[i] = &b->group_references[i];
        atomic_fetch_add(&b->group_references[i], 1);
    }
    if (b->steps & STEP_CACHED_IDENTITY)
        id->hash = identity_hash(b, id);
    return id;
}

static inline void identity_drop(base_identity *id)
{
    if (atomic_fetch_sub(&id->head.references, 1) != 1)
        return;
    for (int i = 0; i < 4; i++)
        atomic_fetch_sub(id->group_references[i], 1);
    free(id);
}

static inline base_identity *identity_current(baseline *b)
{
    if (!(b->steps & STEP_CACHED_IDENTITY))
        return identity_make(b);
    if (b->cached == NULL)
        b->cached = identity_make(b);
    atomic_fetch_add(&b->cached->head.references, 1);
    return b->cached;
}

/* ---- Producer ---- */

static inline char *heap_text(const char *text)
{
    return strdup(text ? text : "");
}

static inline base_frames *frames_make(const hg_prof_frame *frames, size_t depth)
{
    base_frames *f = malloc(sizeof *f);
    atomic_init(&f->head.references, 1);
    f->stack = calloc(1, sizeof *f->stack + depth * sizeof(frame_record));
    f->stack->count = (uint32_t)depth;
    function_record *functions = calloc(depth, sizeof *functions);
    for (size_t i = 0; i < depth; i++) {
        functions[i].name = hg_slice_from(heap_text(frames[depth - 1 - i].function->name));
        functions[i].file = hg_slice_from(heap_text(frames[depth - 1 - i].function->file));
        f->stack->frames[i] = (frame_record){&functions[i], 0, frames[depth - 1 - i].line};
    }
    return f;
}

static inline void frames_drop(base_frames *f, bool counted)
{
    if (counted && atomic_fetch_sub(&f->head.references, 1) != 1)
        return;
    for (uint32_t i = 0; i < f->stack->count; i++) {
        free((char *)f->stack->frames[i].function->name.ptr);
        free((char *)f->stack->frames[i].function->file.ptr);
    }
    if (f->stack->count > 0)
        free(f->stack->frames[0].function);
    free(f->stack);
    free(f);
}

static inline base_labels *labels_make(int64_t tid, const char *name)
{
    base_labels *l = malloc(sizeof *l);
    atomic_init(&l->head.references, 1);
    l->labels = calloc(1, sizeof *l->labels + 2 * sizeof(label));
    l->labels->count = 2;
    l->labels->items[0] = (label){HG_SLICE("thread id"), HG_SLICE(""), tid, HG_SLICE("id")};
    l->labels->items[1] = (label){HG_SLICE("thread name"), hg_slice_from(heap_text(name)), 0, HG_SLICE("")};
    return l;
}

static inline void labels_drop(base_labels *l, bool counted)
{
    if (counted && atomic_fetch_sub(&l->head.references, 1) != 1)
        return;
    free((char *)l->labels->items[1].text.ptr);
    free(l->labels);
    free(l);
}

static inline void message_drop(baseline *b, base_message *m)
{
    identity_drop(m->identity);
    frames_drop(m->frames, !(b->steps & STEP_OWNED));
    labels_drop(m->labels, !(b->steps & STEP_OWNED));
    free(m->values);
    free(m);
}

static inline void baseline_sample(baseline *b, const hg_prof_thread *t, hg_prof_type type, int64_t value)
{
    hg_clock_thread_cpu_ns(); /* the walk is timed for the statistics */
    base_message *m = malloc(sizeof *m);
    m->frames = frames_make(t->frames, t->depth);
    hg_clock_thread_cpu_ns();
    m->labels = labels_make(t->tid, t->name);
    int64_t record[25] = {0};
    record[type] = value;
    record[type + 1] = 1;
    m->values = malloc(BASELINE_TYPES * sizeof *m->values);
    m->value_count = 0;
    for (int i = 0; i < 25; i++)
        if (b->rules->types >> i & 1)
            m->values[m->value_count++] = record[i];
    m->timestamp = 0;
    m->identity = identity_current(b);
    message carrier = {.resource = (char *)m};
    if (queue_send(&b->queue, &carrier, NULL, 0)) {
        count_up(&b->accepted, 1);
        return;
    }
    count_up(&b->dropped, 1);
    message_drop(b, m);
}

/* ---- Consumer ---- */

static inline bool same_identity(const base_identity *a, const base_identity *b)
{
    for (int i = 0; i < BASELINE_TYPES * 2; i++)
        if (strcmp(a->types[i], b->types[i]) != 0)
            return false;
    for (int i = 0; i < 4; i++)
        if (strcmp(a->groups[i], b->groups[i]) != 0)
            return false;
    return true;
}

static inline identity *baseline_profile(baseline *b, base_identity *id)
{
    uint64_t hash = b->steps & STEP_CACHED_IDENTITY ? id->hash : identity_hash(b, id);
    for (size_t i = 0; i < b->map_count; i++)
        if (b->map[i].hash == hash && ((b->steps & STEP_LAZY && b->map[i].key == id) || same_identity(b->map[i].key, id)))
            return b->map[i].value;
    b->map[b->map_count].hash = hash;
    b->map[b->map_count].key = id;
    atomic_fetch_add(&id->head.references, 1);
    return b->map[b->map_count++].value = identity_intern(b->rules, "service:load,", NULL, NULL);
}

static inline void baseline_take(baseline *b, base_message *m)
{
    identity *id = baseline_profile(b, m->identity);
    double weighted[BASELINE_TYPES + 2];
    unsigned at = 0;
    for (uint32_t left = b->rules->types; left != 0; left &= left - 1, at++)
        weighted[at] = (double)m->values[at]; /* rows are scaled at export there */
    if (b->epoch != NULL) {
        size_t arrays = m->frames->stack->count + 2; /* the temporary arrays of the aggregation */
        void *one = malloc(arrays * 16), *two = malloc(arrays * 8), *three = malloc(32), *four = malloc(16);
        epoch_add(b->epoch, id, m->frames->stack, m->labels->labels, m->timestamp, b->rules->types, weighted);
        free(one);
        free(two);
        free(three);
        free(four);
    }
    message_drop(b, m);
}

static inline void *baseline_main(void *argument)
{
    baseline *b = argument;
    block_signals();
    uint64_t tick = hg_clock_monotonic_ns(), export = tick;
    while (!atomic_load(&b->stopping) || queue_peek(&b->queue) != NULL) {
        pthread_mutex_lock(&b->registration); /* is anybody there? */
        bool anybody = b->registered > 0;
        pthread_mutex_unlock(&b->registration);
        uint64_t now = hg_clock_monotonic_ns(); /* three sources, each asked */
        now += anybody && hg_clock_monotonic_ns() - tick > 10000000;
        now += hg_clock_monotonic_ns() - export > 67000000000;
        (void)now; /* what counts is the price of asking */
        size_t limit = b->steps & STEP_BATCH ? b->queue.capacity : 1, taken = 0;
        for (const queue_slot *slot; taken < limit && (slot = queue_peek(&b->queue)) != NULL; taken++) {
            base_message *sample = (base_message *)slot->message.resource;
            queue_done(&b->queue);
            baseline_take(b, sample);
        }
        if (taken == 0 && !atomic_load(&b->stopping))
            queue_sleep(&b->queue, QUEUE_ASLEEP, 10000000);
    }
    atomic_store(&b->consumer_cpu, hg_clock_thread_cpu_ns());
    return NULL;
}

static inline bool baseline_start(baseline *b, hg_prof *rules, unsigned steps, size_t capacity)
{
    *b = (baseline){.steps = steps, .rules = rules, .registered = 1};
    static const char *const groups[] = {
        ("language:php,profiler_version:1.2.3,process_id:12345,runtime-id:01234567-89ab-cdef-0123-456789abcdef,"
        "runtime_version:8.3.1,php.sapi:cli,runtime_engine:zend-nts-ndebug,"),
        "service:load,env:prod,version:1.2.3,", "git.commit.sha:0123456789abcdef0123456789abcdef01234567,",
        "team:a,tier:1,"};
    memcpy(b->groups, groups, sizeof groups);
    pthread_mutex_init(&b->registration, NULL);
    b->epoch = epoch_new(1, rules->types);
    return queue_init(&b->queue, capacity) == HG_OK && b->epoch != NULL &&
           pthread_create(&b->thread, NULL, baseline_main, b) == 0;
}

static inline void baseline_stop(baseline *b)
{
    atomic_store(&b->stopping, true);
    queue_wake(&b->queue);
    pthread_join(b->thread, NULL);
    queue_free(&b->queue);
}

#endif
