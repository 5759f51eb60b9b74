#include "value/utf16_text.h"

#include "base/utf.h"

#include "value/scratch.h"

bool utf16_has_mark(hg_slice text)
{
    return text.len >= 2 && (memcmp(text.ptr, "\xFF\xFE", 2) == 0 || memcmp(text.ptr, "\xFE\xFF", 2) == 0);
}

hg_status utf16_to_buffer(hg_slice text, hg_buffer *copy)
{
    bool big = (uint8_t)text.ptr[0] == 0xFE;
    size_t units = text.len / 2 - 1;
    char *out = hg_buffer_reserve(copy, 3 * units + 1);
    uint16_t *aligned = hg_pool_rent(NULL, 2 * units + 2);
    if (out == NULL || aligned == NULL) {
        scratch_free(aligned);
        return HG_ERR_NOMEM;
    }
    for (size_t i = 0; i < units; i++) {
        uint8_t a = (uint8_t)text.ptr[2 * i + 2], b = (uint8_t)text.ptr[2 * i + 3];
        aligned[i] = (uint16_t)(big ? a << 8 | b : b << 8 | a);
    }
    copy->len = hg_utf16_to_utf8(aligned, units, out, 3 * units, HG_TEXT_KEEP).written;
    scratch_free(aligned);
    return HG_OK;
}
