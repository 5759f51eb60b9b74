/* Building values of known size in the memory of a call: containers are made once, at their full capacity. */
#ifndef WAF_EVAL_SHAPE_H
#define WAF_EVAL_SHAPE_H

#include "waf/eval/context.h"

/* A map or array being filled. Entries beyond the capacity are the caller's error. */
typedef struct hg_shape {
    hg_value *container;
    size_t size;
} hg_shape;

static inline void hg_shape_resize(hg_shape *shape, size_t size)
{
    hg_value *v = shape->container;
    shape->size = size;
    if (v->type & 1)
        v->wide.head = (v->wide.head & ~((uint64_t)HG_WIDE_MAX << 8)) | (uint64_t)size << 8;
    else
        v->array.size = (uint16_t)size;
}

static inline bool hg_shape_make(hg_run *run, hg_shape *shape, hg_value *v, size_t capacity, bool map)
{
    void *room = NULL;
    if (capacity > 0)
        room = hg_call_alloc(run, capacity * (map ? sizeof(hg_pair) : sizeof(hg_value)));
    bool wide = capacity > HG_NARROW_MAX;
    if ((capacity > 0 && room == NULL) || capacity > HG_WIDE_MAX) {
        run->failed = true;
        capacity = 0;
    }
    hg_set_null(v);
    if (wide) {
        v->wide.head = (uint64_t)(map ? HG_WIDE_MAP : HG_WIDE_ARRAY) | (uint64_t)capacity << 36;
        v->wide.ptr = room;
    } else {
        v->array.type = map ? HG_MAP : HG_ARRAY;
        v->array.capacity = (uint16_t)capacity;
        v->array.ptr = room;
    }
    *shape = (hg_shape){v, 0};
    return !run->failed;
}

static inline hg_value *hg_shape_item(hg_shape *shape)
{
    hg_shape_resize(shape, shape->size + 1);
    return &hg_array_items(shape->container)[shape->size - 1];
}

/* The key is borrowed. */
static inline hg_value *hg_shape_entry(hg_shape *shape, hg_slice key)
{
    hg_shape_resize(shape, shape->size + 1);
    hg_pair *pair = &hg_map_pairs(shape->container)[shape->size - 1];
    hg_set_borrowed(&pair->key, key);
    return &pair->val;
}

#endif
