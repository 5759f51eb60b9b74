/* The known members of a result map (marshalling D-5). */
#include "hotgate/result.h"

#include "value/walk.h"

typedef enum member_kind { MEMBER_ARRAY, MEMBER_MAP, MEMBER_NUMBER, MEMBER_BOOL } member_kind;

static const struct member {
    hg_slice name;
    size_t offset;
    member_kind kind;
} members[] = {
    {{"events", 6}, offsetof(hg_result_map, events), MEMBER_ARRAY},
    {{"actions", 7}, offsetof(hg_result_map, actions), MEMBER_MAP},
    {{"duration", 8}, offsetof(hg_result_map, duration_ns), MEMBER_NUMBER},
    {{"timeout", 7}, offsetof(hg_result_map, timeout), MEMBER_BOOL},
    {{"attributes", 10}, offsetof(hg_result_map, attributes), MEMBER_MAP},
    {{"keep", 4}, offsetof(hg_result_map, keep), MEMBER_BOOL},
    {{"evaluated", 9}, offsetof(hg_result_map, evaluated), MEMBER_NUMBER},
};

enum { MEMBERS = sizeof members / sizeof members[0] };

static size_t member_of(hg_slice name)
{
    size_t i = 0;
    while (i < MEMBERS && !hg_slice_equal(name, members[i].name))
        i++;
    return i;
}

static void set_member(hg_result_map *out, const struct member *m, const hg_value *v)
{
    void *at = (char *)out + m->offset;
    switch (m->kind) {
    case MEMBER_ARRAY:
    case MEMBER_MAP:
        if (walk_kind_of(v) == WALK_CONTAINER && hg_is_map(v) == (m->kind == MEMBER_MAP))
            *(const hg_value **)at = v;
        return;
    case MEMBER_NUMBER:
        if (v->type == HG_UNSIGNED || (v->type == HG_SIGNED && v->i64.val >= 0))
            *(uint64_t *)at = v->u64.val;
        return;
    default:
        if (v->type == HG_BOOL)
            *(bool *)at = walk_bool(v);
    }
}

hg_status hg_result_map_read(const hg_value *map, hg_result_map *out)
{
    *out = (hg_result_map){0};
    if (map == NULL || walk_kind_of(map) != WALK_CONTAINER || !hg_is_map(map))
        return HG_ERR_ARGUMENT;
    unsigned seen = 0;
    const hg_pair *pairs = hg_map_pairs(map);
    for (size_t i = 0; i < hg_value_size(map); i++) {
        if (walk_kind_of(&pairs[i].key) != WALK_STRING)
            continue;
        size_t m = member_of(hg_value_string(&pairs[i].key));
        if (m == MEMBERS || (seen & 1u << m))
            continue;
        seen |= 1u << m;
        set_member(out, &members[m], &pairs[i].val);
    }
    return HG_OK;
}
