/* hotgate prof flame: the call tree as JSON inside a page that needs nothing else. */
#include "cli/prof/prof.h"

#include "base/hash.h"

#include <stdlib.h>

enum { NODES_MAX = 1 << 22 };

typedef struct node {
    uint32_t parent, function; /* function: position among unique names */
    uint32_t next; /* in the bucket, + 1 */
    int64_t value; /* own; the page sums up */
} node;

typedef struct tree {
    node *nodes;
    uint32_t *buckets;
    size_t count, capacity, bucket_count;
    bool failed;
} tree;

static void rehash(tree *t)
{
    size_t buckets = t->capacity;
    uint32_t *fresh = calloc(buckets, sizeof *fresh);
    if (fresh == NULL) {
        t->failed = true;
        return;
    }
    free(t->buckets);
    t->buckets = fresh;
    t->bucket_count = buckets;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = hg_hash_u64((uint64_t)t->nodes[i].parent << 32 | t->nodes[i].function) & (buckets - 1);
        t->nodes[i].next = fresh[at];
        fresh[at] = (uint32_t)i + 1;
    }
}

/* The child of parent that is this function; made when new. */
static uint32_t child(tree *t, uint32_t parent, uint32_t function)
{
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 1024;
        node *nodes = capacity <= NODES_MAX ? realloc(t->nodes, capacity * sizeof *nodes) : NULL;
        if (nodes == NULL) {
            t->failed = true;
            return parent;
        }
        t->nodes = nodes;
        t->capacity = capacity;
        rehash(t);
    }
    if (t->failed)
        return parent;
    size_t at = hg_hash_u64((uint64_t)parent << 32 | function) & (t->bucket_count - 1);
    for (uint32_t i = t->buckets[at]; i != 0; i = t->nodes[i - 1].next)
        if (t->nodes[i - 1].parent == parent && t->nodes[i - 1].function == function)
            return i - 1;
    t->nodes[t->count] = (node){parent, function, t->buckets[at], 0};
    t->buckets[at] = (uint32_t)t->count + 1;
    return (uint32_t)t->count++;
}

static void build(const pprof *p, size_t type, tree *t)
{
    for (size_t i = 0; i < p->sample_count && !t->failed; i++) {
        const pprof_sample *s = &p->samples[i];
        if (s->values[type] == 0)
            continue;
        uint32_t at = UINT32_MAX; /* the root has no node */
        for (size_t k = s->location_count; k-- > 0;) {
            const pprof_location *l = &p->locations[s->locations[k]];
            for (size_t n = l->line_count; n-- > 0;)
                at = child(t, at, l->lines[n].function);
        }
        if (at != UINT32_MAX)
            t->nodes[at].value += s->values[type];
    }
}

/* A page's script must not end early, whatever a function is called. */
static void script_string(hg_slice s, hg_buffer *b)
{
    hg_buffer text = {0};
    hg_json_write_string(s, 0, &text);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '<')
            hg_buffer_append(b, HG_SLICE("\\u003c"));
        else
            hg_buffer_byte(b, text.ptr[i]);
    }
    b->failed |= text.failed;
    hg_buffer_free(&text);
}

/* {types:[{name,unit,nodes:[parent,function,value,...]}],names:[[name,file],...],title} */
static void write_data(const pprof *p, size_t first, const char *title, hg_buffer *b)
{
    hg_buffer_append(b, HG_SLICE("{\"title\":"));
    script_string(hg_slice_from(title), b);
    hg_buffer_printf(b, ",\"first\":%zu,\"duration\":%lld,\"names\":[", first, (long long)p->duration_ns);
    for (size_t i = 0; i < p->function_count; i++) {
        hg_buffer_append(b, i ? HG_SLICE(",[") : HG_SLICE("["));
        script_string(p->functions[i].name, b);
        hg_buffer_byte(b, ',');
        script_string(p->functions[i].file, b);
        hg_buffer_byte(b, ']');
    }
    hg_buffer_append(b, HG_SLICE("],\"types\":["));
    for (size_t type = 0; type < p->type_count; type++) {
        tree t = {0};
        build(p, type, &t);
        b->failed |= t.failed;
        hg_buffer_append(b, type ? HG_SLICE(",{\"name\":") : HG_SLICE("{\"name\":"));
        script_string(p->types[type].type, b);
        hg_buffer_append(b, HG_SLICE(",\"unit\":"));
        script_string(p->types[type].unit, b);
        hg_buffer_append(b, HG_SLICE(",\"nodes\":["));
        for (size_t i = 0; i < t.count; i++)
            hg_buffer_printf(b, "%s%d,%u,%lld", i ? "," : "", t.nodes[i].parent == UINT32_MAX ? -1 : (int)t.nodes[i].parent,
                             t.nodes[i].function, (long long)t.nodes[i].value);
        hg_buffer_append(b, HG_SLICE("]}"));
        free(t.nodes);
        free(t.buckets);
    }
    hg_buffer_append(b, HG_SLICE("]}"));
}

int prof_flame(const prof_options *o)
{
    pprof p;
    int result = prof_load_all(o, &p);
    if (result != PROF_OK)
        return result;
    size_t type = prof_type(&p, o->type);
    hg_buffer data = {0};
    result = PROF_DATA;
    if (type != SIZE_MAX) {
        write_data(&p, type, o->files[0], &data);
        static const char mark[] = "/*DATA*/null";
        hg_slice page = flame_page();
        const char *at = memmem(page.ptr, page.len, mark, sizeof mark - 1);
        FILE *out = data.failed || at == NULL ? NULL : prof_open(o);
        if (out != NULL) {
            size_t head = (size_t)(at - page.ptr), tail = head + sizeof mark - 1;
            fwrite(page.ptr, 1, head, out);
            fwrite(data.ptr, 1, data.len, out);
            fwrite(page.ptr + tail, 1, page.len - tail, out);
            result = prof_close(o, out);
        }
    }
    hg_buffer_free(&data);
    pprof_free(&p);
    return result;
}
