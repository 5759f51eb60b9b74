/* Hotgate: a sampling profiler for C programs. Application threads take samples of themselves and pass them, without
 * ever waiting, through a bounded channel to one consumer thread, which aggregates them and exports pprof profiles.
 * What is lost is counted, per type and reason.
 *
 * Unless a function says otherwise: statuses are returned, nothing aborts; handles may be NULL (then the call does
 * nothing and returns HG_ERR_ARGUMENT); calls that take a hg_prof_thread must come from that thread. */
#ifndef HOTGATE_PROF_H
#define HOTGATE_PROF_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hg_prof hg_prof;
typedef struct hg_prof_thread hg_prof_thread;

/* Sample types in their fixed order; names and units in hg_prof_type_name and hg_prof_type_unit. */
typedef enum hg_prof_type {
    HG_PROF_SAMPLE, /* timer ticks */
    HG_PROF_WALL_TIME,
    HG_PROF_CPU_TIME,
    HG_PROF_ALLOC_SAMPLES,
    HG_PROF_ALLOC_SIZE,
    HG_PROF_HEAP_LIVE_SAMPLES,
    HG_PROF_HEAP_LIVE_SIZE,
    HG_PROF_TIMELINE,
    HG_PROF_EXCEPTION_SAMPLES,
    HG_PROF_SOCKET_READ_TIME,
    HG_PROF_SOCKET_READ_TIME_SAMPLES,
    HG_PROF_SOCKET_WRITE_TIME,
    HG_PROF_SOCKET_WRITE_TIME_SAMPLES,
    HG_PROF_FILE_READ_TIME,
    HG_PROF_FILE_READ_TIME_SAMPLES,
    HG_PROF_FILE_WRITE_TIME,
    HG_PROF_FILE_WRITE_TIME_SAMPLES,
    HG_PROF_SOCKET_READ_SIZE,
    HG_PROF_SOCKET_READ_SIZE_SAMPLES,
    HG_PROF_SOCKET_WRITE_SIZE,
    HG_PROF_SOCKET_WRITE_SIZE_SAMPLES,
    HG_PROF_FILE_READ_SIZE,
    HG_PROF_FILE_READ_SIZE_SAMPLES,
    HG_PROF_FILE_WRITE_SIZE,
    HG_PROF_FILE_WRITE_SIZE_SAMPLES,
    HG_PROF_TYPES
} hg_prof_type;

HG_API const char *hg_prof_type_name(hg_prof_type type); /* "wall-time", ... */
HG_API const char *hg_prof_type_unit(hg_prof_type type); /* "count", "nanoseconds", "bytes" */

/* Which families of types a profiler records. */
enum {
    HG_PROF_ON = 1, /* sample, wall-time */
    HG_PROF_CPU = 2,
    HG_PROF_ALLOCATION = 4,
    HG_PROF_HEAP_LIVE = 8, /* only together with HG_PROF_ALLOCATION */
    HG_PROF_TIMELINE_ON = 16,
    HG_PROF_EXCEPTION = 32,
    HG_PROF_IO = 64,
    HG_PROF_DEFAULT = HG_PROF_ON | HG_PROF_CPU | HG_PROF_ALLOCATION | HG_PROF_TIMELINE_ON | HG_PROF_EXCEPTION
};

/* The types of these families, bit i for type i. */
HG_API uint32_t hg_prof_type_mask(unsigned families);

/* How the files of exports are called. */
typedef enum hg_prof_files {
    HG_PROF_FILES_NUMBERED, /* OUTPUT.1.pb.gz, OUTPUT.2.pb.gz, ... */
    HG_PROF_FILES_TIMED,    /* OUTPUT-20260915T084316Z-PID-1.pb.gz, ...: time of the export, UTC */
    HG_PROF_FILES_ONE       /* OUTPUT; further exports, if there are any, OUTPUT.2, OUTPUT.3, ... */
} hg_prof_files;

