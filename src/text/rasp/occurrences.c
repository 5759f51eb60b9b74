#include "text/rasp/occurrences.h"

#include "text/bytes.h"

/* Knuth, Morris and Pratt's table. */
static bool build_borders(hg_occurrences *o)
{
    hg_slice n = o->needle;
    uint32_t *borders = hg_arena_alloc(o->arena, n.len * sizeof *borders, _Alignof(uint32_t));
    if (borders == NULL)
        return false;
    borders[0] = 0;
    uint32_t k = 0;
    for (size_t i = 1; i < n.len; i++) {
        while (k > 0 && n.ptr[k] != n.ptr[i])
            k = borders[k - 1];
        k += n.ptr[k] == n.ptr[i];
        borders[i] = k;
    }
    o->borders = borders;
    o->matched = borders[n.len - 1];
    return true;
}

static bool next_by_table(hg_occurrences *o, size_t *at)
{
    hg_slice n = o->needle;
    for (; o->next < o->text.len; o->next++) {
        char c = o->text.ptr[o->next];
        while (o->matched > 0 && n.ptr[o->matched] != c)
            o->matched = o->borders[o->matched - 1];
        o->matched += n.ptr[o->matched] == c;
        if (o->matched < n.len)
            continue;
        o->matched = o->borders[n.len - 1];
        *at = ++o->next - n.len;
        return true;
    }
    return false;
}

bool hg_occurrences_next(hg_occurrences *o, size_t *at)
{
    if (o->borders)
        return next_by_table(o, at);
    if (o->next > 0 && o->needle.len > HG_SHORT_NEEDLE) {
        if (!build_borders(o)) {
            o->out_of_memory = true;
            return false;
        }
        /* The first occurrence ended here, and `matched` is what may go on from it. */
        o->next += o->needle.len - 1;
        return next_by_table(o, at);
    }
    size_t found = hg_find(o->text, o->next, o->needle);
    if (found == SIZE_MAX)
        return false;
    o->next = found + 1;
    *at = found;
    return true;
}

void hg_occurrences_end(hg_occurrences *o)
{
    if (o->borders)
        hg_arena_resize(o->arena, o->borders, o->needle.len * sizeof *o->borders, 0, _Alignof(uint32_t));
    o->borders = NULL;
}
