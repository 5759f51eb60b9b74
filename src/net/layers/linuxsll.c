/* Linux cooked capture v1 (LINKTYPE_LINUX_SLL, DLT 113), 16 octets: packet type 2, ARPHRD 2, address length 2,
 * address 8, protocol 2. Weirds: truncated_Linux_SLL_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 16 };

static const uint8_t no_mac[6];

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_Linux_SLL_header, "", &net_layer_linuxsll);
        return false;
    }
    packet->mac_src = data + 6;
    packet->mac_dst = no_mac;
    return net_forward(net, packet, &net_layer_linuxsll, net_be16(data + 14), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 113, false}, {NULL, 0, false}};

const net_layer net_layer_linuxsll = {
    .name = "LinuxSLL", .source = "LINUXSLL", .id = NET_LAYER_linuxsll, .enter = enter, .parents = parents};
