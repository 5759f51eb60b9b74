/* Where rules come from: the daemon's own or a file that a client names, and what remote configuration adds. Services
 * whose rules come from the same place share one source, so that a change is built once. Building is the maintenance
 * thread's; what is in use is published as a generation, which a loop notices by one relaxed load a request and then
 * holds on to with a reference of its own. */
#ifndef HELPER_SOURCE_H
#define HELPER_SOURCE_H

#include "helper/telemetry.h"

#include "hotgate/waf.h"

typedef struct source_key {
    hg_slice rules_file;  /* empty: the daemon's rules */
    unsigned reader;      /* uid that opens it */
    hg_slice remote_path; /* empty: none */
    unsigned owner;       /* uid that must own the objects of remote configuration */
} source_key;

/* One state of the rules: immutable, reference counted; instance and version label go together. */
typedef struct generation {
    atomic_uint references;
    hg_waf *waf;
    unsigned load;    /* differs when rules were loaded anew */
    char *version;    /* "" when unknown */
    unsigned version_number; /* in loop_counters.versions */
    size_t loaded, failed;
    char *errors; /* JSON object message -> ids */
    bool enabled; /* by remote configuration */
    const char *user_mode;
} generation;

void generation_unref(generation *g); /* NULL is fine */

/* What loading a set of rules said. */
typedef struct outcome {
    char *version, *errors;
    size_t loaded, failed;
} outcome;

typedef enum source_state {
    SOURCE_BUILDING, /* there is nothing to judge by yet */
    SOURCE_SETTLING, /* judges by the daemon's rules; remote configuration has not been looked at yet */
    SOURCE_READY,
    SOURCE_FAILED
} source_state;

enum { FAILURE_SIZE = 256 };

typedef struct source {
    struct source *next;
    size_t services; /* that use it; manager's lock */
    source_key key;  /* its texts are in `text` */
    char *text;
    atomic_int state;
    uint64_t failed_at;
    pthread_mutex_t lock; /* of `current` and `failure`, held for a copy */
    generation *current;
    atomic_uint serial; /* of `current` */
    char failure[FAILURE_SIZE];
    /* maintenance thread */
    hg_builder *builder; /* only with remote configuration */
    struct remote *remote;
    bool has_initial;    /* the builder holds the initial rules */
    outcome initial;     /* of them */
} source;

/* State BUILDING. NULL when out of memory. */
source *source_new(const source_key *key);
void source_free(source *s);
bool source_key_equal(const source_key *a, const source_key *b);

/* The current generation with a reference for the caller; NULL before the first. */
generation *source_generation(source *s);
void source_failure(source *s, char out[FAILURE_SIZE]);

/* Judges by what `base` has until remote configuration has been looked at: SETTLING. False: out of memory. Any thread. */
bool source_borrow(source *s, source *base);

/* The daemon's rules and where to count. */
typedef struct source_rules {
    hg_slice text;       /* JSON */
    const char *version; /* when the text has none */
    telemetry *telemetry;
} source_rules;

/* The first build: READY or FAILED (or still what was borrowed). */
void source_build(source *s, const source_rules *rules);
/* Loads the rules again, from the file where there is one. False: they are of no use and the old ones stay. */
bool source_reload(source *s, const source_rules *rules);
/* Looks at remote configuration: 1 something changed, 0 nothing new, -1 what came cannot be used. */
int source_poll(source *s, const source_rules *rules);

#endif
