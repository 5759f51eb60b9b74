/* An explicit stack for walking trees: a few frames inline, more from the thread's pool. */
#ifndef VALUE_WALK_H
#define VALUE_WALK_H

#include "hotgate/value.h"
#include "value/scratch.h"


typedef struct walk_frame {
    const hg_value *from; /* container being read */
    hg_value *to;         /* its counterpart: the copy (clone) or the other tree (equal) */
    size_t next;          /* entry to visit next */
} walk_frame;

typedef struct walk_stack {
    walk_frame *frames;
    size_t depth;
    size_t room;
    walk_frame inline_frames[32];
} walk_stack;

static inline void walk_init(walk_stack *w)
{
    w->frames = w->inline_frames;
    w->depth = 0;
    w->room = sizeof w->inline_frames / sizeof w->inline_frames[0];
}

static inline void walk_end(walk_stack *w)
{
    if (w->frames != w->inline_frames)
        scratch_free(w->frames);
}

/* False when out of memory. */
static inline bool walk_push(walk_stack *w, const hg_value *from, hg_value *to)
{
    if (w->depth == w->room &&
        !scratch_grow_from((void **)&w->frames, w->inline_frames, &w->room, sizeof *w->frames))
        return false;
    w->frames[w->depth++] = (walk_frame){from, to, 0};
    return true;
}

static inline walk_frame *walk_top(walk_stack *w)
{
    return &w->frames[w->depth - 1];
}

/* Value `index` of a container. */
static inline hg_value *walk_entry(const hg_value *container, size_t index)
{
    return hg_is_map(container) ? &hg_map_pairs(container)[index].val : &hg_array_items(container)[index];
}

/* ---- For readers of trees that may be anything ---- */

/* What 16 bytes turn out to be. */
typedef enum walk_kind { WALK_BROKEN, WALK_SCALAR, WALK_STRING, WALK_CONTAINER } walk_kind;

/* Broken is a tag that is none, a text or container without its block, and a size beyond what there is room for. */
static inline walk_kind walk_kind_of(const hg_value *v)
{
    switch (v->type) {
    case HG_INVALID:
    case HG_NULL:
    case HG_BOOL:
    case HG_SIGNED:
    case HG_UNSIGNED:
    case HG_FLOAT:
        return WALK_SCALAR;
    case HG_STRING:
    case HG_LITERAL:
        return v->str.ptr != NULL || v->str.size == 0 ? WALK_STRING : WALK_BROKEN;
    case HG_SMALL_STRING:
        return v->sstr.size <= HG_SMALL_STRING_MAX ? WALK_STRING : WALK_BROKEN;
    case HG_ARRAY:
    case HG_MAP:
    case HG_WIDE_ARRAY:
    case HG_WIDE_MAP: {
        size_t size = hg_value_size(v);
        return size == 0 || (v->wide.ptr != NULL && size <= hg_value_capacity(v)) ? WALK_CONTAINER : WALK_BROKEN;
    }
    default:
        return WALK_BROKEN;
    }
}

/* A boolean whose byte may be neither 0 nor 1. */
static inline bool walk_bool(const hg_value *v)
{
    uint8_t byte;
    memcpy(&byte, (const char *)v + 1, 1);
    return byte != 0;
}

#endif
