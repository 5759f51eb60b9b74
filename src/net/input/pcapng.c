/* pcapng files (draft-ietf-opsawg-pcapng): section headers, interfaces, enhanced, simple and old packet blocks; the
 * rest is skipped. Weirds: empty_pcapng_header, pcapng_invalid_interface_number, pcapng_invalid_option_length,
 * negative_packet_timestamp. */
#include "net/input/input.h"
#include "net/wire.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SECTION = 0x0a0d0d0a, INTERFACE = 1, OLD_PACKET = 2, SIMPLE = 3, ENHANCED = 6,
    ORDER = 0x1a2b3c4d,
    BLOCK_HEADER = 8, BLOCK_LEAST = 12,
    OPTION_END = 0, OPTION_TSRESOL = 9, OPTION_TSOFFSET = 14,
    INTERFACES_MOST = 65536,
};

static uint32_t u32(const hg_capture *c, const uint8_t *p)
{
    return c->swapped ? net_be32(p) : net_le32(p);
}

static uint16_t u16(const hg_capture *c, const uint8_t *p)
{
    return c->swapped ? net_be16(p) : net_le16(p);
}

static uint64_t resolution(uint8_t v)
{
    uint64_t units = 1;
    if (v & 0x80)
        return (v & 0x7f) < 63 ? (uint64_t)1 << (v & 0x7f) : (uint64_t)1 << 62;
    for (int i = 0; i < v && i < 18; i++)
        units *= 10;
    return units;
}

static input_result interface(hg_capture *c, const uint8_t *body, size_t len)
{
    input_interface found = {.units = 1000000};
    if (len < 8 || c->interface_count == INTERFACES_MOST)
        return INPUT_BAD;
    found.link_type = u16(c, body);
    size_t at = 8;
    while (len - at >= 4) {
        uint16_t code = u16(c, body + at), size = u16(c, body + at + 2);
        at += 4;
        if (code == OPTION_END)
            break;
        if (size > len - at)
            return input_raise(c, "pcapng_invalid_option_length", "");
        if (code == OPTION_TSRESOL) {
            if (size < 1)
                return input_raise(c, "pcapng_invalid_option_length", "");
            found.units = resolution(body[at]);
        } else if (code == OPTION_TSOFFSET && size == 8) {
            uint64_t a = u32(c, body + at), b = u32(c, body + at + 4);
            found.offset = (int64_t)(c->swapped ? a << 32 | b : b << 32 | a);
        }
        size_t padded = (size + 3u) & ~3u;
        at += padded < len - at ? padded : len - at;
    }
    if (c->interface_count == c->interface_room) {
        size_t room = c->interface_room ? c->interface_room * 2 : 8;
        input_interface *grown = realloc(c->interfaces, room * sizeof *grown);
        if (grown == NULL)
            return INPUT_BAD;
        c->interfaces = grown;
        c->interface_room = room;
    }
    c->interfaces[c->interface_count++] = found;
    return INPUT_SKIP;
}

static input_result packet(hg_capture *c, uint32_t id, uint64_t stamp, uint32_t captured, uint32_t wire,
                           const uint8_t *data, size_t len, hg_net_frame *frame)
{
    if (id >= c->interface_count) {
        char addl[16];
        snprintf(addl, sizeof addl, "%u", id);
        return input_raise(c, "pcapng_invalid_interface_number", addl);
    }
    if (captured > len)
        return INPUT_BAD;
    if (captured == 0 || wire == 0)
        return input_raise(c, "empty_pcapng_header", "");
    const input_interface *from = &c->interfaces[id];
    uint64_t whole = stamp / from->units;
    unsigned __int128 part = (unsigned __int128)(stamp % from->units) * 1000000 / from->units;
    if (whole > INT64_MAX / 2000000)
        return input_raise(c, "negative_packet_timestamp", "");
    hg_net_time time = ((int64_t)whole + from->offset % (INT64_MAX / 2000000)) * 1000000 + (hg_net_time)part;
    if (time < 0)
        return input_raise(c, "negative_packet_timestamp", "");
    *frame = (hg_net_frame){.time = time, .data = data, .captured = captured, .wire = wire,
                            .link_type = from->link_type, .vlan = -1};
    return INPUT_FRAME;
}

static input_result block(hg_capture *c, uint32_t type, const uint8_t *body, size_t len, hg_net_frame *frame)
{
    switch (type) {
    case INTERFACE:
        return interface(c, body, len);
    case ENHANCED:
        if (len < 20)
            return INPUT_BAD;
        return packet(c, u32(c, body), (uint64_t)u32(c, body + 4) << 32 | u32(c, body + 8), u32(c, body + 12),
                      u32(c, body + 16), body + 20, len - 20, frame);
    case OLD_PACKET:
        if (len < 20)
            return INPUT_BAD;
        return packet(c, u16(c, body), (uint64_t)u32(c, body + 4) << 32 | u32(c, body + 8), u32(c, body + 12),
                      u32(c, body + 16), body + 20, len - 20, frame);
    case SIMPLE: {
        if (len < 4)
            return INPUT_BAD;
        uint32_t wire = u32(c, body), captured = wire < len - 4 ? wire : (uint32_t)(len - 4);
        return packet(c, 0, 0, captured, wire, body + 4, len - 4, frame);
    }
    default:
        return INPUT_SKIP;
    }
}

input_result input_pcapng(hg_capture *c, const uint8_t *data, size_t len, size_t *need, hg_net_frame *frame)
{
    *need = BLOCK_LEAST;
    if (len < BLOCK_LEAST)
        return INPUT_MORE;
    if (net_le32(data) == SECTION) {
        if (net_le32(data + 8) != ORDER && net_be32(data + 8) != ORDER)
            return INPUT_BAD;
        c->swapped = net_be32(data + 8) == ORDER;
        c->interface_count = 0;
    }
    uint32_t type = u32(c, data), size = u32(c, data + 4);
    if (size < BLOCK_LEAST || size > INPUT_RECORD_MOST)
        return INPUT_BAD;
    *need = (size + 3u) & ~3u;
    if (len < *need)
        return INPUT_MORE;
    if (net_le32(data) == SECTION)
        return INPUT_SKIP;
    return block(c, type, data + BLOCK_HEADER, size - BLOCK_LEAST, frame);
}
