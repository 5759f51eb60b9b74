/* Finds or makes the service of a connection, and the one thread that builds rules. The lock is taken by client_init and
 * config_sync only, and never while rules are built. */
#ifndef HELPER_MANAGER_H
#define HELPER_MANAGER_H

#include "helper/service.h"

#include "hotgate/prof.h"

enum { SERVICES_MAX = 1024 };

typedef struct manager manager;

typedef struct manager_options {
    hg_slice rules;            /* JSON text of the daemon's own rules; must outlive the manager */
    const char *rules_version; /* label when the rules carry none */
    const char *allow_rules;   /* glob of files that clients may name; NULL: none */
    hg_prof *prof;             /* samples the maintenance thread; NULL: none */
} manager_options;

/* What a finished build is told to: called on the maintenance thread. MANAGER_RENEWED instead of a ticket: rules have been
 * replaced, who is idle should let go of older ones. */
typedef void manager_ready(void *state, uint64_t ticket);
static const uint64_t MANAGER_RENEWED = UINT64_MAX;

/* NULL when out of memory. */
manager *manager_new(const manager_options *options, manager_ready *ready, void *state);
void manager_free(manager *m); /* NULL is fine */

/* Builds the daemon's own rules, so that who asks for no others waits for nothing. HG_ERR_SYNTAX: they are of no use. */
hg_status manager_prepare(manager *m);

hg_status manager_start(manager *m); /* the maintenance thread */
void manager_stop(manager *m);
/* One turn of that thread, by hand: builds what is waited for and looks at what is due. For when it has not started. */
void manager_turn(manager *m);

typedef enum manager_answer {
    MANAGER_READY,
    MANAGER_SOON, /* there are rules to judge by, but it is better to wait a moment for newer ones */
    MANAGER_WAIT, /* there are none yet */
    MANAGER_REFUSED, /* *why says */
    MANAGER_FULL     /* the same: there are too many different settings */
} manager_answer;

/* The service of these settings with a reference in *out (NULL if refused or full). With SOON and WAIT, `ready` is called with
 * the ticket when that is over. Any thread. */
manager_answer manager_find(manager *m, const service_settings *settings, uint64_t ticket, service **out,
                            char why[FAILURE_SIZE]);
void manager_release(manager *m, service *s);

/* Replaces the daemon's own rules, if they are of use; takes the text over. Sources that come from files are read again
 * too. NULL: only those. */
void manager_reload(manager *m, hg_buffer *text);

typedef struct manager_counts {
    uint64_t reloads_ok, reloads_failed;
    size_t services, sources;
} manager_counts;
manager_counts manager_count(manager *m);

typedef void manager_visit(void *state, const service *s);
/* Every service, under the lock: visit must be short. */
void manager_each(manager *m, manager_visit *visit, void *state);

/* The daemon's own rules. */
source *manager_base(manager *m);
telemetry *manager_telemetry(manager *m);

#endif
