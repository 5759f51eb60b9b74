/* Lines of a text protocol: CRLF, LF or CR ends one. */
#include "http/http.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Index of the first CR or LF, or len. */
static size_t find_end(const char *p, size_t len)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i cr = _mm_set1_epi8('\r'), lf = _mm_set1_epi8('\n');
    for (; len - i >= 16; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(p + i));
        unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, cr), _mm_cmpeq_epi8(bytes, lf)));
        if (hit != 0)
            return i + (size_t)__builtin_ctz(hit);
    }
#endif
    while (i < len && p[i] != '\r' && p[i] != '\n')
        i++;
    return i;
}

static hg_status take(hg_slice in, size_t length, size_t used, hg_http_line_end end, hg_http_line *line)
{
    *line = (hg_http_line){hg_slice_take(in, length), used, end};
    return HG_OK;
}

hg_status hg_http_line_next(hg_slice in, size_t seen, bool last, hg_http_line *line)
{
    if (in.len == 0)
        return last ? HG_ERR_TRUNCATED : HG_NEED_MORE;
    if (seen > in.len)
        return HG_ERR_ARGUMENT;
    size_t window = in.len < HG_HTTP_MAX_LINE ? in.len : HG_HTTP_MAX_LINE;
    size_t at = seen < window ? seen + find_end(in.ptr + seen, window - seen) : window;
    if (at == window) {
        if (window < in.len)
            return HG_ERR_LIMIT;
        return last ? take(in, at, at, HG_HTTP_CUT, line) : HG_NEED_MORE;
    }
    if (in.ptr[at] == '\n')
        return take(in, at, at + 1, HG_HTTP_LF, line);
    if (at + 1 < in.len)
        return in.ptr[at + 1] == '\n' ? take(in, at, at + 2, HG_HTTP_CRLF, line)
                                      : take(in, at, at + 1, HG_HTTP_CR, line);
    return last ? take(in, at, at + 1, HG_HTTP_CR, line) : HG_NEED_MORE;
}
