/* Finds or makes the service of a connection, and the one thread that builds rules. The lock is taken by client_init and
 * config_sync only, and never while rules are built. */
#ifndef HELPER_MANAGER_H
#define HELPER_MANAGER_H

#include "helper/service.h"

#include "hotgate/prof.h"

typedef struct manager manager;

typedef struct manager_options {
    hg_slice rules;            /* JSON text of the daemon's own rules; must outlive the manager */
    const char *rules_version; /* label when the rules carry none */
    const char *allow_rules;   /* glob of files that clients may name; NULL: none */
    hg_prof *prof;             /* samples the maintenance thread; NULL: none */
} manager_options;

/* What a finished build is told to: called on the maintenance thread. */
typedef void manager_ready(void *state, service *s, uint64_t ticket);

manager *manager_new(const manager_options *options, manager_ready *ready, void *state);
hg_status manager_start(manager *m);
void manager_stop(manager *m);
void manager_free(manager *m);

/* The service of these settings with a reference. *built false: `ready` will be called with the ticket. NULL: out of
 * memory or a rules file that is not allowed (*why says). */
service *manager_find(manager *m, const service_settings *settings, uint64_t ticket, bool *built, const char **why);
void manager_release(manager *m, service *s);

/* Builds (and keeps) the service of these settings now; for start-up. */
hg_status manager_prepare(manager *m, const service_settings *settings);

/* Replaces the daemon's own rules and rebuilds every service that uses them. */
void manager_reload(manager *m, hg_slice rules);

typedef struct manager_counts {
    uint64_t reloads_ok, reloads_failed, services;
} manager_counts;
manager_counts manager_count(manager *m);

#endif
