#include "helper/frame.h"

static const char marker[4] = "dds";

frame_state frame_header(hg_slice bytes, size_t *length)
{
    size_t known = bytes.len < sizeof marker ? bytes.len : sizeof marker;
    if (memcmp(bytes.ptr, marker, known) != 0)
        return FRAME_BAD_MARKER;
    if (bytes.len < FRAME_HEADER)
        return FRAME_NEED_MORE;
    uint32_t size;
    memcpy(&size, bytes.ptr + sizeof marker, sizeof size);
    *length = size;
    return size > FRAME_IN_MAX ? FRAME_TOO_LARGE : FRAME_READY;
}

size_t frame_begin(hg_buffer *out)
{
    size_t start = out->len;
    hg_buffer_append(out, hg_slice_of(marker, sizeof marker));
    hg_buffer_append(out, hg_slice_of("\0\0\0", 4));
    return start;
}

hg_status frame_end(hg_buffer *out, size_t start)
{
    if (out->failed) {
        out->len = start;
        return HG_ERR_NOMEM;
    }
    size_t body = out->len - start - FRAME_HEADER;
    if (body > FRAME_OUT_MAX) {
        out->len = start;
        return HG_ERR_LIMIT;
    }
    uint32_t size = (uint32_t)body;
    memcpy(out->ptr + start + 4, &size, sizeof size);
    return HG_OK;
}
