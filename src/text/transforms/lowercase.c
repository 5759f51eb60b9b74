#include "text/block.h"
#include "text/transforms/transforms.h"

hg_transform_result hg_lowercase(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    hg_block uppers = {0};
    bool changed = false;
    for (; in.len - r >= HG_BLOCK; r += HG_BLOCK) {
        hg_block b = hg_block_load(in.ptr + r);
        hg_block upper = hg_block_in(b, 'A', 26);
        uppers |= upper;
        hg_block_store(room + r, b | (upper & 0x20));
    }
    for (; r < in.len; r++) {
        uint8_t c = (uint8_t)in.ptr[r];
        changed |= hg_is_upper(c);
        room[r] = (char)hg_to_lower(c);
    }
    return changed || hg_block_any(uppers) ? hg_changed(room, room + in.len, out) : HG_TRANSFORM_SAME;
}
