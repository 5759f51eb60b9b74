/* Hotgate: captured frames inside tunnels, as cloud mirrors deliver them: Ethernet / IPv4 / UDP / Geneve / IPv4 / UDP /
 * VXLAN / the original frame. */
#ifndef HOTGATE_WRAP_H
#define HOTGATE_WRAP_H

#include "hotgate/net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HG_WRAP_MOST = 256 }; /* no encapsulation is longer */

typedef struct hg_wrap_options {
    bool geneve, vxlan; /* layers, Geneve outside; at least one */
    bool aws;           /* the three options of AWS gateway load balancers, VNI 0 */
    bool per_direction; /* each direction its own source port, addresses swapped */
    bool udp_checksum;  /* computed, where all octets are there; else 0 */
    uint8_t src[4], dst[4];
    uint32_t vni_geneve, vni_vxlan;
} hg_wrap_options;

/* Geneve over VXLAN, 127.0.0.1 to itself, VNIs 4242. */
HG_API hg_wrap_options hg_wrap_defaults(void);

/* Writes what goes before the frame to out (HG_WRAP_MOST bytes), an Ethernet header first, and returns its length. The
 * frame is Ethernet, or raw IP when only Geneve is asked for. 0: it does not fit into an
 * IPv4 datagram, or VXLAN was asked for something else than Ethernet. Thread-safe. */
HG_API size_t hg_wrap_frame(const hg_wrap_options *options, const hg_net_frame *frame, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
