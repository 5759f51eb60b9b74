#include "waf/operators/list_params.h"

#include "base/clock.h"
#include "text/expiry.h"

bool hg_read_list_or_data(hg_reader *r, const hg_table *parameters, hg_cast *cast, hg_matcher *m, hg_slice *data)
{
    const hg_value *v = hg_table_find(parameters, HG_SLICE("list"));
    if (v == NULL)
        return hg_read(r, parameters, HG_SLICE("data"), hg_cast_string, data);
    hg_slices list;
    if (!cast(r, v, &list))
        return false;
    m->params = m->op->build(list.items, NULL, list.count, r->arena);
    return m->params != NULL || hg_read_nomem(r);
}

const void *hg_data_params(const hg_operator *op, const hg_expiring *values, size_t count, hg_arena *arena)
{
    hg_slice *texts = hg_arena_alloc(arena, count * sizeof *texts, _Alignof(hg_slice));
    uint64_t *expirations = hg_arena_alloc(arena, count * sizeof *expirations, _Alignof(uint64_t));
    if (texts == NULL || expirations == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        texts[i] = values[i].value;
        expirations[i] = values[i].expiration;
    }
    return op->build(texts, expirations, count, arena);
}

bool hg_is_member_now(uint64_t expiry)
{
    if (expiry == HG_ABSENT || expiry == HG_NEVER_EXPIRES)
        return expiry == HG_NEVER_EXPIRES;
    return hg_clock_wall_ns() / 1000000000u <= expiry;
}
