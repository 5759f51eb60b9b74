/* Requests of one case, made before they are timed. */
#ifndef BENCH_WAF_REQUESTS_H
#define BENCH_WAF_REQUESTS_H

#include "waf/cases.h"
#include "waf/engines.h"

enum { REQUESTS = 512 };

typedef struct requests {
    request items[REQUESTS];
    size_t count;
    hg_arena arena;
    const ddwaf1 *library; /* reads and frees JSON for libraries; NULL: there is none */
} requests;

static inline void requests_clear(requests *r)
{
    for (size_t i = 0; i < r->count && r->library != NULL; i++)
        r->library->object_free(&r->items[i].theirs);
    r->count = 0;
    hg_arena_close(&r->arena);
    hg_arena_init(&r->arena, NULL);
}

/* The next `count` requests of the series. */
static inline void requests_make(requests *r, const waf_case *c, size_t count)
{
    hg_buffer text = {0};
    const hg_json_options options = {.dialect = HG_JSON_STRICT};
    requests_clear(r);
    for (; r->count < count; r->count++) {
        request *item = &r->items[r->count];
        text.len = 0;
        c->write(&text);
        item->bytes = text.len;
        if (hg_json_read(hg_slice_of(text.ptr, text.len), &options, &item->ours, hg_arena_allocator(&r->arena), NULL) !=
                HG_OK ||
            (r->library != NULL && !r->library->object_from_json(&item->theirs, text.ptr, (uint32_t)text.len))) {
            fprintf(stderr, "case %s is no JSON\n", c->name);
            exit(3);
        }
    }
    hg_buffer_free(&text);
}

#endif
