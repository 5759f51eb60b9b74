/* What the files of prof/ share. Producers are application threads; there is one consumer and one uploader.
 *
 * Text and stacks live in the producer's own arena and are sent by address. A record has fields that only its thread
 * writes (before the first send) and fields that only the consumer touches (where the record's twin is in the current
 * epoch), so a repeated stack costs the consumer one row look-up and no hashing of text. */
#ifndef PROF_INTERNAL_H
#define PROF_INTERNAL_H

#include "hotgate/prof.h"
#include "hotgate/value.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    FRAMES_MAX = 512,        /* the last one is "[truncated]" */
    DEPTH_MAX = 65536,       /* frames that a thread's own stack keeps */
    TEXT_MAX = 16383,        /* longest length whose varint takes two bytes */
    VALUES_MAX = 8,          /* non-zero values of one sample */
    IDENTITIES_MAX = 256,
    UPLOADS_MAX = 8,
    THREAD_ARENA_MAX = 2 << 20, /* a thread's records are thrown away above this */
    EPOCH_MAX = 16 << 20,    /* aggregated data is exported early above this */
    EPOCH_HARD_MAX = 64 << 20,
    STALLS_KEPT = 1024, /* the newest */
    LABEL_BUCKETS = 1024,
    NATIVE_FRAMES = 128, /* of a native stack */
    IO_CLASSES = 4
};

/* ---- Records made by producers ---- */

typedef struct function_record {
    const hg_prof_function *key;
    hg_slice name, file;
    uint64_t epoch; /* consumer: id is valid in this epoch */
    uint32_t id;
} function_record;

typedef struct frame_record {
    function_record *function; /* NULL: a native address */
    uint64_t address;
    uint32_t line;
} frame_record;

typedef struct stack_record {
    struct stack_record *next; /* in the thread's bucket */
    uint64_t hash;
    uint64_t epoch; /* consumer */
    uint32_t id;    /* consumer: stack id */
    uint32_t row;   /* consumer: the row that the last sample went to */
    const void *row_profile, *row_labels; /* consumer: ... if these are the same */
    uint32_t count;
    frame_record frames[]; /* leaf first */
} stack_record;

typedef struct label {
    hg_slice key;
    hg_slice text; /* empty: a number */
    int64_t number;
    hg_slice unit;
} label;

typedef struct labels_record {
    struct labels_record *next;
    uint64_t hash;
    uint64_t epoch; /* consumer */
    uint32_t id;    /* consumer: label set id */
    uint32_t count;
    label items[];
} labels_record;

/* Which profile a sample belongs to: immutable, interned by content, lives as long as the profiler. */
typedef struct identity {
    uint64_t hash;
    char *unified, *git, *custom; /* "key:value," pieces; NULL: the group is absent */
    uint64_t epoch;               /* consumer */
    struct profile *profile;      /* consumer */
} identity;

/* ---- The channel ---- */

typedef enum message_kind { MESSAGE_SAMPLE, MESSAGE_NATIVE, MESSAGE_ENDPOINT } message_kind;

struct native_slot;

typedef struct message {
    message_kind kind;
    uint32_t mask; /* which types the values belong to, in order of type */
    identity *identity;
    union {
        stack_record *stack;
        struct native_slot *native;
        char *resource; /* malloc'ed; freed by the consumer */
    };
    labels_record *labels;
    int64_t timestamp; /* ns since the epoch, 0: none */
} message;

/* A sample of one or two values is one cache line. */
typedef struct queue_slot {
    _Alignas(64) atomic_uint_fast64_t ready; /* position + 1 once the message is complete */
    message message;
    int64_t values[VALUES_MAX]; /* of an endpoint: the root span id */
} queue_slot;

typedef struct queue {
    _Alignas(64) atomic_uint_fast64_t tail; /* producers */
    _Alignas(64) atomic_uint_fast64_t head; /* published by the consumer */
    _Alignas(64) atomic_uint state; /* QUEUE_AWAKE, _NAPPING, _ASLEEP */
    atomic_uint_fast64_t wakes;
    uint64_t capacity, mask;
    queue_slot *slots;
} queue;

