/* The JSON reader in its three dialects, with and without limits. First byte: where allocation fails; second: options. */
#include "carrier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    failing f;
    carrier_allocator(&f, data[0]);
    hg_limits limits = hg_limits_of((hg_limits_preset)((data[1] >> 3) % HG_LIMITS_PRESETS));
    hg_report report;
    hg_report_init(&report);
    hg_json_options options = {.dialect = (hg_json_dialect)(data[1] % 3),
                               .limits = data[1] & 4 ? &limits : NULL,
                               .report = &report,
                               .offsets = data[1] & 128 ? hg_json_offsets_new() : NULL};
    hg_value v;
    hg_json_error error;
    if (hg_json_read(hg_slice_of((const char *)data + 2, size - 2), &options, &v, &f.allocator, &error) == HG_OK)
        carrier_check(&v);
    hg_value_free(&v, &f.allocator);
    carrier_end(&f);
    hg_json_offsets_free(options.offsets);
    return 0;
}
