/* Classic pcap files (draft-ietf-opsawg-pcap): microseconds, nanoseconds, and Kuznetzov's longer record headers. */
#include "net/input/input.h"
#include "net/wire.h"

enum {
    MAGIC_MICRO = (int)0xa1b2c3d4u, MAGIC_NANO = (int)0xa1b23c4du, MAGIC_MODIFIED = (int)0xa1b2cd34u,
    FILE_HEADER = 24, RECORD_HEADER = 16, MODIFIED_MORE = 8,
};

static bool is_magic(uint32_t v)
{
    return v == (uint32_t)MAGIC_MICRO || v == (uint32_t)MAGIC_NANO || v == (uint32_t)MAGIC_MODIFIED;
}

bool input_is_pcap(const uint8_t *data)
{
    return is_magic(net_be32(data)) || is_magic(net_le32(data));
}

static uint32_t field(const hg_capture *capture, const uint8_t *p)
{
    return capture->swapped ? net_be32(p) : net_le32(p);
}

hg_status input_pcap_start(hg_capture *capture, const uint8_t *data, size_t len, size_t *used)
{
    if (len < FILE_HEADER)
        return HG_ERR_TRUNCATED;
    capture->swapped = is_magic(net_be32(data));
    uint32_t magic = field(capture, data);
    capture->nanoseconds = magic == (uint32_t)MAGIC_NANO;
    capture->modified = magic == (uint32_t)MAGIC_MODIFIED;
    capture->link_type = field(capture, data + 20) & 0xffff;
    *used = FILE_HEADER;
    return HG_OK;
}

input_result input_pcap(hg_capture *capture, const uint8_t *data, size_t len, size_t *need, hg_net_frame *frame)
{
    size_t header = RECORD_HEADER + (capture->modified ? MODIFIED_MORE : 0);
    *need = header;
    if (len < header)
        return INPUT_MORE;
    uint32_t seconds = field(capture, data), fraction = field(capture, data + 4);
    uint32_t captured = field(capture, data + 8), wire = field(capture, data + 12);
    if (captured > INPUT_RECORD_MOST)
        return INPUT_BAD;
    *need = header + captured;
    if (len < *need)
        return INPUT_MORE;
    if (captured == 0 || wire == 0)
        return input_raise(capture, "empty_pcap_header", "");
    *frame = (hg_net_frame){.time = (hg_net_time)seconds * 1000000 + (capture->nanoseconds ? fraction / 1000 : fraction),
                            .data = data + header, .captured = captured, .wire = wire,
                            .link_type = capture->link_type, .vlan = -1};
    return INPUT_FRAME;
}
