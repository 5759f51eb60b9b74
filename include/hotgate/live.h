/* Hotgate: frames from a network interface (Linux AF_PACKET, TPACKET_V3), and BPF filters for live and file input. */
#ifndef HOTGATE_LIVE_H
#define HOTGATE_LIVE_H

#include "hotgate/net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HG_LIVE_ERROR = 160 };

/* ---- Filters: libpcap's language, compiled by libpcap when it is there (loaded on demand) ---- */

typedef struct hg_filter hg_filter;

/* NULL with a sentence in error: no libpcap, or not a filter expression. */
HG_API hg_filter *hg_filter_new(const char *expression, uint32_t link_type, uint32_t snaplen,
                                char error[HG_LIVE_ERROR]);

/* Does the frame pass? */
HG_API bool hg_filter_match(const hg_filter *filter, const hg_net_frame *frame);
HG_API void hg_filter_free(hg_filter *filter);

/* ---- Live capture ---- */

typedef struct hg_live hg_live;

typedef struct hg_live_options {
    uint32_t snaplen;     /* 0: 9216 */
    uint32_t ring_bytes;  /* 0: 32 MiB, shared with the kernel */
    bool promiscuous;
    const char *filter;   /* NULL: everything */
} hg_live_options;

/* Needs CAP_NET_RAW. NULL with a sentence in error. */
HG_API hg_live *hg_live_open(const char *interface, const hg_live_options *options, char error[HG_LIVE_ERROR]);

/* Waits up to timeout_ms for frames and gives up to `room` of them, valid until the next call. VLAN tags that the kernel
 * took off are in frame->vlan; checksums that the kernel vouches for are marked. 0 with HG_OK: none came in time.
 * HG_ERR_IO: the interface is gone. */
HG_API size_t hg_live_read(hg_live *live, hg_net_frame *frames, size_t room, int timeout_ms, hg_status *status);

/* Frames that the kernel had to drop since the start. */
HG_API uint64_t hg_live_drops(hg_live *live);
HG_API void hg_live_close(hg_live *live);

#ifdef __cplusplus
}
#endif
#endif
