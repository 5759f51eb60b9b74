/* http_network_fingerprint: through which proxies a request came (waf-processors 3.3). */
#include "waf/processors/fingerprint.h"

/* How many addresses the best header lists. Headers of better rank replace the value even when theirs is of no use. */
static size_t count_addresses(hg_slice list)
{
    size_t count = list.len > 0;
    for (size_t i = 0; i < list.len; i++)
        count += list.ptr[i] == ',';
    return count;
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    const hg_value *map = g->inputs[0];
    if (!hg_is_map(map))
        return HG_GENERATED_NOTHING;
    char bits[HG_ADDRESS_HEADERS];
    memset(bits, '0', sizeof bits);
    unsigned best = HG_ADDRESS_HEADERS;
    hg_slice list = {NULL, 0};
    for (size_t i = 0; i < hg_value_size(map); i++) {
        const hg_pair *pair = &hg_map_pairs(map)[i];
        unsigned index;
        if (hg_header_kind_of(hg_value_string(&pair->key), &index) != HG_HEADER_ADDRESS)
            continue;
        bits[index] = '1';
        if (index >= best)
            continue;
        list = hg_text_of(&pair->val);
        if (list.len > 0)
            best = index;
    }
    char count[HG_DECIMAL_SIZE];
    const hg_slice parts[] = {HG_SLICE("net"), hg_decimal(count_addresses(list), count),
                              hg_slice_of(bits, sizeof bits)};
    return hg_fingerprint(g->arena, parts, sizeof parts / sizeof *parts, out);
}

const hg_generator hg_generator_http_network_fingerprint = {
    .name = HG_SLICE("http_network_fingerprint"),
    .id = HG_GENERATE_NETWORK_FINGERPRINT,
    .parameters = {{HG_SLICE("headers"), HG_INPUT_MAP, false}},
    .generate = generate,
};
