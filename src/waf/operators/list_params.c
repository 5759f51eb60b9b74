#include "waf/operators/list_params.h"

#include "base/clock.h"
#include "text/expiry.h"

bool hg_read_list_or_data(hg_reader *r, const hg_table *parameters, hg_cast *cast, hg_slices *list, bool *has_list,
                          hg_slice *data)
{
    const hg_value *v = hg_table_find(parameters, HG_SLICE("list"));
    *has_list = v != NULL;
    if (v == NULL)
        return hg_read(r, parameters, HG_SLICE("data"), hg_cast_string, data);
    return cast(r, v, list);
}

bool hg_split_expiring(hg_arena *arena, const hg_expiring *values, size_t count, hg_slice **texts,
                       uint64_t **expirations)
{
    *texts = hg_arena_alloc(arena, count * sizeof **texts, _Alignof(hg_slice));
    *expirations = hg_arena_alloc(arena, count * sizeof **expirations, _Alignof(uint64_t));
    if (*texts == NULL || *expirations == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        (*texts)[i] = values[i].value;
        (*expirations)[i] = values[i].expiration;
    }
    return true;
}

bool hg_is_member_now(uint64_t expiry)
{
    if (expiry == HG_ABSENT || expiry == HG_NEVER_EXPIRES)
        return expiry == HG_NEVER_EXPIRES;
    return hg_clock_wall_ns() / 1000000000u <= expiry;
}
