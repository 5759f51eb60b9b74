/* url_basename, url_path, url_querystring: parts of a URL or path. The results are parts of the input. */
#include "text/transforms/transforms.h"

static size_t first_cut(hg_slice in)
{
    size_t r = 0;
    while (r < in.len && in.ptr[r] != '?' && in.ptr[r] != '#')
        r++;
    return r;
}

hg_transform_result hg_url_basename(hg_slice in, char *room, hg_slice *out)
{
    (void)room;
    size_t end = first_cut(in);
    const char *slash = memrchr(in.ptr, '/', end);
    if (slash == NULL && end == in.len)
        return HG_TRANSFORM_SAME;
    size_t begin = slash ? (size_t)(slash - in.ptr) + 1 : 0;
    *out = hg_slice_of(in.ptr + begin, end - begin);
    return HG_TRANSFORM_CHANGED;
}

hg_transform_result hg_url_path(hg_slice in, char *room, hg_slice *out)
{
    (void)room;
    size_t end = first_cut(in);
    if (end == in.len)
        return HG_TRANSFORM_SAME;
    *out = hg_slice_take(in, end);
    return HG_TRANSFORM_CHANGED;
}

hg_transform_result hg_url_querystring(hg_slice in, char *room, hg_slice *out)
{
    (void)room;
    size_t begin = first_cut(in);
    *out = hg_slice_of(in.ptr, 0);
    if (begin < in.len && in.ptr[begin] == '?') {
        size_t end = hg_find_byte(in, begin + 1, '#');
        *out = hg_slice_of(in.ptr + begin + 1, end - begin - 1);
    }
    return HG_TRANSFORM_CHANGED;
}
