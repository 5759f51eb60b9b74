/* A service: what connections with equal settings share beside their rules: limits, samples, names. */
#ifndef HELPER_SERVICE_H
#define HELPER_SERVICE_H

#include "helper/limiter.h"
#include "helper/sampler.h"
#include "helper/source.h"

typedef struct service_settings {
    bool always_enabled; /* by the client's own configuration */
    source_key from;
    uint64_t timeout_us;
    uint32_t rate_limit;
    hg_slice key_regex, value_regex; /* of the obfuscator */
    bool schema_enabled;
    double sampling_period; /* seconds */
    bool remote_enabled;
    hg_slice service, env;
} service_settings;

typedef struct service {
    struct service *next;
    unsigned number;           /* differs between all services */
    size_t connections;        /* manager's lock */
    service_settings settings; /* its texts are in `text` */
    char *text;
    source *source;
    limiter limiter;
    sampler *sampler; /* NULL: every key is due, or none (settings.schema_enabled) */
    hg_obfuscator *obfuscator;
    atomic_uint announced; /* generation.load of which a client_init has told */
    uint64_t idle_since; /* when the last connection left */
} service;

bool settings_equal(const service_settings *a, const service_settings *b);

/* Without references and source. NULL when out of memory. */
service *service_new(const service_settings *settings);
void service_free(service *s); /* NULL is fine */

#endif