/* Everything has a default that zero selects. Strings are copied. */
typedef struct hg_prof_settings {
    unsigned families;            /* 0: HG_PROF_DEFAULT */
    size_t capacity;              /* messages in the channel; 0: 100; at most 65,536 */
    uint64_t tick_ns;             /* 0: 10,000,000 */
    uint64_t export_ns;           /* 0: 67 s */
    uint64_t allocation_distance; /* mean bytes between samples; 0: 4,194,304 */
    uint64_t exception_distance;  /* 0: 100 */
    uint64_t io_time_distance;    /* ns; 0: 10,000,000 */
    uint64_t io_size_distance;    /* bytes; 0: 102,400 */
    const char *output;           /* path, or its beginning; NULL: no files. Without zlib: .pb instead of .pb.gz */
    hg_prof_files files;
    const char *url;              /* http://host:port or unix:///path of an agent; NULL: no upload */
    const char *family;           /* of the event; NULL: "native" */
    uint64_t seed;                /* of the sampling distances; 0: differs between runs */
} hg_prof_settings;

/* Creates a stopped profiler. HG_ERR_ARGUMENT for settings out of range or a url that cannot be understood. */
HG_API hg_status hg_prof_new(const hg_prof_settings *settings, hg_prof **out);

/* Starts the consumer and the uploader (all signals blocked but the synchronous ones). */
HG_API hg_status hg_prof_start(hg_prof *prof);

/* Final export, then the threads end; waits at most limit_ns. HG_ERR_TIMEOUT: recent samples may be lost and the
 * profiler must not be freed. Attached threads may go on calling: their samples are refused and counted. */
HG_API hg_status hg_prof_stop(hg_prof *prof, uint64_t limit_ns);

/* Frees a stopped profiler; all threads must be detached. NULL is a no-op. */
HG_API void hg_prof_free(hg_prof *prof);

/* Exports now and waits (at most limit_ns) until files are written and uploads are done. */
HG_API hg_status hg_prof_flush(hg_prof *prof, uint64_t limit_ns);

/* ---- Threads ---- */

/* Registers the calling thread: ticks start. name may be NULL. */
HG_API hg_status hg_prof_attach(hg_prof *prof, const char *name, hg_prof_thread **out);
HG_API void hg_prof_detach(hg_prof_thread *thread); /* NULL is a no-op */

/* Tags of the profile that the thread's next samples belong to. NULL or "" leaves a tag out. Takes effect at the
 * next sample; equal contexts of any threads share one profile. `custom` is "key:value,key:value"; a malformed pair is
 * left out and HG_ERR_SYNTAX returned, the rest holds. */
typedef struct hg_prof_context {
    const char *service, *env, *version;
    const char *git_commit, *git_repository;
    const char *custom;
} hg_prof_context;
HG_API hg_status hg_prof_set_context(hg_prof_thread *thread, const hg_prof_context *context);

/* Labels of the following samples: local root span id and span id; root 0 takes them away. */
HG_API hg_status hg_prof_set_spans(hg_prof_thread *thread, uint64_t root, uint64_t span);

/* The resource of a finished trace: samples with that root span id get the label "trace endpoint". */
HG_API hg_status hg_prof_endpoint(hg_prof_thread *thread, uint64_t root, hg_slice resource);

/* ---- The stack ----
 * A function is a structure at a stable address, with text that stays while any thread is attached: it is read when
 * a thread first meets it. name "" with a file is shown as "[unknown]"; neither: the frame is left out. */
typedef struct hg_prof_function {
    const char *name;
    const char *file;
} hg_prof_function;

typedef struct hg_prof_frame {
    const hg_prof_function *function;
    uint32_t line; /* 0: none */
} hg_prof_frame;

/* The thread's own stack of frames. Deeper than 511 frames: the rest is shown as one "[truncated]". Must be balanced;
 * pop of an empty stack does nothing. A few nanoseconds each. */
HG_API void hg_prof_push(hg_prof_thread *thread, const hg_prof_function *function, uint32_t line);
HG_API void hg_prof_pop(hg_prof_thread *thread);
HG_API void hg_prof_line(hg_prof_thread *thread, uint32_t line); /* of the newest frame */

/* Instead: frames, leaf first, for the following samples, until the next call of this function; read at once. */
HG_API hg_status hg_prof_set_stack(hg_prof_thread *thread, const hg_prof_frame *frames, size_t count);

/* ---- Events. HG_OK also when nothing was due; HG_ERR_LIMIT: a sample was dropped because the channel is full;
 * HG_ERR_UNSUPPORTED: the profiler is off (stopped, or in a forked child). None waits, locks or (for a stack that the
 * thread has had before) allocates. ---- */

