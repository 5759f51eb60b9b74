/* Linux NFLOG (LINKTYPE_NFLOG, DLT 239): family 1, version 1, resource 2, then TLVs in host order; type 9 is the
 * packet. Weirds: truncated_nflog_header, unknown_nflog_version, nflog_no_pcap_payload, nflog_bad_tlv_len. */
#include "net/layers/layers.h"

#include <stddef.h>
#include <stdio.h>

enum { HEADER = 4, TLV = 4, TLV_PAYLOAD = 9 };

static bool fail(hg_net *net, net_packet *packet, net_weird name, const char *addl)
{
    net_weird_packet(net, packet, name, addl, &net_layer_nflog);
    return false;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER)
        return fail(net, packet, W_truncated_nflog_header, "");
    uint8_t family = data[0];
    if (data[1] != 0)
        return fail(net, packet, W_unknown_nflog_version, "");
    data += HEADER;
    len -= HEADER;
    for (;;) {
        if (len <= TLV)
            return fail(net, packet, W_nflog_no_pcap_payload, "");
        size_t tlv = net_le16(data);
        if (net_le16(data + 2) == TLV_PAYLOAD)
            return net_forward(net, packet, &net_layer_nflog, family, data + TLV, len - TLV);
        if (tlv < TLV)
            return fail(net, packet, W_nflog_bad_tlv_len, "");
        tlv = (tlv + 3) & ~(size_t)3;
        if (tlv > len) {
            char addl[48];
            snprintf(addl, sizeof addl, "(%zu > %zu)", tlv, len);
            return fail(net, packet, W_nflog_bad_tlv_len, addl);
        }
        data += tlv;
        len -= tlv;
    }
}

static const net_parent parents[] = {{"Root", 239, false}, {NULL, 0, false}};

const net_layer net_layer_nflog = {
    .name = "NFLog", .source = "NFLOG", .id = NET_LAYER_nflog, .enter = enter, .parents = parents};
