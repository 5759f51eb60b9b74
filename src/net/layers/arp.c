/* ARP and RARP (RFC 826, RFC 903): hardware type 2, protocol 2, lengths 1 + 1, operation 2, four addresses. A whole
 * message counts as processed; it makes no record. Weirds: truncated_ARP. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 8 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len < HEADER || len < HEADER + 2u * data[4] + 2u * data[5]) {
        net_weird_packet(net, packet, W_truncated_ARP, "", &net_layer_arp);
        return false;
    }
    packet->processed = true;
    return true;
}

static const net_parent parents[] = {
    {"Ethernet", 0x0806, false},  {"Ethernet", 0x8035, false},   {"VLAN", 0x0806, false},
    {"VLAN", 0x8035, false},      {"LinuxSLL", 0x0806, false},   {"LinuxSLL", 0x8035, false},
    {"LinuxSLL2", 0x0806, false}, {"LinuxSLL2", 0x8035, false},  {"SNAP", 0x0806, false},
    {"SNAP", 0x8035, false},      {"IEEE802_11", 0x0806, false}, {"IEEE802_11", 0x8035, false},
    {"Geneve", 0x0806, false},    {NULL, 0, false},
};

const net_layer net_layer_arp = {
    .name = "ARP", .source = "ARP", .id = NET_LAYER_arp, .enter = enter, .parents = parents};
