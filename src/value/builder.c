#include "value/builder.h"

#include "value/scratch.h"

void builder_init(builder *b, const hg_allocator *a)
{
    b->values = b->top = b->inline_values;
    b->end = b->values + BUILDER_INLINE_VALUES;
    b->frames = b->inline_frames;
    b->frame_room = BUILDER_INLINE_FRAMES;
    b->depth = 0;
    b->a = a;
    b->arena = hg_arena_of(a);
    b->grown = false;
    b->failed = false;
}

void builder_drop(builder *b)
{
    hg_value_free(--b->top, b->a);
}

void builder_end(builder *b)
{
    while (b->top > b->values)
        builder_drop(b);
    if (b->values != b->inline_values)
        scratch_free(b->values);
    if (b->frames != b->inline_frames)
        scratch_free(b->frames);
}

bool builder_grow_values(builder *b)
{
    size_t used = (size_t)(b->top - b->values), room = (size_t)(b->end - b->values);
    if (!scratch_grow_from((void **)&b->values, b->inline_values, &room, sizeof *b->values)) {
        b->failed = true;
        return false;
    }
    b->top = b->values + used;
    b->end = b->values + room;
    return true;
}

bool builder_grow_frames(builder *b)
{
    b->failed |= !scratch_grow_from((void **)&b->frames, b->inline_frames, &b->frame_room, sizeof *b->frames);
    return !b->failed;
}

static size_t capacity_for(const builder *b, size_t size)
{
    if (!b->grown || size == 0)
        return size;
    size_t capacity = 0;
    while (capacity < size)
        capacity = grown_capacity(capacity);
    return capacity;
}

bool builder_close(builder *b)
{
    builder_frame frame = b->frames[b->depth - 1];
    hg_value *first = b->values + frame.start;
    if (frame.kind == HG_MAP && (b->top - first) % 2 != 0)
        builder_drop(b);
    size_t slots = (size_t)(b->top - first);
    size_t size = frame.kind == HG_MAP ? slots / 2 : slots;
    size_t capacity = capacity_for(b, size);
    void *entries = NULL;
    if (size > 0) {
        size_t bytes = capacity * entry_bytes(frame.kind);
        entries = b->arena ? hg_arena_alloc(b->arena, bytes, 8) : hg_acquire(b->a, bytes, 8);
        if (entries == NULL) {
            b->failed = true;
            return false;
        }
        memcpy(entries, first, slots * sizeof *first);
    }
    b->depth--;
    b->top = first;
    hg_value *slot = builder_push(b);
    if (slot == NULL) { /* only for an empty container: others leave room */
        return false;
    }
    container_set(slot, frame.kind, size, capacity, entries);
    return true;
}
