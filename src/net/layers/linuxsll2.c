/* Linux cooked capture v2 (LINKTYPE_LINUX_SLL2, DLT 276), 20 octets: protocol 2, reserved 2, interface 4, ARPHRD 2,
 * packet type 1, address length 1, address 8. Weirds: truncated_Linux_SLL2_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 20 };

static const uint8_t no_mac[6];

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_Linux_SLL2_header, "", &net_layer_linuxsll2);
        return false;
    }
    packet->mac_src = data + 12;
    packet->mac_dst = no_mac;
    return net_forward(net, packet, &net_layer_linuxsll2, net_be16(data), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 276, false}, {NULL, 0, false}};

const net_layer net_layer_linuxsll2 = {
    .name = "LinuxSLL2", .source = "LINUXSLL2", .id = NET_LAYER_linuxsll2, .enter = enter, .parents = parents};
