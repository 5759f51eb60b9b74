/* The helper protocol as far as hotgate load speaks it, with the costs of the usual design: a heap block for each string,
 * maps and tag strings built anew for each reply, mutexes at the end of each request. */
#ifndef BENCH_REFERENCE_PROTOCOL_H
#define BENCH_REFERENCE_PROTOCOL_H

#include "reference/engine.h"

#include <pthread.h>

enum { TREES_MAX = 1024 };

typedef struct reference_service {
    const reference_engine *engine;
    pthread_mutex_t update;    /* held while rules are built, and taken at the end of each request */
    pthread_mutex_t pointer;   /* of `instance`, for a moment */
    pthread_mutex_t telemetry; /* taken once a request */
    void *instance;
    size_t points;
} reference_service;

typedef struct reference_request {
    void *context;
    hg_value trees[TREES_MAX]; /* decoded messages, while the context may look at them */
    size_t tree_count;
    char version[64];
} reference_request;

/* The body of one frame is answered into out. False: it cannot be read. */
bool reference_answer(reference_service *s, reference_request *r, hg_slice body, hg_buffer *out);
void reference_end(reference_service *s, reference_request *r);
/* Builds the rules anew, as one update of remote configuration does. */
bool reference_update(reference_service *s, hg_slice rules);

#endif
