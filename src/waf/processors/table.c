/* The generators of processors and what their mappings name. */
#include "waf/processors/processor.h"

static const hg_generator generators[] = {
    {HG_SLICE("extract_schema"), HG_GENERATE_SCHEMA, {{HG_SLICE("inputs"), HG_INPUT_ANY, false}}},
    {HG_SLICE("http_endpoint_fingerprint"),
     HG_GENERATE_ENDPOINT_FINGERPRINT,
     {{HG_SLICE("method"), HG_INPUT_STRING, false},
      {HG_SLICE("uri_raw"), HG_INPUT_STRING, false},
      {HG_SLICE("query"), HG_INPUT_MAP, true},
      {HG_SLICE("body"), HG_INPUT_MAP, true}}},
    {HG_SLICE("http_header_fingerprint"),
     HG_GENERATE_HEADER_FINGERPRINT,
     {{HG_SLICE("headers"), HG_INPUT_MAP, false}}},
    {HG_SLICE("http_network_fingerprint"),
     HG_GENERATE_NETWORK_FINGERPRINT,
     {{HG_SLICE("headers"), HG_INPUT_MAP, false}}},
    {HG_SLICE("session_fingerprint"),
     HG_GENERATE_SESSION_FINGERPRINT,
     {{HG_SLICE("cookies"), HG_INPUT_MAP, true},
      {HG_SLICE("session_id"), HG_INPUT_STRING, true},
      {HG_SLICE("user_id"), HG_INPUT_STRING, true}}},
    {HG_SLICE("jwt_decode"), HG_GENERATE_JWT, {{HG_SLICE("inputs"), HG_INPUT_ANY, false}}},
    {HG_SLICE("uri_parse"), HG_GENERATE_URI, {{HG_SLICE("inputs"), HG_INPUT_STRING, false}}},
};

const hg_generator *hg_generator_find(hg_slice name)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (hg_slice_equal(generators[i].name, name))
            return &generators[i];
    return NULL;
}