enum { QUEUE_AWAKE, QUEUE_NAPPING, QUEUE_ASLEEP };

hg_status queue_init(queue *q, size_t capacity);
void queue_free(queue *q);
/* Never waits; async-signal-safe. False: full. */
bool queue_send(queue *q, const message *m, const int64_t *values, size_t count);
/* The next complete message or NULL; it stays in place until queue_done. */
const queue_slot *queue_peek(queue *q);
void queue_done(queue *q);
uint64_t queue_depth(const queue *q);
uint64_t queue_quarter(const queue *q); /* so many messages end a nap */
void queue_wake(queue *q); /* unconditionally */
void queue_sleep(queue *q, unsigned state, uint64_t ns);

/* ---- Producers ---- */

typedef struct countdown {
    double mean;
    int64_t left;
} countdown;

typedef struct thread_counters {
    atomic_uint_fast64_t taken[HG_PROF_TYPES], accepted[HG_PROF_TYPES], dropped[HG_PROF_TYPES], carried[HG_PROF_TYPES];
    _Atomic double lost[HG_PROF_TYPES];
    atomic_uint_fast64_t reasons[HG_PROF_REASONS];
    atomic_uint_fast64_t tracker_full;
} thread_counters;

typedef struct retired_arena { /* records of a thread that nobody will send again */
    struct retired_arena *next;
    uint64_t ticket; /* may be freed when the consumer's head has passed this */
    hg_arena arena;
} retired_arena;

typedef struct record_table {
    hg_arena arena;
    function_record **functions; /* open addressing by key */
    size_t function_count, function_capacity;
    stack_record **stacks; /* buckets */
    size_t stack_count, stack_capacity;
    labels_record *labels[LABEL_BUCKETS];
    labels_record *base_labels; /* thread id, thread name, spans; NULL: to be made */
} record_table;

typedef struct native_sampler native_sampler;

struct hg_prof_thread {
    hg_prof *prof;
    hg_prof_thread *next, **slot; /* in the list of attached threads */
    atomic_uint ticks;            /* raised by the consumer */
    uint64_t attached_at;
    bool ticking; /* under the lock: gets ticks */
    _Alignas(64) uint64_t random;
    uint64_t last_wall, last_cpu; /* clocks at the last accepted time sample */
    uint64_t carried_ticks; /* of dropped time samples */
    countdown allocation, exception, io_time[IO_CLASSES], io_size[IO_CLASSES];
    size_t depth, stored;    /* frames pushed, and how many of them are kept: less only beyond DEPTH_MAX */
    hg_prof_frame *frames;   /* root first */
    uint64_t *hashes;        /* of the first n frames */
    size_t frame_capacity;
    record_table *records;
    identity *identity; /* NULL: to be made at the next sample */
    char *unified, *git, *custom;
    uint64_t root_span, span;
    int64_t tid;
    char name[64];
    thread_counters counters;
    native_sampler *native;
};

/* records.c: the producer's interning */
record_table *records_new(void);
void records_free(record_table *t);
void records_retire(hg_prof *prof, record_table *t); /* frees it once nothing in flight points into it */
stack_record *records_stack(hg_prof_thread *t);
stack_record *records_pseudo_stack(hg_prof_thread *t, hg_slice name); /* one frame */
labels_record *records_labels(hg_prof_thread *t, const label *extra, size_t count); /* base labels, then these */

/* identity.c */
identity *identity_intern(hg_prof *prof, const char *unified, const char *git, const char *custom);
char *identity_text(const identity *id, const char *common); /* all groups; malloc'ed */
hg_status tags_add(char **group, const char *key, const char *value);
hg_status tags_parse(char **group, const char *text);
char *git_url_clean(const char *url);

