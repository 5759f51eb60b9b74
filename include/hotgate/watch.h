/* Hotgate: requests from the wire judged by rules. Sits between an engine (hotgate/net.h) and its log: every record
 * goes on to the next sink, and requests and replies are judged as they come, without waiting for each other. */
#ifndef HOTGATE_WATCH_H
#define HOTGATE_WATCH_H

#include "hotgate/net.h"
#include "hotgate/waf.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hg_watch hg_watch;

typedef struct hg_watch_options {
    hg_waf *waf;         /* NULL: nothing is judged; else a reference is taken */
    uint64_t timeout_us; /* of one judgement; 0: 100,000 */
    bool summary;        /* count what hg_watch_summary prints */
    /* One alert as a line of JSON without its end (schema/alert.json); valid during the call. May be NULL. */
    void (*alert)(void *state, hg_slice json);
    void *state;
} hg_watch_options;

typedef struct hg_watch_counters {
    uint64_t judged;   /* requests */
    uint64_t attacked; /* requests with at least one alert */
    uint64_t alerts;
    uint64_t timeouts, failures;
    uint64_t parted; /* requests whose parts could not be judged together: more than 64 were under way */
} hg_watch_counters;

/* NULL when out of memory. One thread. */
HG_API hg_watch *hg_watch_new(const hg_watch_options *options);

/* Puts the watch before what is in *sink: *sink becomes the watch's, what was there is called by it. */
HG_API void hg_watch_sink(hg_watch *watch, hg_net_sink *sink);
HG_API void hg_watch_bind(hg_watch *watch, const hg_net *net);

/* Judges with this from the next request on; requests that are under way finish on the old one. */
HG_API void hg_watch_rules(hg_watch *watch, hg_waf *waf);

HG_API const hg_watch_counters *hg_watch_count(const hg_watch *watch);

/* For people: flows, top talkers, tunnels, methods, hosts, alerts, weirds, rates. seconds: how long it took. */
HG_API void hg_watch_summary(const hg_watch *watch, FILE *out, double seconds);

/* Call after the engine is freed. NULL is fine. */
HG_API void hg_watch_free(hg_watch *watch);

#ifdef __cplusplus
}
#endif
#endif
