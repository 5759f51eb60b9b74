#include "waf/ruleset/config.h"

#include <stdlib.h>

hg_config *hg_config_new(hg_slice path, uint64_t serial)
{
    hg_config *config = calloc(1, sizeof *config);
    if (config == NULL)
        return NULL;
    atomic_init(&config->references, 1);
    config->serial = serial;
    hg_arena_init(&config->arena, NULL);
    bool ok;
    config->path = hg_arena_copy(&config->arena, path, &ok);
    if (!ok) {
        hg_config_unref(config);
        return NULL;
    }
    return config;
}

hg_config *hg_config_ref(hg_config *config)
{
    atomic_fetch_add_explicit(&config->references, 1, memory_order_relaxed);
    return config;
}

void hg_config_unref(hg_config *config)
{
    if (config == NULL || atomic_fetch_sub_explicit(&config->references, 1, memory_order_acq_rel) != 1)
        return;
    hg_regex_hold_close(&config->regexes);
    hg_arena_close(&config->arena);
    free(config);
}