/* countdown.c */
void countdown_start(countdown *c, uint64_t mean, uint64_t *random);
bool countdown_due(countdown *c, int64_t amount, uint64_t *random);
double weight_of(int64_t size, double distance); /* 1 / (1 - e^(-size/distance)) */

/* types.c: how a type is scaled */
typedef enum scaling { SCALE_NONE, SCALE_POISSON_COUNT, SCALE_POISSON_SIZE, SCALE_FACTOR } scaling;
scaling type_scaling(hg_prof_type type, hg_prof_type *partner);
double type_distance(const hg_prof *prof, hg_prof_type type);
void weigh(const hg_prof *prof, uint32_t mask, const int64_t *values, double *out); /* in order of the mask */

/* sample.c */
typedef struct sample_values {
    uint32_t mask;
    int64_t values[VALUES_MAX]; /* in order of type */
} sample_values;
void sample_add(sample_values *v, hg_prof_type type, int64_t value);
hg_status sample_send(hg_prof_thread *t, const sample_values *v, stack_record *stack, labels_record *labels,
                      int64_t timestamp);

/* ---- The consumer's tables: one epoch from export to export ---- */

typedef struct string_table string_table;

typedef struct table { /* open addressing over positions; keys live with the owner */
    uint32_t *cells; /* position + 1 */
    uint64_t *hashes;
    size_t count, capacity;
} table;

typedef struct function_entry {
    uint32_t name, file;
} function_entry;
typedef struct location_entry {
    uint32_t function; /* UINT32_MAX: native, to be symbolised */
    uint32_t line;
    uint64_t address;
} location_entry;
typedef struct span_entry { /* a run inside a pool of ids */
    uint32_t start, count;
} span_entry;
typedef struct label_entry {
    uint32_t key, text, unit;
    int64_t number;
} label_entry;

typedef struct growing { /* an array that doubles */
    void *items;
    size_t count, capacity;
} growing;

typedef struct row {
    uint32_t stack, labels;
} row;

typedef struct profile {
    struct profile *next;
    identity *identity;
    table row_table;
    growing rows;   /* row */
    growing values; /* double, types a row */
    hg_buffer log;  /* timestamped samples */
    size_t log_count;
    growing endpoints;       /* endpoint_entry */
    growing endpoint_counts; /* endpoint_count */
} profile;

typedef struct endpoint_entry {
    int64_t root;
    uint32_t resource;
} endpoint_entry;
typedef struct endpoint_count {
    uint32_t resource;
    uint64_t count;
} endpoint_count;

typedef struct epoch {
    uint64_t number;
    uint64_t start_wall, start_monotonic, end_wall, end_monotonic;
    uint32_t types; /* mask */
    unsigned type_count;
    size_t bytes;
    hg_arena text;
    growing strings; /* hg_slice */
    table string_table;
    growing functions;
    table function_table;
    growing locations;
    table location_table;
    growing stacks; /* span_entry into stack_ids */
    growing stack_ids;
    table stack_table;
    growing labels;
    table label_table;
    growing label_sets; /* span_entry into label_ids */
    growing label_ids;
    table label_set_table;
    profile *profiles;
} epoch;

epoch *epoch_new(uint64_t number, uint32_t types);
void epoch_free(epoch *e);
hg_status epoch_add(epoch *e, identity *id, stack_record *stack, labels_record *labels,
                    int64_t timestamp, uint32_t mask, const double *values);
hg_status epoch_endpoint(epoch *e, int64_t root, hg_slice resource);
uint32_t epoch_string(epoch *e, hg_slice s); /* UINT32_MAX: out of memory */
uint32_t epoch_function(epoch *e, uint32_t name, uint32_t file);

/* encode.c: one profile as pprof bytes (not compressed) */
hg_status profile_encode(epoch *e, const profile *p, hg_buffer *out);
void symbolise(epoch *e); /* native locations get functions */

/* tracker.c: heap-live */
typedef struct tracker tracker;
tracker *tracker_new(void);
void tracker_free(tracker *t);
bool tracker_add(tracker *t, void *ptr, size_t size, identity *id, const stack_record *stack,
                 const labels_record *labels);
