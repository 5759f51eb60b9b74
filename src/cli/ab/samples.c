/* The measurements of one side, grouped by benchmark. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

static char *copy(hg_slice s)
{
    char *text = malloc(s.len + 1);
    if (text == NULL)
        return NULL;
    if (s.len > 0)
        memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static bool same(const char *text, hg_slice s)
{
    return strlen(text) == s.len && (s.len == 0 || memcmp(text, s.ptr, s.len) == 0);
}

static bool is_key(const series *s, const measurement *m)
{
    return same(s->method, m->method) && same(s->params, m->params) && same(s->class, m->class) &&
           same(s->toolchain, m->toolchain);
}

series *set_series(result_set *set, const measurement *m)
{
    /* measurements of one benchmark come together: look from the newest */
    for (size_t i = set->count; i-- > 0;)
        if (is_key(&set->items[i], m))
            return &set->items[i];
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? set->capacity * 2 : 16;
        series *items = realloc(set->items, capacity * sizeof *items);
        if (items == NULL)
            return NULL;
        set->items = items;
        set->capacity = capacity;
    }
    series *s = &set->items[set->count];
    *s = (series){.suite = copy(m->suite), .class = copy(m->class), .method = copy(m->method),
                  .params = copy(m->params), .toolchain = copy(m->toolchain), .program = m->program, .modality = ""};
    set->count++;
    if (!s->suite || !s->class || !s->method || !s->params || !s->toolchain)
        return NULL;
    return s;
}

hg_status series_push(series *s, double ns)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity + s->capacity / 2 : 32;
        double *grown = realloc(s->ns, capacity * sizeof *grown);
        if (grown == NULL)
            return HG_ERR_NOMEM;
        s->ns = grown;
        s->capacity = capacity;
    }
    s->ns[s->count++] = ns;
    return HG_OK;
}

hg_status set_add(result_set *set, const measurement *m)
{
    if (!isfinite(m->ns_per_op) || m->ns_per_op < 0) {
        set->rejected++;
        return HG_OK;
    }
    series *s = set_series(set, m);
    if (s == NULL)
        return HG_ERR_NOMEM;
    if (m->bytes_per_op >= 0) {
        s->bytes_sum += m->bytes_per_op;
        s->bytes_count++;
    }
    if (m->instructions_per_op >= 0) {
        s->instructions_sum += m->instructions_per_op;
        s->instructions_count++;
    }
    return series_push(s, m->ns_per_op);
}

double series_bytes(const series *s)
{
    return s->bytes_count > 0 ? s->bytes_sum / (double)s->bytes_count : -1;
}

const series *set_find(const result_set *set, const series *like)
{
    measurement key = {.class = hg_slice_from(like->class), .method = hg_slice_from(like->method),
                       .params = hg_slice_from(like->params), .toolchain = hg_slice_from(like->toolchain)};
    for (size_t i = 0; i < set->count; i++)
        if (is_key(&set->items[i], &key))
            return &set->items[i];
    return NULL;
}

/* Tukey's fences; outliers are counted and shown, never dropped from the tests. */
static size_t count_outliers(const series *s)
{
    double q1 = sorted_quantile(s->ns, s->count, 0.25), q3 = sorted_quantile(s->ns, s->count, 0.75);
    double low = q1 - 1.5 * (q3 - q1), high = q3 + 1.5 * (q3 - q1);
    size_t outliers = 0;
    for (size_t i = 0; i < s->count && s->ns[i] < low; i++)
        outliers++;
    for (size_t i = s->count; i-- > 0 && s->ns[i] > high;)
        outliers++;
    return outliers;
}

hg_status series_prepare(series *s)
{
    if (s->count == 0)
        return HG_OK;
    hg_status status = sort_numbers(s->ns, s->count);
    if (status != HG_OK)
        return status;
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->ns[i];
    s->mean = sum / (double)s->count;
    double squares = 0; /* two passes: stable for large means with small spread */
    for (size_t i = 0; i < s->count; i++)
        squares += (s->ns[i] - s->mean) * (s->ns[i] - s->mean);
    s->sd = s->count > 1 ? sqrt(squares / (double)(s->count - 1)) : 0;
    s->median = sorted_quantile(s->ns, s->count, 0.5);
    s->minimum = s->ns[0];
    s->maximum = s->ns[s->count - 1];
    s->outliers = count_outliers(s);
    s->modality = modality_of(s->ns, s->count);
    return HG_OK;
}

void set_free(result_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        series *s = &set->items[i];
        free(s->suite);
        free(s->class);
        free(s->method);
        free(s->params);
        free(s->toolchain);
        free(s->ns);
    }
    free(set->items);
    *set = (result_set){0};
}
