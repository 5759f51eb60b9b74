#include "waf/eval/walk.h"

#include <stdio.h>

static uint32_t visible_size(const hg_value *container, uint32_t max_size)
{
    size_t size = hg_value_size(container);
    return size < max_size ? (uint32_t)size : max_size;
}

static const hg_value *child_at(const hg_value *container, uint32_t index)
{
    return hg_is_map(container) ? &hg_map_pairs(container)[index].val : &hg_array_items(container)[index];
}

static const hg_value *step_by_index(const hg_value *array, int64_t index, uint32_t max_size)
{
    if (!hg_is_array(array))
        return NULL;
    int64_t size = visible_size(array, max_size);
    if (index < 0)
        index += size;
    return index >= 0 && index < size ? child_at(array, (uint32_t)index) : NULL;
}

/* First entry with the key that is not excluded. */
static const hg_value *step_by_key(const hg_value *map, hg_slice key, const hg_excluder *excluder,
                                   uint32_t max_size)
{
    if (!hg_is_map(map))
        return NULL;
    const hg_pair *pairs = hg_map_pairs(map);
    uint32_t size = visible_size(map, max_size);
    for (uint32_t i = 0; i < size; i++)
        if (hg_is_string(&pairs[i].key) && hg_slice_equal(hg_value_string(&pairs[i].key), key) &&
            !hg_excluded(excluder, &pairs[i].val))
            return &pairs[i].val;
    return NULL;
}

static const hg_value *step_into(const hg_value *object, const hg_step *step, const hg_excluder *excluder,
                                 uint32_t max_size)
{
    return step->by_index ? step_by_index(object, step->index, max_size)
                          : step_by_key(object, step->key, excluder, max_size);
}

const hg_value *hg_path_resolve(const hg_value *root, hg_key_path path, const hg_excluder *excluder,
                                uint32_t max_size)
{
    const hg_value *object = root;
    for (uint32_t i = 0; object != NULL && !hg_excluded(excluder, object); i++) {
        if (i == path.count)
            return object;
        object = step_into(object, &path.steps[i], NULL, max_size);
    }
    return NULL;
}

hg_presence hg_path_presence(const hg_value *root, hg_key_path path, const hg_excluder *excluder,
                             uint32_t max_size)
{
    const hg_value *object = root;
    for (uint32_t i = 0; i < path.count; i++) {
        object = step_into(object, &path.steps[i], NULL, max_size);
        if (object == NULL)
            return HG_NOT_FOUND;
        if (hg_excluded(excluder, object))
            return HG_UNKNOWN;
    }
    return HG_FOUND;
}

/* ---- The walk ---- */

static void push(hg_walk *walk, const hg_value *container)
{
    if (walk->depth >= walk->max_depth)
        return;
    if (walk->depth == walk->room) {
        uint32_t room = walk->room * 2;
        hg_walk_frame *frames = hg_call_alloc(walk->run, room * sizeof *frames);
        if (frames == NULL)
            return;
        memcpy(frames, walk->frames, walk->depth * sizeof *frames);
        walk->frames = frames;
        walk->room = room;
    }
    walk->frames[walk->depth++] = (hg_walk_frame){container, visible_size(container, walk->max_size), 0};
}

void hg_walk_below(hg_walk *walk, hg_run *run, const hg_value *object, hg_key_path path, unsigned wanted,
                   const hg_excluder *excluder)
{
    walk->run = run;
    walk->excluder = excluder;
    walk->path = path;
    walk->wanted = wanted;
    walk->max_size = run->profile->max_container_size;
    walk->max_depth = walk->later_depth = run->profile->max_container_depth;
    walk->pending = walk->element = NULL;
    walk->at_key = false;
    walk->depth = 0;
    walk->room = HG_WALK_FRAMES;
    walk->frames = walk->inline_frames;
    if (object == NULL || hg_excluded(excluder, object))
        return;
    if (hg_is_container(object))
        push(walk, object);
    else
        walk->pending = object;
}

const hg_value *hg_walk_origin(const hg_profile *profile, const hg_value *root, hg_key_path path, unsigned wanted,
                               const hg_excluder *excluder)
{
    uint32_t depth = profile->max_container_depth;
    const hg_value *object = hg_excluded(excluder, root) ? NULL : root;
    for (uint32_t i = 0; i < path.count && object != NULL; i++)
        object = step_into(object, &path.steps[i], excluder, profile->max_container_size);
    /* A depth limit counts the steps of the path, but only after the first element (libddwaf 1). */
    if (path.count > depth || (path.count == depth && object != NULL && hg_is_container(object)))
        object = NULL;
    if (wanted == HG_WALK_KEYS && path.count > 0 && path.count >= depth)
        object = NULL;
    return object;
}

