#include "value/walk.h"

static bool equal_scalars(const hg_value *a, const hg_value *b)
{
    if (hg_is_string(a) || hg_is_string(b))
        return hg_is_string(a) && hg_is_string(b) && hg_slice_equal(hg_value_string(a), hg_value_string(b));
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case HG_BOOL:
        return a->b8.val == b->b8.val;
    case HG_SIGNED:
    case HG_UNSIGNED:
        return a->u64.val == b->u64.val;
    case HG_FLOAT:
        return a->f64.val == b->f64.val || (a->f64.val != a->f64.val && b->f64.val != b->f64.val);
    default:
        return true;
    }
}

/* Kind, and size for containers; entries are compared by the caller. */
static bool equal_nodes(const hg_value *a, const hg_value *b)
{
    if (!hg_is_container(a) && !hg_is_container(b))
        return equal_scalars(a, b);
    return (a->type & HG_CONTAINER_ANY) == (b->type & HG_CONTAINER_ANY) && hg_value_size(a) == hg_value_size(b);
}

static bool equal_keys(const hg_value *a, const hg_value *b, size_t index)
{
    return !hg_is_map(a) || hg_slice_equal(hg_value_string(&hg_map_pairs(a)[index].key),
                                           hg_value_string(&hg_map_pairs(b)[index].key));
}

bool hg_value_equal(const hg_value *a, const hg_value *b)
{
    walk_stack walk;
    walk_init(&walk);
    bool equal = equal_nodes(a, b);
    if (equal && hg_value_size(a) > 0)
        equal = walk_push(&walk, a, (hg_value *)b);
    while (equal && walk.depth > 0) {
        walk_frame *frame = walk_top(&walk);
        if (frame->next == hg_value_size(frame->from)) {
            walk.depth--;
            continue;
        }
        size_t i = frame->next++;
        const hg_value *x = walk_entry(frame->from, i), *y = walk_entry(frame->to, i);
        equal = equal_keys(frame->from, frame->to, i) && equal_nodes(x, y);
        if (equal && hg_value_size(x) > 0)
            equal = walk_push(&walk, x, (hg_value *)y);
    }
    walk_end(&walk);
    return equal;
}
