/* Counters as Prometheus text (/metrics) and as JSON (/status), served on a unix socket or a loopback port by a small
 * thread of its own. */
#ifndef HELPER_METRICS_H
#define HELPER_METRICS_H

#include "helper/server.h"

typedef struct metrics metrics;

/* address: "unix:PATH" or "127.0.0.1:PORT" / "[::1]:PORT". On failure *why says what. */
hg_status metrics_open(const char *address, const server *s, manager *services, metrics **out, char why[256]);
hg_status metrics_start(metrics *m);
void metrics_close(metrics *m); /* NULL is fine */

/* metrics_text.c */
void metrics_text(const server *s, manager *m, hg_buffer *out);

/* status.c: what `hotgate status` shows. */
void status_json(const server *s, manager *m, hg_buffer *out);

/* A counter of all loops together, by its offset in loop_counters. */
uint64_t metrics_sum(const server *s, size_t offset);

#endif