void tracker_remove(tracker *t, void *ptr);
void tracker_forget(tracker *t); /* after fork, in the child */
hg_status tracker_emit(tracker *t, const hg_prof *prof, epoch *e);

/* uploader.c, upload_http.c */
typedef struct uploader uploader;
uploader *uploader_new(hg_prof *prof);
hg_status uploader_start(uploader *u);
bool uploader_offer(uploader *u, epoch *e); /* takes ownership when true */
bool uploader_has_room(uploader *u);
bool uploader_wait_idle(uploader *u, uint64_t limit_ns);
void uploader_stop(uploader *u); /* no more work; the thread ends when done */
bool uploader_join(uploader *u, uint64_t limit_ns);
void uploader_free(uploader *u);
bool uploader_pause(uploader *u, uint64_t limit_ns);
void uploader_resume(uploader *u);
hg_status upload_http(const hg_prof *prof, hg_slice pprof, hg_slice event);
bool url_understood(const char *url);

/* native.c */
typedef struct native_slot {
    atomic_bool busy;
    uint32_t count;
    uint64_t addresses[NATIVE_FRAMES];
} native_slot;
void native_stop(hg_prof_thread *t);  /* no more signals; waits until its samples are consumed */
void native_free(hg_prof_thread *t);
const thread_counters *native_counters(const hg_prof_thread *t); /* NULL: not started */

/* fork.c */
void fork_register(hg_prof *prof);
void fork_forget(hg_prof *prof);

/* A time in which as many samples came as the channel holds, and the consumer took none or not enough of them. */
typedef struct stall {
    uint64_t start, end; /* monotonic ns */
} stall;

struct hg_prof {
    hg_prof_settings settings;
    char *output, *url, *family, *common; /* common: the process's tags */
    uint32_t types;
    atomic_bool running; /* producers may send */
    atomic_bool stopping, flush_wanted, pause_wanted;
    atomic_uint paused;
    bool started, in_child, fork_prepared;
    queue queue;
    pthread_t consumer;
    atomic_bool consumer_ended;
    pthread_mutex_t lock; /* threads, identities, retired arenas, past counters */
    pthread_cond_t changed; /* flush and pause */
    hg_prof_thread *threads;
    atomic_uint attached, ticking; /* threads in the list, and those of them that get ticks */
    atomic_uint thread_number; /* of the next one */
    identity *identities[IDENTITIES_MAX];
    size_t identity_count;
    retired_arena *retired;
    hg_prof_counters past; /* of detached threads */
    epoch *epoch;          /* consumer */
    uint64_t epoch_number, last_export_wall, last_export_monotonic; /* consumer */
    stall stall_log[STALLS_KEPT]; /* consumer; position: stalls % STALLS_KEPT */
    uint64_t flushes_done;
    tracker *tracker;
    uploader *uploader;
    atomic_uint_fast64_t exports, exports_failed, stalls, consumer_cpu, uploader_cpu;
    atomic_uint_fast64_t consumer_dropped[HG_PROF_TYPES], consumer_reasons[HG_PROF_REASONS];
    _Atomic double consumer_lost[HG_PROF_TYPES];
    uint64_t start_wall;
    hg_prof *next_forked;
};

/* wait.c. The condition is looked at under the lock, which the caller holds; true: it holds. */
typedef bool condition(const void *state);
void condition_init(pthread_cond_t *changed); /* on the monotonic clock */
bool condition_wait(pthread_cond_t *changed, pthread_mutex_t *lock, condition *holds, const void *state,
                    uint64_t limit_ns);

void *consumer_main(void *prof);
void block_signals(void); /* all but the synchronous ones */
bool grow(growing *g, size_t size, size_t more); /* room for `more` items */

static inline void count_up(atomic_uint_fast64_t *c, uint64_t by)
{
    /* one writer: no read-modify-write needed */
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

#endif
