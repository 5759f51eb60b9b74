/* How the waf kind reaches an engine. A way in is one file and one line in waf.c. */
#ifndef CONFORMANCE_WAF_DRIVER_H
#define CONFORMANCE_WAF_DRIVER_H

#include "hotgate/value.h"

typedef struct waf_driver {
    const char *name;
    void *(*load)(const hg_value *ruleset); /* NULL when the engine refuses it */
    void (*unload)(void *instance);
    void *(*context)(void *instance);
    void *(*subcontext)(void *context);
    void (*release)(void *context, bool sub);
    /* Judges a map that lives as long as the context. *match: the engine said MATCH. The result's value lives until the
     * context's next run. NULL: the engine failed. */
    const hg_value *(*run)(void *context, bool sub, const hg_value *input, bool *match);
} waf_driver;

extern const waf_driver waf_native;
extern const waf_driver waf_v1;
extern const waf_driver waf_v2;

#endif
