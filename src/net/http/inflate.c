/* Decoding of gzip and deflate bodies (RFC 1952, RFC 1950, RFC 1951) through zlib, with a limit on what may come out.
 * Without zlib bodies stay as they are. Weirds: inflate_failed. */
#include "net/http/http.h"

#include <stdlib.h>

#ifdef HG_WITH_ZLIB
#include <zlib.h>

enum { PIECE = 16384, RAW = -15, ZLIB = 15, GZIP = 15 + 16 };

struct http_inflate {
    z_stream z;
    uint64_t in, out;
    bool tried_raw;
    bool done;
};

static http_inflate *start(http_coding coding)
{
    http_inflate *inf = calloc(1, sizeof *inf);
    if (inf == NULL)
        return NULL;
    if (inflateInit2(&inf->z, coding == HTTP_GZIP ? GZIP : ZLIB) != Z_OK) {
        free(inf);
        return NULL;
    }
    return inf;
}

static bool is_bomb(const hg_net *net, const http_inflate *inf)
{
    const hg_net_limits *l = &net->options.limits;
    return inf->out > l->inflate_bytes && inf->out / l->inflate_ratio > inf->in;
}

bool http_inflate_data(const http_context *c, hg_slice data)
{
    http_entity *e = &http_of(c)->entity;
    uint8_t piece[PIECE];
    if (e->inflate == NULL && (e->inflate = start(e->coding)) == NULL)
        return false;
    http_inflate *inf = e->inflate;
    if (inf->done)
        return true;
    inf->z.next_in = (Bytef *)(uintptr_t)data.ptr;
    inf->z.avail_in = (uInt)data.len;
    inf->in += data.len;
    do {
        inf->z.next_out = piece;
        inf->z.avail_out = PIECE;
        int result = inflate(&inf->z, Z_SYNC_FLUSH);
        size_t got = PIECE - inf->z.avail_out;
        if (got > 0) {
            inf->out += got;
            http_body_clear(c, hg_slice_of((const char *)piece, got), false);
        }
        if (result == Z_STREAM_END) {
            inf->done = true;
            return true;
        }
        if (result == Z_DATA_ERROR && e->coding == HTTP_DEFLATE && !inf->tried_raw && inf->out == 0) {
            inf->tried_raw = true;
            inflateReset2(&inf->z, RAW);
            inf->z.next_in = (Bytef *)(uintptr_t)data.ptr;
            inf->z.avail_in = (uInt)data.len;
            continue;
        }
        if (result != Z_OK && result != Z_BUF_ERROR) {
            net_weird_flow(c->net, c->flow, W_inflate_failed, "", "ZIP");
            return false;
        }
        if (is_bomb(c->net, inf)) {
            c->net->counters.inflate_cut++;
            http_of(c)->body_cut = true;
            return false;
        }
    } while (inf->z.avail_in > 0 || inf->z.avail_out == 0);
    return true;
}

void http_inflate_free(http_inflate *inf)
{
    if (inf == NULL)
        return;
    inflateEnd(&inf->z);
    free(inf);
}

#else

bool http_inflate_data(const http_context *c, hg_slice data)
{
    http_body_clear(c, data, false);
    return true;
}

void http_inflate_free(http_inflate *inf)
{
    free(inf);
}

#endif
