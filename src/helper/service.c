#include "helper/service.h"

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
           a->remote_enabled == b->remote_enabled && source_key_equal(&a->from, &b->from) &&
           same(a->key_regex, b->key_regex) && same(a->value_regex, b->value_regex) && same(a->service, b->service) &&
           same(a->env, b->env);
}

static bool keep_texts(service *s)
{
    hg_slice *texts[] = {&s->settings.from.rules_file, &s->settings.from.remote_path, &s->settings.key_regex,
                         &s->settings.value_regex, &s->settings.service, &s->settings.env};
    size_t size = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += texts[i]->len;
    char *at = s->text = malloc(size + 1);
    for (size_t i = 0; at != NULL && i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->len > 0)
            memcpy(at, texts[i]->ptr, texts[i]->len);
        texts[i]->ptr = at;
        at += texts[i]->len;
    }
    return at != NULL;
}

service *service_new(const service_settings *settings)
{
    service *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->settings = *settings;
    bool sampled = settings->schema_enabled && settings->sampling_period >= 1;
    if (sampled)
        s->sampler = sampler_new(settings->sampling_period < 1e9 ? (uint32_t)settings->sampling_period : 1000000000);
    s->obfuscator = hg_obfuscator_new(settings->key_regex, settings->value_regex);
    if (!keep_texts(s) || s->obfuscator == NULL || (sampled && s->sampler == NULL)) {
        service_free(s);
        return NULL;
    }
    limiter_init(&s->limiter, settings->rate_limit);
    return s;
}

void service_free(service *s)
{
    if (s == NULL)
        return;
    hg_obfuscator_free(s->obfuscator);
    sampler_free(s->sampler);
    free(s->text);
    free(s);
}
