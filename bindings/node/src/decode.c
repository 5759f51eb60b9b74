/* The flat stream of encode.js into values. Nested containers are read with an explicit stack. */
#include "addon.h"

static int32_t next_op(stream *s)
{
    if (s->op_at >= s->op_count) {
        s->broken = true;
        return 0;
    }
    return s->ops[s->op_at++];
}

/* The next `units` UTF-16 units of the text. */
static hg_slice next_text(stream *s, size_t units)
{
    size_t start = s->text_at;
    if (s->ascii) {
        if (units > s->text_length - start)
            s->broken = true;
        else
            s->text_at += units;
        return hg_slice_of(s->text + start, s->text_at - start);
    }
    size_t at = start;
    while (units > 0 && at < s->text_length) {
        unsigned char c = (unsigned char)s->text[at];
        size_t bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (bytes == 4 && units == 1) { /* encode.js lets no string end in half a pair */
            s->broken = true;
            break;
        }
        units -= bytes == 4 ? 2 : 1;
        at += bytes;
    }
    s->broken |= units > 0;
    s->text_at = at;
    return hg_slice_of(s->text + start, at - start);
}

static void set_text(stream *s, hg_value *v, bool is_key)
{
    int32_t units = next_op(s);
    hg_slice text = next_text(s, units < 0 ? 0 : (size_t)units);
    if (!is_key && text.len > s->max_string)
        text.len = s->max_string; /* may split a character, as the interface that this one stands in for does */
    hg_set_borrowed(v, text);
}

typedef struct frame {
    hg_value *container;
    size_t left;
} frame;

enum { FRAMES = 64 };

static bool open_container(stream *s, hg_value *v, bool map, hg_arena *arena, frame *f)
{
    int32_t count = next_op(s);
    if (count < 0 || (size_t)count > s->op_count) {
        s->broken = true;
        return false;
    }
    const hg_allocator *a = hg_arena_allocator(arena);
    if ((map ? hg_set_map(v, (size_t)count, a) : hg_set_array(v, (size_t)count, a)) != HG_OK) {
        s->broken = true;
        return false;
    }
    *f = (frame){v, (size_t)count};
    return count > 0;
}

/* One scalar or the head of a container. True when a container with content was opened. */
static bool decode_one(const addon *a, stream *s, hg_value *v, hg_arena *arena, frame *f)
{
    hg_set_invalid(v);
    switch (next_op(s)) {
    case OP_INVALID:
        return false;
    case OP_NULL:
        hg_set_null(v);
        return false;
    case OP_TRUE:
        hg_set_bool(v, true);
        return false;
    case OP_FALSE:
        hg_set_bool(v, false);
        return false;
    case OP_NUMBER:
        if (s->number_at < s->number_count)
            hg_set_float(v, s->numbers[s->number_at++]);
        else
            s->broken = true;
        return false;
    case OP_STRING:
        set_text(s, v, false);
        return false;
    case OP_ARRAY:
        return open_container(s, v, false, arena, f);
    case OP_MAP:
        return open_container(s, v, true, arena, f);
    case OP_PREPARED: {
        int32_t slot = next_op(s);
        if (slot >= 0 && (size_t)slot < a->prepared_count && a->prepared[slot].used)
            *v = a->prepared[slot].value;
        else
            s->broken = true;
        return false;
    }
    default:
        s->broken = true;
        return false;
    }
}

bool decode_value(const addon *a, stream *s, hg_value *out, hg_arena *arena)
{
    frame frames[FRAMES];
    size_t depth = 0;
    const hg_allocator *allocator = hg_arena_allocator(arena);
    if (decode_one(a, s, out, arena, &frames[0]))
        depth = 1;
    while (depth > 0 && !s->broken) {
        frame *top = &frames[depth - 1];
        if (top->left == 0) {
            depth--;
            continue;
        }
        top->left--;
        hg_value *slot;
        if (hg_is_map(top->container)) {
            hg_value key;
            set_text(s, &key, true);
            slot = hg_map_append_literal(top->container, HG_SLICE(""), allocator);
            if (slot != NULL)
                slot[-1] = key; /* the key stands right before its value */
        } else {
            slot = hg_array_append(top->container, allocator);
        }
        if (slot == NULL || (depth == FRAMES && s->op_at < s->op_count &&
                             (s->ops[s->op_at] == OP_ARRAY || s->ops[s->op_at] == OP_MAP))) {
            s->broken = true;
            break;
        }
        if (decode_one(a, s, slot, arena, &frames[depth < FRAMES ? depth : FRAMES - 1]))
            depth++;
    }
    return !s->broken;
}

const hg_entry *decode_entries(const addon *a, stream *s, bool ephemeral, hg_arena *arena, size_t *count)
{
    *count = 0;
    int32_t op = next_op(s);
    if (op == OP_MISSING)
        return NULL;
    int32_t size = op == OP_MAP ? next_op(s) : -1;
    if (size < 0 || (size_t)size > s->op_count) {
        s->broken = true;
        return NULL;
    }
    hg_entry *entries = hg_arena_alloc(arena, (size_t)size * sizeof *entries + 1, _Alignof(hg_entry));
    hg_value *values = hg_arena_alloc(arena, (size_t)size * 2 * sizeof *values + 1, _Alignof(hg_value));
    if (entries == NULL || values == NULL) {
        s->broken = true;
        return NULL;
    }
    for (int32_t i = 0; i < size && !s->broken; i++) {
        set_text(s, &values[2 * i], true);
        decode_value(a, s, &values[2 * i + 1], arena);
        entries[i] = (hg_entry){hg_value_string(&values[2 * i]), &values[2 * i + 1], ephemeral};
    }
    *count = (size_t)size;
    return entries;
}
