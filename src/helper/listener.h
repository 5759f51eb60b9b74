/* Listening sockets: abstract ones and files, with lock and stale-file handling. */
#ifndef HELPER_LISTENER_H
#define HELPER_LISTENER_H

#include "helper/connection.h"

typedef struct listener {
    int fd;
    unsigned uid;  /* peers must have it, or be root */
    bool anybody;  /* the file's mode says who may connect; uid is not looked at */
    protocol protocol;
    char path[112]; /* of a file socket, to be removed at the end; "" else */
    char lock_path[120];
    int lock_fd; /* -1: none */
} listener;

typedef struct listener_options {
    const char *address; /* a leading '@' is the abstract namespace */
    unsigned uid;        /* listen() is called as this user, because that is whom clients see */
    protocol speaks;
    unsigned mode; /* of a file that anybody may connect to whom it allows; 0: peers must be `uid`, or root */
} listener_options;

/* Opens a unix socket. A stale file is removed under the lock beside it. On failure *why says what to do. */
hg_status listener_open(const listener_options *options, listener *out, char why[256]);

/* One that systemd opened. A name of the helper protocol says whom it is for, ..._<uid>.sock; else it is for us. */
void listener_adopt(int fd, protocol speaks, listener *out);
void listener_close(listener *l);

#endif
