/* "." and ".." parts are resolved in one pass; the write cursor steps back over a directory that ".." leaves, which
 * costs no more than writing it did. */
#include "text/transforms/transforms.h"

/* A dot that ends a path part. */
static bool ends_part(hg_slice in, size_t r)
{
    return in.ptr[r] == '.' && (r + 1 == in.len || in.ptr[r + 1] == '/');
}

static size_t leave_directory(char *room, size_t w)
{
    w -= w < 3 ? w : 3;
    while (w > 0 && room[w] != '/')
        w--;
    room[w] = '/';
    return w + 1;
}

/* Reading `in` is safe when it is the room as well: the two cursors are equal or at least two bytes apart, so
 * r - 2 has not been written to. */
hg_transform_result hg_normalize_path(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && !ends_part(in, r))
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    hg_keep_prefix(in, room, r);
    size_t w = r;
    bool changed = false;
    while (r < in.len) {
        if (ends_part(in, r)) {
            if (r == 0 || in.ptr[r - 1] == '/') {
                r += 2;
                continue;
            }
            if (r >= 2 && in.ptr[r - 1] == '.' && in.ptr[r - 2] == '/') {
                w = leave_directory(room, w);
                r += 2;
                changed = true;
                continue;
            }
        }
        changed |= w < r;
        room[w++] = in.ptr[r++];
    }
    return changed ? hg_changed(room, room + w, out) : HG_TRANSFORM_SAME;
}
