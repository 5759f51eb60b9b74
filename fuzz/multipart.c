/* multipart/form-data. First byte: where allocation fails; second: options and the boundary's length; third: limits; then
 * the boundary and the body. */
#include "carrier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t boundary = size < 3 ? 0 : 1 + (data[1] >> 5);
    if (size < 3 + boundary)
        return 0;
    carrier c;
    carrier_begin(&c, data[0], data[2]);
    hg_body_options options = {.limits = c.limits, .report = &c.report,
                               .flags = data[1] & (HG_BODY_ALWAYS_ARRAY | HG_BODY_PHP_BRACKETS | HG_BODY_FILE_CONTENT)};
    hg_value fields, names, files;
    hg_slice rest = hg_slice_of((const char *)data + 3, size - 3);
    if (hg_multipart_read(hg_slice_skip(rest, boundary), hg_slice_take(rest, boundary), &options, &fields, &names, &files,
                          &c.f.allocator) == HG_OK) {
        carrier_check(&fields);
        carrier_check(&names);
        carrier_check(&files);
    }
    hg_value_free(&fields, &c.f.allocator);
    hg_value_free(&names, &c.f.allocator);
    hg_value_free(&files, &c.f.allocator);
    carrier_end(&c.f);
    return 0;
}
