/* Trees that may be anything, laid out by the input: sixteen bytes are one value, whose pointer is chosen among other
 * values, a text, NULL. Writers and the encoder's copy must survive them, and what they write must read back. */
#include "carrier.h"

enum { MOST = 64 };

static hg_value slots[2 * MOST];
static const char text[32] = "text \xC3\xA9\xFF\xED\xA0\x80 of some bytes";

/* Values point only at later slots, so that there is no cycle; sizes are kept to what the slots hold. */
static void lay(hg_value *v, const uint8_t *bytes, size_t index, size_t count)
{
    static const uint8_t tags[] = {HG_INVALID, HG_NULL,    HG_BOOL,         HG_SIGNED, HG_UNSIGNED,   HG_FLOAT,
                                   HG_STRING,  HG_LITERAL, HG_SMALL_STRING, HG_ARRAY,  HG_WIDE_ARRAY, HG_MAP,
                                   HG_WIDE_MAP};
    memcpy(v, bytes, 16);
    if (bytes[0] < 0xC0)
        v->type = tags[bytes[0] % sizeof tags];
    size_t next = index + 1 + bytes[14] % 4, left = next < count ? count - next : 0;
    if (v->type == HG_STRING || v->type == HG_LITERAL) {
        v->str.size %= sizeof text;
        v->str.ptr = bytes[15] & 1 ? NULL : (char *)text;
    } else if (hg_is_container(v)) {
        size_t entries = hg_is_map(v) ? left / 2 : left, size = bytes[2] % 5, capacity = bytes[4] % 5;
        size = size < entries ? size : entries;
        if (v->type & 1) {
            v->wide.head = v->type | (uint64_t)size << 8 | (uint64_t)capacity << 36;
        } else {
            v->array.size = (uint16_t)size;
            v->array.capacity = (uint16_t)capacity;
        }
        v->wide.ptr = bytes[15] & 1 ? NULL : &slots[next];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / 16 < MOST ? size / 16 : MOST;
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        lay(&slots[i], data + 16 * i, i, count);
    hg_buffer json = {0}, pack = {0};
    /* entries are shared, so a few slots can print as very much */
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    limits.max_total = 10000;
    hg_value copy;
    hg_source source = {.kind = HG_SOURCE_VALUE, .as.value = &slots[0]};
    if (hg_encode_source(&source, &limits, &copy, hg_heap(), NULL) != HG_OK)
        abort();
    carrier_check(&copy);
    hg_value_free(&copy, hg_heap());
    if (count <= 12) {
        size_t faults = hg_json_write(&slots[0], data[3], &json);
        if (hg_msgpack_write(&slots[0], &pack) != faults)
            abort();
        if (hg_json_read(hg_slice_of(json.ptr, json.len), NULL, &copy, hg_heap(), NULL) != HG_OK)
            abort();
        hg_value_free(&copy, hg_heap());
        size_t used;
        if (hg_msgpack_length(hg_slice_of(pack.ptr, pack.len), &used) != HG_OK || used != pack.len)
            abort();
    }
    hg_buffer_free(&json);
    hg_buffer_free(&pack);
    return 0;
}
