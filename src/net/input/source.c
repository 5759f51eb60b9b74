/* Octets from a file descriptor, through zlib when they are compressed (RFC 1952). */
#include "net/input/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef HG_WITH_ZLIB
#include <zlib.h>
#endif

static size_t read_plain(input_source *source, uint8_t *to, size_t room)
{
    for (;;) {
        ssize_t got = read(source->fd, to, room);
        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR) {
            source->failed = true;
            return 0;
        }
    }
}

#ifdef HG_WITH_ZLIB

enum { PACKED = 64 * 1024, GZIP_WINDOW = 15 + 16 };

hg_status input_unpack(input_source *source, const uint8_t *first, size_t len)
{
    z_stream *z = calloc(1, sizeof *z);
    source->packed = malloc(PACKED);
    if (z == NULL || source->packed == NULL || len > PACKED || inflateInit2(z, GZIP_WINDOW) != Z_OK) {
        free(z);
        return HG_ERR_NOMEM;
    }
    memcpy(source->packed, first, len);
    source->packed_len = len;
    source->inflate = z;
    return HG_OK;
}

static size_t read_packed(input_source *source, uint8_t *to, size_t room)
{
    z_stream *z = source->inflate;
    z->next_out = to;
    z->avail_out = (uInt)room;
    while (z->avail_out == room && !source->ended) {
        if (source->packed_at == source->packed_len) {
            source->packed_at = 0;
            source->packed_len = read_plain(source, source->packed, PACKED);
            if (source->packed_len == 0)
                break;
        }
        z->next_in = source->packed + source->packed_at;
        z->avail_in = (uInt)(source->packed_len - source->packed_at);
        int result = inflate(z, Z_NO_FLUSH);
        source->packed_at = source->packed_len - z->avail_in;
        if (result == Z_STREAM_END)
            inflateReset(z); /* another member may follow */
        else if (result != Z_OK)
            source->ended = source->failed = true;
    }
    return room - z->avail_out;
}

#else

hg_status input_unpack(input_source *source, const uint8_t *first, size_t len)
{
    (void)source;
    (void)first;
    (void)len;
    return HG_ERR_UNSUPPORTED;
}

static size_t read_packed(input_source *source, uint8_t *to, size_t room)
{
    return read_plain(source, to, room);
}

#endif

size_t input_fill(input_source *source, uint8_t *to, size_t room)
{
    return source->inflate ? read_packed(source, to, room) : read_plain(source, to, room);
}

void input_close(input_source *source)
{
#ifdef HG_WITH_ZLIB
    if (source->inflate != NULL)
        inflateEnd(source->inflate);
#endif
    free(source->inflate);
    free(source->packed);
    if (source->fd > 0)
        close(source->fd);
}
