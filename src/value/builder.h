/* Builds a tree bottom-up: finished values wait on a stack, and closing a container moves its entries to a block
 * of exactly their size. So announced counts are never needed, and whatever is on the stack when a reader fails
 * can be freed one by one. A map's keys and values alternate on the stack, which is the layout of pairs. */
#ifndef VALUE_BUILDER_H
#define VALUE_BUILDER_H

#include "value/internal.h"

enum { BUILDER_INLINE_VALUES = 384, BUILDER_INLINE_FRAMES = 32 };

/* An open container, with what the encoder restores when it closes. */
typedef struct builder_frame {
    size_t start; /* index of the container's first entry on the value stack */
    uint8_t kind; /* HG_ARRAY or HG_MAP */
    bool outer_map;
    uint32_t outer_left;
    uint64_t outer_seen;
    const void *identity;
} builder_frame;

typedef struct builder {
    hg_value *values, *top, *end;
    builder_frame *frames;
    size_t depth, frame_room;
    const hg_allocator *a;
    hg_arena *arena; /* a's arena, for the inlined bump; NULL for other allocators */
    bool grown;      /* blocks have the capacity that appending would have given them */
    bool failed;     /* out of memory */
    hg_value inline_values[BUILDER_INLINE_VALUES];
    builder_frame inline_frames[BUILDER_INLINE_FRAMES];
} builder;

void builder_init(builder *b, const hg_allocator *a);

/* Frees the stacks, and every value still on them. */
void builder_end(builder *b);

bool builder_grow_values(builder *b);
bool builder_grow_frames(builder *b);

/* The next free slot; NULL when out of memory. The caller must fill it at once. */
static inline hg_value *builder_push(builder *b)
{
    if (b->top == b->end && !builder_grow_values(b))
        return NULL;
    return b->top++;
}

/* Bytes for a text of the tree. */
static inline char *builder_bytes(builder *b, size_t n)
{
    char *p = b->arena ? hg_arena_alloc(b->arena, n, 1) : hg_acquire(b->a, n, 1);
    if (p == NULL)
        b->failed = true;
    return p;
}

/* Pushes a string (value or key) with a copy of s. */
static inline bool builder_string(builder *b, hg_slice s)
{
    hg_value *slot = builder_push(b);
    if (slot == NULL)
        return false;
    if (s.len <= HG_SMALL_STRING_MAX) {
        small_string_set(slot, s.ptr, s.len);
        return true;
    }
    char *copy = builder_bytes(b, s.len);
    if (copy == NULL) {
        b->top--;
        return false;
    }
    memcpy(copy, s.ptr, s.len);
    long_string_set(slot, copy, s.len);
    return true;
}

static inline bool builder_open(builder *b, uint8_t kind)
{
    if (b->depth == b->frame_room && !builder_grow_frames(b))
        return false;
    b->frames[b->depth++] = (builder_frame){.start = (size_t)(b->top - b->values), .kind = kind};
    return true;
}

/* Entries of the innermost open container so far; a key without value counts. */
static inline size_t builder_count(const builder *b)
{
    const builder_frame *frame = &b->frames[b->depth - 1];
    size_t slots = (size_t)(b->top - b->values) - frame->start;
    return frame->kind == HG_MAP ? (slots + 1) / 2 : slots;
}

/* Takes the value on top back and frees it. */
void builder_drop(builder *b);

/* Closes the innermost container; it becomes the value on top. A key without value is dropped. */
bool builder_close(builder *b);

#endif
