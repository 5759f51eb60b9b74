/* One connection's side of the helper protocol: what a command does and what is answered. A session is used by one loop;
 * it never waits. */
#ifndef HELPER_SESSION_H
#define HELPER_SESSION_H

#include "helper/manager.h"

enum { SUBCONTEXTS_MAX = 64, SUBCONTEXT_NAME_MAX = 64 };

/* Counted a loop, by its thread only; read by the metrics port. */
typedef struct helper_counters {
    atomic_uint_fast64_t requests, matches, blocks, timeouts, truncations, errors, protocol_errors, connections_total,
        refused, bytes_in, bytes_out, evaluations, rasp_evaluations, rasp_matches, rasp_timeouts, rate_limited;
    atomic_uint_fast64_t connections; /* now */
    atomic_uint_fast64_t seconds[16]; /* evaluation time: up to 2^i x 8 us */
    atomic_uint_fast64_t evaluation_ns;
} helper_counters;

static inline void count_add(atomic_uint_fast64_t *c, uint64_t by)
{
    /* one writer */
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

typedef struct sub_context {
    char name[SUBCONTEXT_NAME_MAX];
    size_t name_length;
    hg_context *context;
} sub_context;

typedef struct session {
    manager *manager;
    helper_counters *counters;
    uint64_t ticket; /* names the connection to the manager */
    service *service;
    generation *rules; /* of the request or, between requests, the latest that was seen */
    unsigned rules_serial;
    bool initialised, waiting; /* for a build */
    char version[64]; /* the client's, echoed */
    service_settings settings; /* texts in `setup` */
    hg_arena setup;   /* lives as long as the client_init */
    hg_arena request; /* frames and values of one HTTP request */
    hg_arena reply_arena;
    hg_context *context; /* NULL: none yet in this request */
    sub_context subs[SUBCONTEXTS_MAX];
    size_t sub_count;
    /* of the request */
    bool keep_decided, keep, matched, blocked, timed_out, failed, truncated, limited;
    uint64_t waf_ns, rasp_ns, rasp_calls, rasp_timeouts;
    hg_value attributes; /* map in `request`: key -> value, first one stays */
} session;

void session_open(session *s, manager *m, helper_counters *counters, uint64_t ticket);
void session_close(session *s);

typedef enum session_next {
    SESSION_GO_ON, /* send what was appended */
    SESSION_WAIT,  /* nothing was appended: a build is under way, session_resume follows */
    SESSION_CLOSE  /* send what was appended, then close */
} session_next;

/* A whole frame body (in the session's request arena) is answered into out. */
session_next session_command(session *s, hg_slice body, hg_buffer *out);
/* A build that was waited for has ended. */
session_next session_resume(session *s, hg_buffer *out);
/* The build took too long. */
session_next session_give_up(session *s, hg_buffer *out);
/* For bytes that are no frame. */
void session_protocol_error(session *s, hg_buffer *out);

#endif
