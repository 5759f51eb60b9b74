/* Bodies by content type: forms, multipart, XML, text, MessagePack, JSON. First byte: where allocation fails; second: kind
 * and options. */
#include "carrier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"application/x-www-form-urlencoded",
                                        "multipart/form-data; boundary=X",
                                        "text/xml",
                                        "text/plain; charset=windows-1252",
                                        "application/msgpack",
                                        "application/json",
                                        "text/plain",
                                        "application/x-www-form-urlencoded; charset=latin1"};
    if (size < 3)
        return 0;
    failing f;
    carrier_allocator(&f, data[0]);
    hg_report report;
    hg_report_init(&report);
    hg_limits limits = hg_limits_of((hg_limits_preset)(data[2] % HG_LIMITS_PRESETS));
    hg_body_options options = {.limits = data[2] & 128 ? &limits : NULL,
                               .report = &report,
                               .flags = (data[1] >> 3) & ~(unsigned)HG_BODY_BORROW};
    hg_body body;
    hg_slice text = hg_slice_of((const char *)data + 3, size - 3);
    if (hg_body_decode(hg_slice_from(types[data[1] & 7]), text, &options, &body, &f.allocator) == HG_OK)
        carrier_check(&body.value);
    hg_body_free(&body, &f.allocator);
    carrier_end(&f);
    return 0;
}
