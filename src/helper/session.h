/* One connection's side of the helper protocol: what a command does and what is answered. A session is used by one loop;
 * it never waits. */
#ifndef HELPER_SESSION_H
#define HELPER_SESSION_H

#include "helper/manager.h"

enum { SUBCONTEXTS_MAX = 64, SUBCONTEXT_NAME_MAX = 64 };

typedef struct sub_context {
    char name[SUBCONTEXT_NAME_MAX];
    size_t name_length;
    hg_context *context;
} sub_context;

/* What sessions of a loop share. */
typedef struct session_place {
    manager *manager;
    loop_counters *counters;
    struct event_log *events; /* NULL: none */
    size_t max_memory;        /* bytes that the messages of a request may take */
} session_place;

typedef struct session {
    const session_place *place;
    uint64_t ticket;       /* names the connection to the manager */
    unsigned uid, peer;    /* of the listener, and of the client itself */
    service *service;      /* NULL before client_init */
    service *next_service; /* waited for */
    generation *rules;     /* of the request or, between requests, the latest that was seen */
    unsigned rules_serial;
    hg_slice version; /* the client's, echoed; in its frame */
    hg_arena request; /* frames and values of one HTTP request */
    hg_context *context; /* NULL: none yet in this request */
    sub_context subs[SUBCONTEXTS_MAX];
    size_t sub_count;
    /* of the request */
    bool begun; /* request_init was answered with a verdict */
    bool keep_decided, keep;
    unsigned outcome; /* OUTCOME_ bits */
    uint64_t waf_ns, rasp_ns, rasp_calls, rasp_timeouts;
    hg_status waf_error, rasp_error; /* the last ones */
    label_entry *rasp_error_label;
    hg_value attributes; /* map in `request`: key -> value, first one stays */
} session;

void session_open(session *s, const session_place *place, uint64_t ticket, unsigned uid, unsigned peer);
void session_close(session *s);

typedef enum session_next {
    SESSION_GO_ON,  /* send what was appended */
    SESSION_PAUSE,  /* nothing was appended: newer rules are under way, session_resume follows soon */
    SESSION_WAIT,   /* the same, but there are no rules yet */
    SESSION_CLOSE   /* send what was appended, then close */
} session_next;

/* A whole frame body (in the session's request arena) is answered into out. */
session_next session_command(session *s, hg_slice body, hg_buffer *out);
/* What was waited for has ended, or took too long. */
session_next session_resume(session *s, bool in_time, hg_buffer *out);
/* Rules have been replaced: an idle session lets go of older ones. */
void session_renew(session *s);
/* For bytes that are no frame, and frames that are over a limit. */
void session_protocol_error(session *s, hg_buffer *out);

/* Room for a frame's body: NULL when it would be over the limit, or there is none. */
char *session_room(session *s, size_t size);

#endif
