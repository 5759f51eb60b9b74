/* One connection of a loop: bytes in, answers out. */
#ifndef HELPER_CONNECTION_H
#define HELPER_CONNECTION_H

#include "helper/server.h"

enum { OUT_PENDING_MAX = 8 << 20 };

typedef struct connection {
    int fd;
    protocol protocol;
    uint32_t serial; /* distinguishes the users of a table entry */
    uint64_t waiting_since; /* ns; 0: it does not wait for a build */
    bool closing, writing; /* close when everything is sent; EPOLLOUT is asked for */
    session session;
    /* a frame as it comes in */
    char head[8];
    size_t head_size;
    char *body;
    size_t body_size, body_length;
    /* a line as it comes in */
    hg_buffer line;
    bool skipping; /* the rest of a line that was too long */
    hg_buffer out;
    size_t sent;
} connection;

typedef struct connection_limits {
    size_t max_line;
    service *plain;
} connection_limits;

/* Takes what was read; answers are appended to c->out. False: close at once. */
bool connection_feed(connection *c, hg_slice bytes, const connection_limits *limits);

/* Sends what is pending. -1: the peer is gone; 0: some is left; 1: all is sent. */
int connection_flush(connection *c);

#endif
