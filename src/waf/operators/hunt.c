#include "waf/operators/hunt.h"

static bool next_param(hg_hunt *h)
{
    hg_slice param;
    hg_occurrences_end(&h->occurrences);
    while (h->detect->next(h->detect, h->object, &param)) {
        if (param.len < h->param_min || param.len > h->resource.len)
            continue;
        h->occurrences = hg_occurrences_of(param, h->resource, h->detect->env->arena);
        return true;
    }
    return false;
}

bool hg_hunt_next(hg_hunt *h, size_t *at)
{
    while (!h->stopped) {
        if (h->occurrences.needle.len > 0 && hg_occurrences_next(&h->occurrences, at)) {
            h->stopped = h->detect->expired(h->detect);
            return !h->stopped;
        }
        h->stopped = h->occurrences.out_of_memory;
        if (h->stopped || !next_param(h))
            break;
    }
    return false;
}

bool hg_hunt_report(hg_hunt *h, hg_slice resource_text)
{
    hg_detect *d = h->detect;
    d->mark(d);
    d->resource_text = resource_text;
    d->param = hg_hunt_param(h);
    d->highlight = d->param;
    return true;
}
