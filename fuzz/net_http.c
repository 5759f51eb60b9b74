/* An HTTP conversation: octets of both directions in pieces, cut as the input says, in a TCP flow with a handshake. */
#include "net_frames.h"

typedef struct talk {
    hg_net *net;
    hg_net_time time;
    uint32_t seq[2];
} talk;

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, v >> 16);
    put16(p + 2, v & 0xffff);
}

static void segment(talk *t, int side, uint8_t flags, const uint8_t *data, size_t len)
{
    uint8_t frame[54 + 512] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 8, 0, 0x45};
    put16(frame + 16, (unsigned)(40 + len));
    frame[22] = 64;
    frame[23] = 6;
    frame[26] = frame[30] = 10;
    frame[29] = (uint8_t)(1 + side);
    frame[33] = (uint8_t)(2 - side);
    put16(frame + 34, side ? 80 : 40000);
    put16(frame + 36, side ? 40000 : 80);
    put32(frame + 38, t->seq[side]);
    put32(frame + 42, t->seq[!side]);
    frame[46] = 0x50;
    frame[47] = flags;
    put16(frame + 48, 8192);
    memcpy(frame + 54, data, len);
    t->time += 1000;
    fuzz_frame(t->net, t->time, 1, frame, 54 + len);
    t->seq[side] += (uint32_t)len + ((flags & 3) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    talk t = {.net = fuzz_net(1), .time = 1000000, .seq = {1000, 5000}};
    static const uint8_t none[1];
    segment(&t, 0, 0x02, none, 0);
    segment(&t, 1, 0x12, none, 0);
    segment(&t, 0, 0x10, none, 0);
    size_t at = 0;
    while (at + 2 <= size) {
        int side = data[at] & 1;
        size_t len = data[at + 1];
        bool lost = (data[at] & 0xf0) == 0xf0; /* a hole, seen when the peer acknowledges beyond it */
        at += 2;
        if (len > size - at)
            len = size - at;
        if (lost)
            t.seq[side] += (uint32_t)len;
        else
            segment(&t, side, 0x18, data + at, len);
        segment(&t, !side, 0x10, none, 0);
        at += len;
    }
    segment(&t, 1, 0x11, none, 0);
    segment(&t, 0, 0x11, none, 0);
    hg_net_finish(t.net);
    return 0;
}
