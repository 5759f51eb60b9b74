/* Query strings and form bodies. First byte: where allocation fails; second: options; third: limits. */
#include "carrier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    carrier c;
    carrier_begin(&c, data[0], data[2]);
    hg_body_options options = {.limits = c.limits, .report = &c.report,
                               .flags = data[1] & (HG_BODY_ALWAYS_ARRAY | HG_BODY_PHP_BRACKETS),
                               .charset = (hg_charset)((data[1] >> 4) % 3)};
    hg_value v;
    if (hg_form_read(hg_slice_of((const char *)data + 3, size - 3), &options, &v, &c.f.allocator) == HG_OK)
        carrier_check(&v);
    hg_value_free(&v, &c.f.allocator);
    carrier_end(&c.f);
    return 0;
}
