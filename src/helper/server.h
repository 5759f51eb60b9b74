/* The daemon: one loop a core, each with its connections. Everything a request needs happens on the loop that read it. */
#ifndef HELPER_SERVER_H
#define HELPER_SERVER_H

#include "helper/listener.h"

enum { LISTENERS_MAX = 64, LOOPS_MAX = 64 };

typedef struct server_options {
    manager *manager;
    listener *listeners;
    size_t listener_count;
    unsigned loops;         /* 0: one a CPU */
    size_t max_connections; /* a loop */
    size_t max_line;        /* bytes of a JSON line */
    size_t max_frame;       /* bytes of a message, at most FRAME_IN_MAX */
    size_t max_memory;      /* bytes of a connection's messages in a request */
    struct event_log *events; /* NULL: none */
    hg_prof *prof;          /* samples the loops; NULL: none */
} server_options;

typedef struct server server;

hg_status server_new(const server_options *options, server **out);
hg_status server_start(server *s);
/* Stops accepting, answers what has arrived, closes, joins the loops. */
void server_stop(server *s);
void server_free(server *s); /* NULL is fine */

/* For manager_new: tells the loop whose connection waits. state is a server **. */
void server_ready(void *state, uint64_t ticket);

const loop_counters *server_loop_counters(const server *s, size_t loop);
size_t server_loops(const server *s);
uint64_t server_events_lost(const server *s); /* by the event log itself */
uint64_t server_started(const server *s); /* monotonic nanoseconds */

#endif
