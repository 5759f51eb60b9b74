/* A payload behind the header of each tunnel's carrier: the first octet chooses the tunnel. */
#include "net_frames.h"

static const struct {
    uint8_t proto;
    uint16_t port;
} carriers[] = {{17, 4789}, {17, 6081}, {17, 3544}, {17, 5072}, {17, 2152}, {17, 4754}, {17, 4790},
                {4, 0},     {41, 0},    {47, 0},    {58, 0},    {1, 0},     {6, 80},    {44, 0}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t frame[4096] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 8, 0, 0x45};
    if (size < 2 || size > 4000)
        return 0;
    const size_t which = data[0] % (sizeof carriers / sizeof *carriers);
    size_t at = 34, payload = size - 2;
    if (carriers[which].proto == 17) {
        frame[35] = 99;
        frame[36] = (uint8_t)(carriers[which].port >> 8);
        frame[37] = (uint8_t)carriers[which].port;
        frame[38] = (uint8_t)((payload + 8) >> 8);
        frame[39] = (uint8_t)(payload + 8);
        at += 8;
    }
    memcpy(frame + at, data + 2, payload);
    size_t total = at - 14 + payload;
    frame[16] = (uint8_t)(total >> 8);
    frame[17] = (uint8_t)total;
    frame[22] = 64;
    frame[23] = carriers[which].proto;
    frame[26] = frame[30] = 10;
    frame[29] = 1;
    frame[33] = 2;
    hg_net *net = fuzz_net(data[1] | 1);
    fuzz_frame(net, 1000000, 1, frame, at + payload);
    fuzz_frame(net, 2000000, 1, frame, at + payload);
    hg_net_finish(net);
    return 0;
}
