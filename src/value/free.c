/* Freeing a tree of any depth in constant memory: on the way down, the slot that is being left holds the way up. */
#include "value/internal.h"

static void free_string(const hg_value *v, const hg_allocator *a)
{
    if (v->type == HG_STRING)
        hg_release(a, v->str.ptr, v->str.size, 1);
}

static void free_block(const hg_value *container, const hg_allocator *a)
{
    if (container->wide.ptr != NULL)
        hg_release(a, container->wide.ptr, hg_value_capacity(container) * entry_bytes(container->type), 8);
}

/* The value slot of entry `index`. */
static hg_value *slot_at(const hg_value *container, size_t index)
{
    return hg_is_map(container) ? &hg_map_pairs(container)[index].val : &hg_array_items(container)[index];
}

void hg_value_free(hg_value *v, const hg_allocator *a)
{
    hg_value here = *v, up;
    hg_set_invalid(&up);
    hg_set_invalid(v);
    if (!hg_is_container(&here)) {
        free_string(&here, a);
        return;
    }
    for (;;) {
        size_t left = here.wide.ptr == NULL ? 0 : hg_value_size(&here);
        if (left == 0) {
            free_block(&here, a);
            if (up.type == HG_INVALID)
                return;
            here = up;
            up = *slot_at(&here, hg_value_size(&here));
            continue;
        }
        container_resize(&here, left - 1);
        hg_value *slot = slot_at(&here, left - 1);
        if (hg_is_map(&here))
            free_string(&hg_map_pairs(&here)[left - 1].key, a);
        if (!hg_is_container(slot)) {
            free_string(slot, a);
            continue;
        }
        hg_value child = *slot;
        *slot = up;
        up = here;
        here = child;
    }
}
