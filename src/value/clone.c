#include "value/internal.h"
#include "value/walk.h"

static hg_status clone_string(const hg_value *source, hg_value *out, const hg_allocator *a)
{
    return hg_set_string(out, hg_value_string(source), a);
}

/* Copies everything but a container's entries: those slots are made, hold invalid values and copied keys. */
static hg_status clone_node(const hg_value *source, hg_value *out, const hg_allocator *a)
{
    if (hg_is_array(source)) {
        size_t n = source->wide.ptr == NULL ? 0 : hg_value_size(source);
        hg_status status = hg_set_array(out, n, a);
        for (size_t i = 0; status == HG_OK && i < n; i++)
            hg_set_invalid(hg_array_append(out, a));
        return status;
    }
    if (hg_is_map(source)) {
        size_t n = source->wide.ptr == NULL ? 0 : hg_value_size(source);
        hg_status status = hg_set_map(out, n, a);
        for (size_t i = 0; status == HG_OK && i < n; i++) {
            if (hg_map_append(out, hg_value_string(&hg_map_pairs(source)[i].key), a) == NULL)
                status = HG_ERR_NOMEM;
        }
        return status;
    }
    switch (source->type) {
    case HG_STRING:
    case HG_SMALL_STRING:
        return clone_string(source, out, a);
    case HG_NULL:
    case HG_BOOL:
    case HG_SIGNED:
    case HG_UNSIGNED:
    case HG_FLOAT:
    case HG_LITERAL:
        *out = *source;
        return HG_OK;
    default:
        hg_set_invalid(out);
        return HG_OK;
    }
}

static hg_status clone_entries(walk_stack *walk, const hg_allocator *a)
{
    while (walk->depth > 0) {
        walk_frame *frame = walk_top(walk);
        if (frame->next == hg_value_size(frame->to)) {
            walk->depth--;
            continue;
        }
        const hg_value *source = walk_entry(frame->from, frame->next);
        hg_value *copy = walk_entry(frame->to, frame->next);
        frame->next++;
        hg_status status = clone_node(source, copy, a);
        if (status != HG_OK)
            return status;
        if (hg_value_size(copy) > 0 && !walk_push(walk, source, copy))
            return HG_ERR_NOMEM;
    }
    return HG_OK;
}

hg_status hg_value_clone(const hg_value *source, hg_value *out, const hg_allocator *a)
{
    hg_value copy;
    hg_set_invalid(&copy);
    walk_stack walk;
    walk_init(&walk);
    hg_status status = clone_node(source, &copy, a);
    if (status == HG_OK && hg_value_size(&copy) > 0)
        status = walk_push(&walk, source, &copy) ? clone_entries(&walk, a) : HG_ERR_NOMEM;
    walk_end(&walk);
    if (status != HG_OK)
        hg_value_free(&copy, a);
    *out = copy;
    return status;
}
