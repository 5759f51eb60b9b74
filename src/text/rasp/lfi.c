#include "text/rasp/lfi.h"

#include "text/bytes.h"

enum { PARAM_MIN = 5 };

/* Two parts have been read and one of them was "..". */
static bool climbs(hg_slice path)
{
    size_t parts = 0;
    bool up = false;
    for (size_t r = 0; r < path.len;) {
        size_t end = hg_find_byte(path, r, '/');
        if (end > r) {
            parts++;
            up |= end - r == 2 && path.ptr[r] == '.' && path.ptr[r + 1] == '.';
            if (up && parts >= 2)
                return true;
        }
        r = end + 1;
    }
    return false;
}

bool hg_lfi_is_injected(hg_slice path, hg_slice param)
{
    if (param.len < PARAM_MIN || !hg_ends_with(path, param))
        return false;
    if (hg_find_byte(param, 0, '/') == param.len)
        return false;
    return (param.ptr[0] == '/' && param.len == path.len) || climbs(param);
}