void hg_walk_start(hg_walk *walk, hg_run *run, const hg_value *root, hg_key_path path, unsigned wanted,
                   const hg_excluder *excluder)
{
    uint32_t depth = run->profile->max_container_depth;
    const hg_value *object = hg_walk_origin(run->profile, root, path, wanted, excluder);
    /* An element reached by index is looked at even if it is excluded. */
    hg_walk_below(walk, run, object, path, wanted, NULL);
    walk->excluder = excluder;
    if (depth != UINT32_MAX)
        walk->later_depth = depth - (path.count < depth ? path.count : depth);
}

static bool give(hg_walk *walk, const hg_value *element, bool at_key)
{
    walk->element = element;
    walk->at_key = at_key;
    walk->max_depth = walk->later_depth;
    return true;
}

static bool give_key(hg_walk *walk, const hg_value *key)
{
    hg_slice text = hg_value_string(key);
    walk->key.wide.head = HG_STRING;
    walk->key.str.size = (uint32_t)text.len;
    walk->key.str.ptr = (char *)text.ptr;
    return give(walk, &walk->key, true);
}

/* Enters a container; true if the value itself is to be given. */
static bool visit(hg_walk *walk, const hg_value *value)
{
    if (hg_is_container(value)) {
        push(walk, value);
        return false;
    }
    return hg_is_scalar(value) && (walk->wanted & HG_WALK_VALUES);
}

bool hg_walk_next(hg_walk *walk)
{
    for (;;) {
        if (walk->pending != NULL) {
            const hg_value *value = walk->pending;
            walk->pending = NULL;
            if (visit(walk, value))
                return give(walk, value, false);
            continue;
        }
        if (walk->depth == 0)
            return false;
        hg_walk_frame *frame = &walk->frames[walk->depth - 1];
        if (frame->next == frame->size) {
            walk->depth--;
            continue;
        }
        const hg_value *value = child_at(frame->container, frame->next++);
        if (walk->excluder != NULL && hg_excluded(walk->excluder, value))
            continue;
        if ((walk->wanted & HG_WALK_KEYS) && hg_is_map(frame->container)) {
            const hg_value *key = &hg_map_pairs(frame->container)[frame->next - 1].key;
            walk->pending = value;
            if (hg_is_string(key))
                return give_key(walk, key);
            continue;
        }
        if (visit(walk, value))
            return give(walk, value, false);
    }
}

/* ---- Paths to report ---- */

static void index_value(hg_run *run, int64_t index, hg_value *out)
{
    if (!run->profile->string_indices) {
        hg_set_signed(out, index);
        return;
    }
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", (long long)index);
    hg_set_borrowed(out, hg_life_copy(run, hg_slice_of(text, (size_t)length)));
}

static void step_value(hg_run *run, const hg_step *step, hg_value *out)
{
    if (step->by_index)
        index_value(run, step->index, out);
    else
        hg_set_borrowed(out, step->key);
}

const hg_value *hg_path_values(hg_run *run, hg_key_path path, uint32_t *length)
{
    hg_value *steps = path.count > 0 ? hg_life_alloc(run, path.count * sizeof *steps) : NULL;
    *length = steps != NULL ? path.count : 0;
    for (uint32_t i = 0; i < *length; i++)
        step_value(run, &path.steps[i], &steps[i]);
    return steps;
}

const hg_value *hg_walk_path(const hg_walk *walk, uint32_t *length)
{
    uint32_t most = walk->path.count + walk->depth, count = 0;
    hg_value *steps = most > 0 ? hg_life_alloc(walk->run, most * sizeof *steps) : NULL;
    *length = 0;
    if (steps == NULL)
        return NULL;
    for (uint32_t i = 0; i < walk->path.count; i++)
        step_value(walk->run, &walk->path.steps[i], &steps[count++]);
    for (uint32_t i = 0; i < walk->depth; i++) {
        const hg_walk_frame *frame = &walk->frames[i];
        if (!hg_is_map(frame->container)) {
            index_value(walk->run, (int64_t)frame->next - 1, &steps[count++]);
            continue;
        }
        const hg_value *key = &hg_map_pairs(frame->container)[frame->next - 1].key;
        if (hg_is_string(key))
            hg_set_borrowed(&steps[count++], hg_value_string(key));
    }
    *length = count;
    return steps;
}
