/* The MessagePack reader: its length function must agree with it. First byte: where allocation fails; second: options. */
#include "carrier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    failing f;
    carrier_allocator(&f, data[0]);
    hg_limits limits = hg_limits_of((hg_limits_preset)(data[1] % HG_LIMITS_PRESETS));
    hg_msgpack_options options = {.limits = data[1] & 16 ? &limits : NULL, .partial = data[1] & 32};
    hg_slice bytes = hg_slice_of((const char *)data + 2, size - 2);
    hg_value v;
    size_t used = 0, length = 0;
    hg_status status = hg_msgpack_read(bytes, &options, &v, &used, &f.allocator);
    if (status == HG_OK)
        carrier_check(&v);
    if (status == HG_OK && !options.partial && (hg_msgpack_length(bytes, &length) != HG_OK || length != used))
        abort();
    hg_value_free(&v, &f.allocator);
    carrier_end(&f);
    return 0;
}
