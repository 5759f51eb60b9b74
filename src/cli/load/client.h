/* One simulated PHP worker: a connection and where it is in its request. */
#ifndef CLI_LOAD_CLIENT_H
#define CLI_LOAD_CLIENT_H

#include "cli/load/load.h"

typedef enum client_step { CLIENT_CLOSED, CLIENT_HELLO, CLIENT_IDLE, CLIENT_BUSY } client_step;

/* How a request misbehaves. */
typedef enum client_trouble {
    TROUBLE_NONE,
    TROUBLE_CUT,    /* goes away in the middle of a frame */
    TROUBLE_VANISH, /* goes away without reading an answer */
    TROUBLE_LEAVE,  /* goes away between answers, its request open */
    TROUBLE_HALF,   /* sends half a frame, pauses, sends the rest */
    TROUBLE_SLOW,   /* sends the whole request ahead and reads the answers in small pieces */
    TROUBLE_KINDS
} client_trouble;

typedef struct client {
    int fd; /* -1: closed */
    client_step step;
    load_command command; /* that is being answered */
    client_trouble trouble;
    bool attack;
    unsigned calls_left;
    uint64_t begun;   /* ns: request_init was due or sent; of CLIENT_HELLO: connect */
    uint64_t sent_at; /* ns: of the command being answered */
    uint64_t wakes;   /* ns: it does nothing before; 0: awake */
    hg_slice rest;    /* of what is being sent */
    hg_buffer ahead;  /* what TROUBLE_SLOW sends */
    hg_buffer in;
} client;

typedef struct client_env {
    const load_options *options;
    const load_messages *messages;
    load_counts counts;
    hg_arena arena;
    uint64_t random; /* state of the generator */
} client_env;

typedef enum client_event {
    CLIENT_WAITS,    /* nothing of note */
    CLIENT_GREETED,  /* client_init was answered */
    CLIENT_DONE,     /* the request was answered to its end */
    CLIENT_GONE      /* closed, by either side; what was lost or wrong is counted */
} client_event;

uint64_t client_random(client_env *env); /* xorshift */

/* Connects and sends client_init. CLIENT_GONE: refused; errno says why. */
client_event client_open(client *c, client_env *env, uint64_t now);
void client_close(client *c);

/* Begins a request on an idle client. */
client_event client_begin(client *c, client_env *env, uint64_t due, uint64_t now);
/* The socket can be read. A client that sleeps must not be asked. */
client_event client_read(client *c, client_env *env, uint64_t now);
/* The time c->wakes has come, or the socket takes more. */
client_event client_wake(client *c, client_env *env, uint64_t now);
/* Gives up on an answer. */
client_event client_give_up(client *c, client_env *env);

#endif
