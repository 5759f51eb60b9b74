/* The parts of hotgate serve. */
#ifndef CLI_SERVE_SERVE_H
#define CLI_SERVE_SERVE_H

#include "base/log.h"
#include "helper/listener.h"
#include "helper/manager.h"
#include "helper/server.h"

#include <signal.h>

enum { SERVE_OK = 0, SERVE_FAILED = 1, SERVE_USAGE = 2, SERVE_RULES = 3 };

typedef struct serve_options {
    const char *config, *rules, *base, *versions, *uids, *socket, *allow, *metrics, *profile, *events, *kafka;
    bool json;
    unsigned socket_mode; /* 0: only our own user and root */
    unsigned loops;
    size_t max_connections, max_frame, max_memory, max_line;
    hg_log_level level;
    hg_arena texts; /* of the configuration file */
} serve_options;

/* options.c: flags, and the file of --config, which they prevail over. -1: go on; else the exit status. */
int serve_parse(int argc, char **argv, serve_options *o);

/* Sets an option by its name; NULL or what is wrong with the value. `known` tells whether there is such an option. */
const char *serve_set(serve_options *o, const char *name, const char *value, bool *known);

/* config.c: false: complained on stderr with file, line and column. */
bool serve_read_config(const char *file, serve_options *o);

extern const char serve_usage[];

/* sockets.c */
typedef struct sockets {
    listener items[LISTENERS_MAX];
    size_t count;
} sockets;

/* Those that systemd opened, else those the options name. An exit status; complaints are on stderr. */
int serve_open_sockets(const serve_options *o, sockets *s);
void serve_close_sockets(sockets *s);

/* Tells systemd, if it wants to know (sd_notify(3)). */
void serve_notify(const char *state);

/* run.c: rules as text; path NULL: the embedded ones, and *file stays empty. False: complained on stderr. */
bool serve_read_rules(const char *path, hg_buffer *file, hg_slice *text);

/* watch.c: returns at SIGTERM or SIGINT; reloads at SIGHUP and when the rules file has changed. */
void serve_watch(const serve_options *o, manager *m, struct event_log *events, const sigset_t *signals);

#endif
