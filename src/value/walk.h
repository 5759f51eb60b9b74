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

/* Exactly one of the four container tags: for writers, which trust nothing. */
static inline bool walk_is_container(const hg_value *v)
{
    return v->type == HG_ARRAY || v->type == HG_WIDE_ARRAY || v->type == HG_MAP || v->type == HG_WIDE_MAP;
}

/* Entries that can be read. */
static inline size_t walk_size(const hg_value *v)
{
    return v->wide.ptr == NULL ? 0 : hg_value_size(v);
}

#endif
