/* Frames of the helper protocol: "dds\0", length (32 bits, host order), body. */
#ifndef HELPER_FRAME_H
#define HELPER_FRAME_H

#include "hotgate/base.h"
#include "hotgate/value.h"

enum { FRAME_HEADER = 8, FRAME_IN_MAX = 10485760, FRAME_OUT_MAX = 4194304 };

typedef enum frame_state {
    FRAME_NEED_MORE,
    FRAME_READY,
    FRAME_BAD_MARKER,
    FRAME_TOO_LARGE
} frame_state;

/* Looks at a header; on FRAME_READY *length is the body's. */
frame_state frame_header(hg_slice bytes, size_t *length);

/* Appends a header whose length is filled in by frame_end; returns where it stands. */
size_t frame_begin(hg_buffer *out);
/* HG_ERR_LIMIT: the body is over 4 MiB; the frame has been taken away again. */
hg_status frame_end(hg_buffer *out, size_t start);

#endif
