/* One connection of a loop: bytes in, answers out. Knows no sockets but for sending. */
#ifndef HELPER_CONNECTION_H
#define HELPER_CONNECTION_H

#include "helper/session.h"

enum { OUT_PENDING_MAX = 8 << 20, OUT_PENDING_HIGH = 256 << 10 };

typedef enum protocol { PROTOCOL_HELPER, PROTOCOL_JSON } protocol;

/* What connections of a loop share. */
typedef struct connection_place {
    session_place session;
    size_t max_line;  /* bytes of a JSON line */
    size_t max_frame; /* bytes of a message */
    source *plain;    /* whose rules JSON lines are judged by */
    const hg_obfuscator *obfuscator; /* of JSON lines */
} connection_place;

typedef struct connection {
    const connection_place *place;
    protocol protocol;
    bool closing; /* when everything is sent */
    session_next paused; /* SESSION_PAUSE, SESSION_WAIT; else SESSION_GO_ON */
    session session;
    hg_buffer held; /* what came while it was paused */
    /* a frame as it comes in */
    char head[8];
    size_t head_size;
    char *body;
    size_t body_size, body_length;
    bool skipping; /* the rest of a frame or line that is over a limit */
    hg_buffer line; /* as it comes in */
    hg_buffer out;
    size_t sent;
} connection;

void connection_open(connection *c, const connection_place *place, protocol speaks, uint64_t ticket, unsigned uid,
                     unsigned peer);
void connection_close(connection *c);

/* Takes what was read; answers are appended to c->out. False: close at once. */
bool connection_feed(connection *c, hg_slice bytes);
/* The client sends no more. */
void connection_end(connection *c);
/* What a paused connection waited for has ended (in time) or took too long. False: close at once. */
bool connection_resume(connection *c, bool in_time);

/* Rules have been replaced. */
void connection_renew(connection *c);

/* Sends what is pending. -1: the peer is gone; 0: some is left; 1: all is sent. */
int connection_flush(connection *c, int fd);

static inline size_t connection_pending(const connection *c)
{
    return c->out.len - c->sent;
}

#endif
