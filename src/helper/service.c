#include "helper/service.h"

#include "helper/remote.h"

#include <stdlib.h>

static bool same(hg_slice a, hg_slice b)
{
    return hg_slice_equal(a, b);
}

/* Session and runtime ids are not part of it, so that all workers of a pool share one service. */
bool settings_equal(const service_settings *a, const service_settings *b)
{
    return a->always_enabled == b->always_enabled && a->timeout_us == b->timeout_us && a->rate_limit == b->rate_limit &&
           a->schema_enabled == b->schema_enabled && a->sampling_period == b->sampling_period &&
           a->remote_enabled == b->remote_enabled && same(a->rules_file, b->rules_file) &&
           same(a->key_regex, b->key_regex) && same(a->value_regex, b->value_regex) &&
           same(a->remote_path, b->remote_path) && same(a->service, b->service) && same(a->env, b->env);
}

static void keep(hg_slice *s, char **at)
{
    char *copy = *at;
    if (s->len > 0)
        memcpy(copy, s->ptr, s->len);
    copy[s->len] = '\0'; /* paths are handed to the system */
    *at += s->len + 1;
    *s = hg_slice_of(copy, s->len);
}

service *service_new(const service_settings *settings)
{
    service *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->settings = *settings;
    hg_slice *texts[] = {&s->settings.rules_file, &s->settings.key_regex, &s->settings.value_regex,
                         &s->settings.remote_path, &s->settings.service, &s->settings.env};
    size_t size = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += texts[i]->len + 1;
    char *at = s->text = malloc(size);
    if (settings->schema_enabled && settings->sampling_period >= 1)
        s->sampler = sampler_new(settings->sampling_period < 1e9 ? (uint32_t)settings->sampling_period : 1000000000);
    if (at == NULL || (settings->schema_enabled && settings->sampling_period >= 1 && s->sampler == NULL)) {
        free(s->text);
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        keep(texts[i], &at);
    pthread_mutex_init(&s->lock, NULL);
    limiter_init(&s->limiter, settings->rate_limit);
    atomic_init(&s->state, SERVICE_BUILDING);
    return s;
}

void generation_unref(generation *g)
{
    if (g == NULL || atomic_fetch_sub(&g->references, 1) != 1)
        return;
    hg_waf_unref(g->waf);
    free(g->rules_version);
    free(g->errors);
    free(g);
}

void service_free(service *s)
{
    if (s == NULL)
        return;
    generation_unref(s->current);
    hg_builder_free(s->builder);
    remote_free(s->remote);
    sampler_free(s->sampler);
    pthread_mutex_destroy(&s->lock);
    free(s->failure);
    free(s->text);
    free(s);
}

void service_publish(service *s, generation *g)
{
    pthread_mutex_lock(&s->lock);
    generation *old = s->current;
    s->current = g;
    atomic_fetch_add(&s->serial, 1);
    pthread_mutex_unlock(&s->lock);
    generation_unref(old);
}

generation *service_generation(service *s)
{
    pthread_mutex_lock(&s->lock);
    generation *g = s->current;
    if (g != NULL)
        atomic_fetch_add(&g->references, 1);
    pthread_mutex_unlock(&s->lock);
    return g;
}
