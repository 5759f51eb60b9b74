/* Every CPU level gives the same bytes, cuts and counts. */
#include "base/cpu.h"
#include "base/utf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4 || size > 4096)
        return 0;
    size_t n = (size - 3) / 2, room = (data[0] | (size_t)data[1] << 8) % (3 * n + 1);
    uint16_t *units = malloc(2 * n + 2);
    char *out[3];
    hg_transcoded t[3];
    memcpy(units, data + 3, 2 * n);
    for (int level = 0; level < 3; level++) {
        hg_cpu_force((hg_cpu_level)level);
        out[level] = malloc(room + 1);
        t[level] = hg_utf16_to_utf8(units, n, out[level], room, (hg_text_policy)(data[2] % 3));
        if (t[level].written > room || memcmp(&t[level], &t[0], sizeof t[0]) != 0 ||
            memcmp(out[level], out[0], t[0].written) != 0)
            abort();
    }
    hg_slice text = hg_slice_of((const char *)data + 3, size - 3);
    size_t good = hg_utf8_valid_prefix(text);
    if (good > text.len || hg_utf8_valid(hg_slice_take(text, good)) == false)
        abort();
    for (int level = 0; level < 3; level++)
        free(out[level]);
    free(units);
    return 0;
}
