/* Any bytes read as a profile: an error or a model that can be written and read again to the same bytes. */
#include "prof/pprof.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pprof p, again;
    pprof_error error;
    if (pprof_read(hg_slice_of((const char *)data, size), &p, &error) != HG_OK)
        return 0;
    hg_buffer first = {0}, second = {0};
    if (pprof_write(&p, &first) != HG_OK || pprof_read(hg_slice_of(first.ptr, first.len), &again, &error) != HG_OK)
        abort();
    if (pprof_write(&again, &second) != HG_OK || first.len != second.len || memcmp(first.ptr, second.ptr, first.len) != 0)
        abort();
    if (pprof_merge(&p, &again, 1) != HG_OK)
        abort();
    pprof_free(&again);
    hg_buffer_free(&first);
    hg_buffer_free(&second);
    pprof_free(&p);
    return 0;
}
