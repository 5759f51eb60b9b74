/* The daemon: listeners, one loop a core, connections. Everything a request needs happens on the loop that read it. */
#ifndef HELPER_SERVER_H
#define HELPER_SERVER_H

#include "helper/session.h"

enum { LISTENERS_MAX = 64, LOOPS_MAX = 64 };

typedef enum protocol { PROTOCOL_HELPER, PROTOCOL_JSON } protocol;

typedef struct listener {
    int fd;
    unsigned uid; /* peers must have it, or be root */
    protocol protocol;
    char path[112];      /* of a file socket, to be removed at the end; "" else */
    char lock_path[120];
    int lock_fd;         /* -1: none */
} listener;

/* Opens a unix socket; a leading '@' is the abstract namespace. listen() is called as `uid`, because that is whom clients
 * see. A stale file is removed under the lock beside it. On failure *why says what to do. */
hg_status listener_open(const char *address, unsigned uid, protocol speaks, listener *out, char why[256]);
/* One that systemd opened. */
void listener_adopt(int fd, protocol speaks, listener *out);
void listener_close(listener *l);

typedef struct server_options {
    manager *manager;
    listener *listeners;
    size_t listener_count;
    unsigned loops;          /* 0: one a CPU */
    size_t max_connections;  /* a loop */
    size_t max_line;         /* of the JSON protocol */
    service *plain;          /* whose rules the JSON protocol uses */
    hg_prof *prof;           /* samples the loops; NULL: none */
} server_options;

typedef struct server server;

hg_status server_new(const server_options *options, server **out);
hg_status server_start(server *s);
/* Stops accepting, closes connections between commands, joins the loops. */
void server_stop(server *s);
void server_free(server *s);

/* For manager_new: hands a finished build to the loop whose connection waits for it. state is a server **. */
void server_ready(void *state, service *built, uint64_t ticket);

const helper_counters *server_loop_counters(const server *s, size_t loop);
size_t server_loops(const server *s);

#endif
