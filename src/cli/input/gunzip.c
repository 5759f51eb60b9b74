#include "cli/input/gunzip.h"

#ifdef HG_WITH_ZLIB
#include <stdlib.h>
#include <zlib.h>

struct cli_gunzip {
    z_stream z;
    bool inside;
};

enum { GZIP_ONLY = 16 + MAX_WBITS };

struct cli_gunzip *cli_gunzip_new(void)
{
    struct cli_gunzip *gunzip = calloc(1, sizeof *gunzip);
    if (gunzip != NULL && inflateInit2(&gunzip->z, GZIP_ONLY) != Z_OK) {
        free(gunzip);
        return NULL;
    }
    return gunzip;
}

void cli_gunzip_free(struct cli_gunzip *gunzip)
{
    if (gunzip == NULL)
        return;
    inflateEnd(&gunzip->z);
    free(gunzip);
}

bool cli_gunzip_built(void)
{
    return true;
}

bool cli_gunzip_open(const struct cli_gunzip *gunzip)
{
    return gunzip->inside;
}

size_t cli_gunzip_run(struct cli_gunzip *gunzip, hg_slice *in, char *room, size_t size, bool *broken)
{
    z_stream *z = &gunzip->z;
    *broken = false;
    z->next_out = (Bytef *)room;
    z->avail_out = (uInt)(size < UINT32_MAX ? size : UINT32_MAX);
    uInt offered = z->avail_out;
    while (in->len > 0 && z->avail_out > 0 && !*broken) {
        z->next_in = (Bytef *)in->ptr;
        z->avail_in = (uInt)(in->len < UINT32_MAX ? in->len : UINT32_MAX);
        uInt given = z->avail_in;
        gunzip->inside = true;
        int result = inflate(z, Z_NO_FLUSH);
        *in = hg_slice_skip(*in, given - z->avail_in);
        if (result == Z_STREAM_END) {
            gunzip->inside = false;
            *broken = inflateReset(z) != Z_OK;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            *broken = true;
        }
    }
    return offered - z->avail_out;
}

#else

struct cli_gunzip *cli_gunzip_new(void)
{
    return NULL;
}

void cli_gunzip_free(struct cli_gunzip *gunzip)
{
    (void)gunzip;
}

bool cli_gunzip_built(void)
{
    return false;
}

bool cli_gunzip_open(const struct cli_gunzip *gunzip)
{
    (void)gunzip;
    return false;
}

size_t cli_gunzip_run(struct cli_gunzip *gunzip, hg_slice *in, char *room, size_t size, bool *broken)
{
    (void)gunzip;
    (void)in;
    (void)room;
    (void)size;
    *broken = true;
    return 0;
}
#endif
