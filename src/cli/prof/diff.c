/* hotgate prof diff: what got slower. Profiles of different lengths are compared by shares of their totals. */
#include "cli/prof/prof.h"

#include <math.h>
#include <stdlib.h>

typedef struct change {
    hg_slice name, file;
    double before, after; /* shares, self */
    int64_t self_before, self_after;
} change;

static int by_size(const void *a, const void *b)
{
    const change *x = a, *y = b;
    double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
    if (dx != dy)
        return (dx < dy) - (dx > dy);
    return hg_slice_compare(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const function_sum *x = a, *y = b;
    int order = hg_slice_compare(x->name, y->name);
    return order ? order : hg_slice_compare(x->file, y->file);
}

static double share(int64_t part, int64_t all)
{
    return all != 0 ? (double)part / (double)all : 0;
}

/* Both lists sorted by name, joined. */
static size_t join(function_sums *a, function_sums *b, change *out)
{
    qsort(a->items, a->count, sizeof *a->items, by_name);
    qsort(b->items, b->count, sizeof *b->items, by_name);
    size_t i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : by_name(&a->items[i], &b->items[j]);
        const function_sum *x = order <= 0 ? &a->items[i++] : NULL, *y = order >= 0 ? &b->items[j++] : NULL;
        const function_sum *named = x ? x : y;
        out[count++] = (change){named->name, named->file, x ? share(x->self, a->all) : 0, y ? share(y->self, b->all) : 0,
                                x ? x->self : 0, y ? y->self : 0};
    }
    if (count > 0)
        qsort(out, count, sizeof *out, by_size);
    return count;
}

static void print_table(const change *c, size_t count, const pprof_type *type, FILE *out)
{
    char a[48], b[48];
    fprintf(out, "%.*s, own cost as a share of each profile's total\n\n%8s %8s %8s %12s %12s  %s\n", (int)type->type.len,
            type->type.ptr, "before", "after", "change", "before", "after", "function");
    for (size_t i = 0; i < count && c[i].after != c[i].before; i++) {
        fprintf(out, "%7.2f%% %7.2f%% %+7.2f%% %12s %12s  ", 100 * c[i].before, 100 * c[i].after,
                100 * (c[i].after - c[i].before), prof_amount((double)c[i].self_before, type->unit, a),
                prof_amount((double)c[i].self_after, type->unit, b));
        prof_print_name(out, c[i].name);
        fputc('\n', out);
    }
}

static void print_json(const change *c, size_t count, const pprof_type *type, FILE *out)
{
    hg_buffer b = {0};
    hg_buffer_append(&b, HG_SLICE("{\"type\":"));
    hg_json_write_string(type->type, 0, &b);
    hg_buffer_append(&b, HG_SLICE(",\"functions\":["));
    for (size_t i = 0; i < count; i++) {
        hg_buffer_append(&b, i ? HG_SLICE(",{\"name\":") : HG_SLICE("{\"name\":"));
        hg_json_write_string(c[i].name, 0, &b);
        hg_buffer_printf(&b, ",\"before\":%lld,\"after\":%lld,\"share_before\":%.6f,\"share_after\":%.6f}",
                         (long long)c[i].self_before, (long long)c[i].self_after, c[i].before, c[i].after);
    }
    hg_buffer_append(&b, HG_SLICE("]}\n"));
    fwrite(b.ptr, 1, b.len, out);
    hg_buffer_free(&b);
}

static int compare(const prof_options *o, const pprof *before, const pprof *after)
{
    bool json = o->format != NULL && strcmp(o->format, "json") == 0;
    if (o->format != NULL && !json && strcmp(o->format, "table") != 0) {
        fprintf(stderr, "hotgate prof: unknown format '%s'\n", o->format);
        return PROF_USAGE;
    }
    size_t a = prof_type(before, o->type), b = SIZE_MAX;
    for (size_t i = 0; a != SIZE_MAX && i < after->type_count; i++)
        if (hg_slice_equal(after->types[i].type, before->types[a].type))
            b = i;
    if (b == SIZE_MAX) {
        if (a != SIZE_MAX)
            fprintf(stderr, "hotgate prof: %s has no sample type '%.*s'\n", o->files[1], (int)before->types[a].type.len,
                    before->types[a].type.ptr);
        return PROF_DATA;
    }
    function_sums x = {0}, y = {0};
    int result = PROF_FAILED;
    if (sums_of(before, a, &x) == HG_OK && sums_of(after, b, &y) == HG_OK) {
        change *changes = calloc(x.count + y.count + 1, sizeof *changes);
        size_t count = changes ? join(&x, &y, changes) : 0;
        FILE *out = changes ? prof_open(o) : NULL;
        if (out != NULL) {
            (json ? print_json : print_table)(changes, count < o->count ? count : o->count, &before->types[a], out);
            result = prof_close(o, out);
        }
        free(changes);
    }
    sums_free(&x);
    sums_free(&y);
    return result;
}

int prof_diff(const prof_options *o)
{
    pprof before, after;
    int result = prof_load(o->files[0], &before);
    if (result != PROF_OK)
        return result;
    result = prof_load(o->files[1], &after);
    if (result == PROF_OK) {
        result = compare(o, &before, &after);
        pprof_free(&after);
    }
    pprof_free(&before);
    return result;
}
