/* Shared by the files of `hotgate watch`. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/rules.h"
#include "hotgate/capture.h"
#include "hotgate/live.h"
#include "hotgate/netlog.h"
#include "hotgate/watch.h"

enum { WATCH_PATHS = 4096, WATCH_LIST = 64, WATCH_BATCH = 64 };

typedef struct watch_options {
    hg_net_options net;
    hg_netlog_options log;
    hg_live_options live;
    const char *interface;
    const char *filter;
    const char *paths[WATCH_PATHS];
    size_t path_count;
    const char *rules[WATCH_LIST];
    size_t rule_count;
    const char *ports[WATCH_LIST + 1], *local[WATCH_LIST + 1], *unchecked[WATCH_LIST + 1];
    bool no_rules, summary, follow, no_http;
    uint64_t rotate; /* seconds, 0: never */
    uint64_t packets; /* stop after so many, 0: never */
} watch_options;

/* 0: go on; 1: done (help was shown); 2: a usage error, said on stderr. */
int watch_options_read(int argc, char **argv, watch_options *options);

typedef struct watch_run {
    const watch_options *options;
    hg_net *net;
    hg_netlog *log;
    hg_watch *watch;
    int64_t rotate_at;
    bool trouble; /* something could not be read */
} watch_run;

/* Reads a file, or a folder's files in order of their names. */
void watch_path(watch_run *run, const char *path);
void watch_live(watch_run *run);

/* Set by signals. */
extern volatile int watch_stop, watch_hangup;

/* Between batches: rotation, signals. True: stop. */
bool watch_pause(watch_run *run);

#endif
