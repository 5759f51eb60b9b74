/* The generators. A new one is its file and its line here. */
#include "waf/processors/processor.h"

#define GENERATORS(X) \
    X(extract_schema) \
    X(http_endpoint_fingerprint) \
    X(http_header_fingerprint) \
    X(http_network_fingerprint) \
    X(session_fingerprint) \
    X(jwt_decode) \
    X(uri_parse)

#define DECLARE(name) extern const hg_generator hg_generator_##name;
#define POINT(name) &hg_generator_##name,

GENERATORS(DECLARE)

static const hg_generator *const generators[] = {GENERATORS(POINT)};

const hg_generator *hg_generator_find(hg_slice name)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (hg_slice_equal(generators[i]->name, name))
            return generators[i];
    return NULL;
}
