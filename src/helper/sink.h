/* Where events go besides the log: a plugin, loaded when it is asked for, so that the daemon itself needs no library for
 * it. A plugin is a shared object that exports `hotgate_sink`. */
#ifndef HELPER_SINK_H
#define HELPER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SINK_VERSION = 1 };

/* All functions are called by one thread. */
typedef struct sink_plugin {
    unsigned version; /* SINK_VERSION */
    const char *name;
    /* "key=value;key=value". NULL: *why says what is wrong. */
    void *(*open)(const char *settings, char why[256]);
    /* Takes a copy of one event (JSON, without line end). False: it is lost. Never waits. */
    bool (*put)(void *sink, const char *text, size_t size);
    /* Called now and then; returns how many events have been lost since the last time. */
    uint64_t (*poll)(void *sink);
    /* Sends what is left, for at most so long; returns as poll. */
    uint64_t (*close)(void *sink, int milliseconds);
} sink_plugin;

#endif
