#include "prof/gzip.h"

#ifdef HG_WITH_ZLIB
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, STEP = 65536 };

hg_status gzip_pack(hg_slice plain, hg_buffer *out)
{
    z_stream z = {0};
    if (plain.len > UINT32_MAX || deflateInit2(&z, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return HG_ERR_NOMEM;
    z.next_in = (Bytef *)plain.ptr;
    z.avail_in = (uInt)plain.len;
    int state;
    do {
        unsigned char step[STEP];
        z.next_out = step;
        z.avail_out = sizeof step;
        state = deflate(&z, Z_FINISH);
        hg_buffer_append(out, hg_slice_of((const char *)step, sizeof step - z.avail_out));
    } while (state == Z_OK);
    deflateEnd(&z);
    return state == Z_STREAM_END && !out->failed ? HG_OK : HG_ERR_NOMEM;
}

hg_status gzip_unpack(hg_slice packed, size_t limit, hg_buffer *out)
{
    z_stream z = {0};
    if (packed.len > UINT32_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return HG_ERR_NOMEM;
    z.next_in = (Bytef *)packed.ptr;
    z.avail_in = (uInt)packed.len;
    hg_status status = HG_OK;
    int state = Z_OK;
    while (status == HG_OK && state != Z_STREAM_END) {
        unsigned char step[STEP];
        z.next_out = step;
        z.avail_out = sizeof step;
        state = inflate(&z, Z_NO_FLUSH);
        size_t got = sizeof step - z.avail_out;
        hg_buffer_append(out, hg_slice_of((const char *)step, got));
        if (out->len > limit)
            status = HG_ERR_LIMIT;
        else if (out->failed)
            status = HG_ERR_NOMEM;
        else if (state == Z_BUF_ERROR || (state == Z_OK && z.avail_in == 0 && got == 0))
            status = HG_ERR_TRUNCATED;
        else if (state != Z_OK && state != Z_STREAM_END)
            status = HG_ERR_SYNTAX;
    }
    inflateEnd(&z);
    return status;
}
#else
hg_status gzip_pack(hg_slice plain, hg_buffer *out)
{
    (void)plain;
    (void)out;
    return HG_ERR_UNSUPPORTED;
}

hg_status gzip_unpack(hg_slice packed, size_t limit, hg_buffer *out)
{
    (void)packed;
    (void)limit;
    (void)out;
    return HG_ERR_UNSUPPORTED;
}
#endif
