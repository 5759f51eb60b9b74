/* Query strings and application/x-www-form-urlencoded bodies (WHATWG URL, section 5.1). */
#include "base/percent.h"
#include "request/internal.h"

/* The decoded text; the text itself when nothing is encoded. */
static hg_slice decoded(hg_slice s, hg_arena *arena, bool *ok)
{
    *ok = true;
    if (!hg_percent_needed(s, true))
        return s;
    char *room = hg_arena_alloc(arena, s.len, 1);
    *ok = room != NULL;
    return room != NULL ? hg_slice_of(room, hg_percent_decode(s, true, room)) : s;
}

/* Pairs there are at most: counted by blocks, which the compiler turns into vectors. */
static size_t count_pairs(hg_slice text)
{
    enum { BLOCK = 16 };
    size_t n = 1, i = 0;
    for (; i + BLOCK <= text.len; i += BLOCK) {
        uint8_t in_block = 0;
        for (size_t k = 0; k < BLOCK; k++)
            in_block += text.ptr[i + k] == '&';
        n += in_block;
    }
    for (; i < text.len; i++)
        n += text.ptr[i] == '&';
    return n;
}

hg_status request_form(hg_slice text, hg_arena *arena, hg_value *out)
{
    request_collector pairs;
    size_t count = count_pairs(text);
    hg_status status = request_collect_start(&pairs, out, count < 64 ? count : 64, arena);
    while (status == HG_OK && text.len > 0) {
        const char *amp = memchr(text.ptr, '&', text.len);
        hg_slice pair = hg_slice_take(text, amp != NULL ? (size_t)(amp - text.ptr) : text.len);
        text = hg_slice_skip(text, pair.len + 1);
        if (pair.len == 0)
            continue;
        const char *equals = memchr(pair.ptr, '=', pair.len);
        size_t name_end = equals != NULL ? (size_t)(equals - pair.ptr) : pair.len;
        bool name_ok, value_ok;
        hg_slice name = decoded(hg_slice_take(pair, name_end), arena, &name_ok);
        hg_slice value = decoded(hg_slice_skip(pair, name_end + 1), arena, &value_ok);
        status = name_ok && value_ok ? request_collect(&pairs, name, value) : HG_ERR_NOMEM;
    }
    if (status != HG_OK)
        hg_set_invalid(out);
    return status;
}
