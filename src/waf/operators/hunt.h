/* The occurrences of the parameters of one `params` object in a resource: what ssrf, sqli and shi detectors go by. */
#ifndef WAF_OPERATORS_HUNT_H
#define WAF_OPERATORS_HUNT_H

#include "text/rasp/occurrences.h"
#include "waf/operators/operator.h"

typedef struct hg_hunt {
    hg_detect *detect;
    hg_slice resource;
    size_t param_min; /* shorter parameters are passed over; at least 1 */
    size_t object;
    hg_occurrences occurrences; /* of the current parameter; without needle: none */
    bool stopped;               /* out of time or memory */
} hg_hunt;

static inline hg_hunt hg_hunt_start(hg_detect *d, hg_slice resource, size_t param_min, size_t object)
{
    return (hg_hunt){.detect = d, .resource = resource, .param_min = param_min, .object = object};
}

/* The next occurrence, parameter by parameter, from left to right. False: there is none, or the hunt was stopped. */
bool hg_hunt_next(hg_hunt *h, size_t *at);

static inline hg_slice hg_hunt_param(const hg_hunt *h)
{
    return h->occurrences.needle;
}

/* Fills in the answer of the detector: the parameter of the last occurrence is reported. True. */
bool hg_hunt_report(hg_hunt *h, hg_slice resource_text);

#endif
