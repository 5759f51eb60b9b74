/* gzip by zlib; without it packing and unpacking say HG_ERR_UNSUPPORTED. */
#ifndef PROF_GZIP_H
#define PROF_GZIP_H

#include "hotgate/value.h"

hg_status gzip_pack(hg_slice plain, hg_buffer *out);

/* Refuses to grow beyond limit bytes (HG_ERR_LIMIT). */
hg_status gzip_unpack(hg_slice packed, size_t limit, hg_buffer *out);

#endif
