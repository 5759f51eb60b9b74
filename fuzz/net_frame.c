/* Frames: each is a length in 2 octets, a link type in 1 (an index), then the octets. */
#include "net_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint16_t links[] = {1, 0, 9, 10, 50, 101, 105, 108, 113, 127, 239, 276, 12, 147};
    hg_net *net = fuzz_net(size > 0 ? data[0] : 0);
    size_t at = 1;
    hg_net_time time = 0;
    while (at + 3 <= size) {
        size_t len = data[at] | (size_t)data[at + 1] << 8, link = data[at + 2] % (sizeof links / sizeof *links);
        at += 3;
        if (len > size - at)
            len = size - at;
        time += 40000 + (hg_net_time)(len & 7) * 3000000;
        fuzz_frame(net, time, links[link], data + at, len);
        at += len;
    }
    hg_net_finish(net);
    return 0;
}