/* To be called at safe points; one relaxed load when no tick is pending, else a time sample. */
HG_API hg_status hg_prof_poll(hg_prof_thread *thread);

/* A time sample now, whatever the timer says. */
HG_API hg_status hg_prof_trigger(hg_prof_thread *thread);

/* ptr may be NULL when heap-live is off. */
HG_API hg_status hg_prof_allocated(hg_prof_thread *thread, void *ptr, size_t size);
/* Any thread, attached or not. */
HG_API void hg_prof_freed(hg_prof *prof, void *ptr);

typedef enum hg_prof_io { HG_PROF_SOCKET_READ, HG_PROF_SOCKET_WRITE, HG_PROF_FILE_READ, HG_PROF_FILE_WRITE } hg_prof_io;
/* One finished call: how long it took and how many bytes moved (0 or less: none). */
HG_API hg_status hg_prof_io_done(hg_prof_thread *thread, hg_prof_io class, uint64_t ns, int64_t bytes);

/* message may be empty. */
HG_API hg_status hg_prof_exception(hg_prof_thread *thread, hg_slice type, hg_slice message);

/* event: "compilation", "gc", "idle", ...; duration 0 counts as 1. The stack is the single frame [event] unless
 * with_stack is set. */
HG_API hg_status hg_prof_timeline(hg_prof_thread *thread, hg_slice event, uint64_t duration_ns, bool with_stack);

/* ---- What happened ---- */

typedef enum hg_prof_reason {
    HG_PROF_QUEUE_FULL,
    HG_PROF_UPLOAD_FULL,  /* profiles could not be handed to the uploader and memory was at its limit */
    HG_PROF_TOO_MANY,     /* identities */
    HG_PROF_NO_MEMORY,
    HG_PROF_REENTRANT,    /* native sampler: the thread's slots were all in use */
    HG_PROF_OFF,          /* stopped */
    HG_PROF_REASONS
} hg_prof_reason;

typedef struct hg_prof_counters {
    /* per type: taken = accepted + dropped + carried, exactly */
    uint64_t taken[HG_PROF_TYPES], accepted[HG_PROF_TYPES], dropped[HG_PROF_TYPES], carried[HG_PROF_TYPES];
    double lost[HG_PROF_TYPES];          /* sums of lost values after weighting */
    uint64_t dropped_by_reason[HG_PROF_REASONS]; /* samples, not types */
    uint64_t tracker_full;               /* allocations that heap-live could not follow */
    uint64_t exports, exports_failed;
    uint64_t wakes;                      /* of the consumer by producers */
    uint64_t stalls;                     /* times the consumer found a channelful: all drops lie in these */
    uint64_t consumer_cpu_ns, uploader_cpu_ns;
} hg_prof_counters;

/* Sums over all threads, past ones included. Any thread; takes the registration lock. */
HG_API hg_status hg_prof_count(hg_prof *prof, hg_prof_counters *out);

/* ---- The native sampler: CPU time or wall time of C threads, by signal. ---- */

typedef struct hg_prof_native_settings {
    unsigned rate;  /* samples a second and thread; 0: 99; at most 250 */
    bool wall;      /* wall clock instead of the thread's CPU time */
    bool unwinder;  /* use libunwind, loaded on demand, instead of frame pointers */
} hg_prof_native_settings;

/* Samples the calling thread, which must be attached, until it is detached; its ticks of hg_prof_poll end, as their time
 * would count twice. Programs should be built with -fno-omit-frame-pointer. Uses SIGPROF.
 * HG_ERR_UNSUPPORTED: no libunwind, or no timer. */
HG_API hg_status hg_prof_native_start(hg_prof_thread *thread, const hg_prof_native_settings *settings);

/* Whether libunwind can be loaded. */
HG_API bool hg_prof_native_can_unwind(void);

/* hg_prof_attach and hg_prof_native_start in one. When it fails *out is NULL. */
HG_API hg_status hg_prof_native_attach(hg_prof *prof, const char *name, const hg_prof_native_settings *settings,
                                       hg_prof_thread **out);

#ifdef __cplusplus
}
#endif
#endif
