/* A service: rules with their settings, shared by all connections whose client_init says the same. Rules are built on
 * the maintenance thread only; what is in use is published as a generation, which each loop notices by one relaxed load
 * a request and then holds on to with a reference of its own. */
#ifndef HELPER_SERVICE_H
#define HELPER_SERVICE_H

#include "helper/limiter.h"
#include "helper/sampler.h"

#include "hotgate/waf.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct service_settings {
    bool always_enabled;      /* by the client's own configuration */
    hg_slice rules_file;      /* empty: the daemon's rules */
    uint64_t timeout_us;
    uint32_t rate_limit;
    hg_slice key_regex, value_regex;
    bool schema_enabled;
    double sampling_period;
    bool remote_enabled;
    hg_slice remote_path;     /* empty: none */
    hg_slice service, env;
} service_settings;

/* One state of a service's rules: immutable, reference counted; instance and version label go together. */
typedef struct generation {
    atomic_uint references;
    hg_waf *waf;
    char *rules_version; /* "" when unknown */
    size_t loaded, failed;
    char *errors; /* JSON object message -> ids */
    atomic_bool announced; /* a client_init has told the counts */
    bool enabled; /* by remote configuration */
    const char *user_mode;
} generation;

typedef enum service_state { SERVICE_BUILDING, SERVICE_READY, SERVICE_FAILED } service_state;

typedef struct service {
    struct service *next;
    atomic_uint references; /* of connections; the manager keeps the last one alive besides */
    atomic_int state;
    service_settings settings; /* its texts are in `text` */
    char *text;
    hg_builder *builder; /* maintenance thread */
    pthread_mutex_t lock; /* for `current`, held for a pointer copy */
    generation *current;
    atomic_uint serial; /* of `current` */
    limiter limiter;
    sampler *sampler; /* NULL: every key is due, or none (settings.schema_enabled) */
    char *failure; /* why building failed */
    struct remote *remote; /* maintenance thread; NULL: none */
    uint64_t idle_since; /* manager: when the last connection left */
} service;

bool settings_equal(const service_settings *a, const service_settings *b);
service *service_new(const service_settings *settings); /* state BUILDING, no references; NULL when out of memory */
void service_free(service *s);

/* Publishes a generation (its reference becomes the service's). */
void service_publish(service *s, generation *g);
/* The current one with a reference for the caller; NULL before the first. */
generation *service_generation(service *s);
void generation_unref(generation *g);

#endif
