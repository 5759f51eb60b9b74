/* shi_detector: a parameter brings a command of its own into a command line (waf-operators 12.4). */
#include "waf/operators/hunt.h"

#include "text/rasp/shell_injection.h"

/* The resource as one text. Of an array, the elements' ends are kept: no parameter reaches from one into another. */
typedef struct joined {
    hg_slice text;
    size_t *ends; /* NULL: one string */
    size_t count;
} joined;

static size_t joined_size(const hg_value *array)
{
    size_t size = 0;
    for (size_t i = 0; i < hg_value_size(array); i++)
        size += hg_value_string(&hg_array_items(array)[i]).len + 1;
    return size;
}

static bool join(const hg_value *resource, hg_arena *arena, joined *out)
{
    *out = (joined){.text = hg_value_string(resource)};
    if (!hg_is_array(resource))
        return out->text.len > 0;
    size_t size = hg_value_size(resource);
    char *text = hg_arena_alloc(arena, joined_size(resource) + 1, 1);
    out->ends = hg_arena_alloc(arena, (size + 1) * sizeof *out->ends, _Alignof(size_t));
    if (text == NULL || out->ends == NULL)
        return false;
    size_t len = 0;
    for (size_t i = 0; i < size; i++) {
        hg_slice element = hg_value_string(&hg_array_items(resource)[i]);
        if (element.len == 0)
            continue;
        if (len > 0)
            text[len++] = ' ';
        memcpy(text + len, element.ptr, element.len);
        len += element.len;
        out->ends[out->count++] = len;
    }
    out->text = hg_slice_of(text, len);
    return len > 0;
}

/* Does [begin, end) lie within one element? */
static bool in_one_element(const joined *j, size_t begin, size_t end)
{
    if (j->ends == NULL)
        return true;
    size_t low = 0;
    size_t high = j->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->ends[middle] > begin)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == j->count || end > j->ends[low])
        return false;
    return low == 0 || begin > j->ends[low - 1];
}

static bool hunt(hg_hunt *h, const joined *resource, hg_shell_line *line)
{
    size_t at;
    while (hg_hunt_next(h, &at)) {
        size_t end = at + hg_hunt_param(h).len;
        if (!in_one_element(resource, at, end))
            continue;
        if (line->next_command == NULL && hg_shell_line_init(line, resource->text, h->detect->env->arena) != HG_OK) {
            h->stopped = true;
            return false;
        }
        if (hg_shell_is_injected(line, at, end))
            return true;
    }
    return false;
}

static bool detect(const void *params, hg_detect *d)
{
    (void)params;
    joined resource;
    hg_shell_line line = {.next_command = NULL};
    if (!join(d->resource, d->env->arena, &resource))
        return false;
    for (size_t object = 0; object < d->object_count; object++) {
        hg_hunt h = hg_hunt_start(d, resource.text, HG_SHELL_PARAM_MIN, object);
        if (hunt(&h, &resource, &line))
            return hg_hunt_report(&h, resource.text);
        if (h.stopped)
            return false;
    }
    return false;
}

const hg_operator hg_operator_shi_detector = {
    .name = HG_SLICE("shi_detector"),
    .kind = HG_OPERATOR_DETECTOR,
    .max_version = 1,
    .arguments = {{HG_SLICE("resource"), false, HG_ARGUMENT_STRING | HG_ARGUMENT_ARRAY},
                  {HG_SLICE("params"), true, HG_ARGUMENT_ANY}},
    .detect = detect,
};
