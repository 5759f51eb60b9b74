/* Events as JSON, one a line, to a file and to a plugin. Loops hand lines over without waiting; one thread writes them. */
#ifndef HELPER_EVENT_LOG_H
#define HELPER_EVENT_LOG_H

#include "helper/telemetry.h"

typedef struct event_log event_log;

typedef struct event_log_options {
    const char *path;   /* NULL: no file */
    const char *plugin; /* of sink.h; NULL: none */
    const char *settings; /* of the plugin */
} event_log_options;

/* On failure *why says what. */
hg_status event_log_open(const event_log_options *options, event_log **out, char why[256]);
/* Writes what is there and ends. NULL is fine. No loop may use it any more. */
void event_log_close(event_log *log);

/* Takes the text over (a buffer on the heap). False: it is lost, as too much is waiting. Any thread. */
bool event_log_put(event_log *log, hg_buffer *line);

/* The file is opened anew before the next line: whoever moved it away gets no more of them. Any thread. */
void event_log_reopen(event_log *log);

/* Lines that could not be written or delivered. */
uint64_t event_log_lost(const event_log *log);

/* What an event is about, beside itself. */
typedef struct event_origin {
    const char *door;    /* "helper" or "json" */
    const char *command; /* NULL: none */
    hg_slice service, env, rules_version, rasp_rule;
    unsigned peer; /* uid of the client */
} event_origin;

/* One line for each event of a result's value. Returns how many were lost. */
uint64_t event_log_result(event_log *log, const event_origin *origin, const hg_value *result);

#endif
