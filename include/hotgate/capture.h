/* Hotgate: capture files: pcap and pcapng in both byte orders, gzip-compressed ones when zlib is built in. */
#ifndef HOTGATE_CAPTURE_H
#define HOTGATE_CAPTURE_H

#include "hotgate/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hg_capture hg_capture;

/* "-" is standard input; a prefix "pcap::" or "pcapng::" settles the format, else the first four octets do. On
 * failure NULL, *status says why (HG_ERR_IO: errno is set; HG_ERR_UNSUPPORTED: no capture). */
HG_API hg_capture *hg_capture_open(const char *path, hg_status *status);

/* Up to `room` frames in file order; their data is valid until the next call. Returns how many. 0 with *status HG_OK:
 * the end; HG_ERR_TRUNCATED: the last record is cut off; HG_ERR_SYNTAX: damaged; HG_NEED_MORE: nothing yet (a file
 * that is followed). An anomaly between frames is reported to `weird` in order. Allocates only for records larger
 * than all before. */
HG_API size_t hg_capture_read(hg_capture *capture, hg_net_frame *frames, size_t room,
                              void (*weird)(void *state, const char *name, const char *addl), void *state,
                              hg_status *status);

/* At the end of the file, wait for more: hg_capture_read then gives HG_NEED_MORE instead of the end. */
HG_API void hg_capture_follow(hg_capture *capture, bool follow);

HG_API void hg_capture_close(hg_capture *capture);

#ifdef __cplusplus
}
#endif
#endif
