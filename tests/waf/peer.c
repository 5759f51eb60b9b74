#include "peer.h"

#include "waf/ruleset/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SHOWN = 12 };

struct peer {
    const ddwaf1 *lib;
    ddwaf1_handle *handle;
    hg_waf *waf;
    peer_counts counts;
};

static bool missing;

static void *must(void *ptr)
{
    if (ptr == NULL)
        abort();
    return ptr;
}

static hg_waf *load_ours(const char *rules)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value config;
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_profile profile = hg_profile_ddwaf1;
    profile.max_container_size = profile.max_container_depth = profile.max_string_length = UINT32_MAX;
    hg_builder *builder = hg_builder_new_with(&profile, (hg_slice){NULL, 0}, (hg_slice){NULL, 0});
    hg_waf *waf = NULL;
    if (builder != NULL &&
        hg_json_read(hg_slice_from(rules), &options, &config, hg_arena_allocator(&arena), NULL) == HG_OK &&
        hg_builder_set(builder, HG_SLICE("rules"), &config, NULL, NULL) == HG_OK)
        waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    hg_arena_close(&arena);
    return waf;
}

peer *peer_open(const char *rules)
{
    static peer p;
    p = (peer){.lib = ddwaf1_open()};
    missing = p.lib == NULL;
    if (missing) {
        printf("skipped: the official library is not installed\n");
        return NULL;
    }
    const ddwaf1_config config = {UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL, NULL, NULL};
    p.handle = ddwaf1_load(p.lib, rules, strlen(rules), &config);
    p.waf = load_ours(rules);
    if (p.handle != NULL && p.waf != NULL)
        return &p;
    printf("the rules are refused by %s\n", p.waf == NULL ? "ours" : "the official library");
    return NULL;
}

void peer_close(peer *p)
{
    p->lib->destroy(p->handle);
    hg_waf_unref(p->waf);
}

bool peer_is_missing(void)
{
    return missing;
}

peer_counts peer_counted(const peer *p)
{
    return p->counts;
}

/* ---- Values from one form into the other ---- */

static void to_official(hg_arena *arena, const hg_value *v, ddwaf1_object *out);

static void container_to_official(hg_arena *arena, const hg_value *v, ddwaf1_object *out)
{
    size_t size = hg_value_size(v);
    out->type = hg_is_map(v) ? DDWAF1_MAP : DDWAF1_ARRAY;
    out->size = size;
    out->items = must(hg_arena_alloc(arena, (size + 1) * sizeof *out->items, 8));
    for (size_t i = 0; i < size; i++) {
        if (!hg_is_map(v)) {
            to_official(arena, &hg_array_items(v)[i], &out->items[i]);
            continue;
        }
        hg_slice key = hg_value_string(&hg_map_pairs(v)[i].key);
        to_official(arena, &hg_map_pairs(v)[i].val, &out->items[i]);
        out->items[i].name = key.ptr ? key.ptr : "";
        out->items[i].name_len = key.len;
    }
}

static void to_official(hg_arena *arena, const hg_value *v, ddwaf1_object *out)
{
    memset(out, 0, sizeof *out);
    if (hg_is_container(v)) {
        container_to_official(arena, v, out);
        return;
    }
    if (hg_is_string(v)) {
        hg_slice s = hg_value_string(v);
        out->type = DDWAF1_STRING;
        out->string = s.ptr ? s.ptr : "";
        out->size = s.len;
        return;
    }
    switch (v->type) {
    case HG_BOOL:
        out->type = DDWAF1_BOOL;
        out->boolean = v->b8.val;
        break;
    case HG_SIGNED:
        out->type = DDWAF1_SIGNED;
        out->i64 = v->i64.val;
        break;
    case HG_UNSIGNED:
        out->type = DDWAF1_UNSIGNED;
        out->u64 = v->u64.val;
        break;
    case HG_FLOAT:
        out->type = DDWAF1_FLOAT;
        out->f64 = v->f64.val;
        break;
    case HG_NULL:
        out->type = DDWAF1_NULL;
        break;
    default:
        break;
    }
}

static void from_official(hg_arena *arena, const ddwaf1_object *o, hg_value *out)
{
    const hg_allocator *a = hg_arena_allocator(arena);
    switch (o->type) {
    case DDWAF1_SIGNED:
        hg_set_signed(out, o->i64);
        break;
    case DDWAF1_UNSIGNED:
        hg_set_unsigned(out, o->u64);
        break;
    case DDWAF1_STRING:
        hg_set_string(out, hg_slice_of(o->string, o->size), a);
        break;
    case DDWAF1_BOOL:
        hg_set_bool(out, o->boolean);
        break;
    case DDWAF1_FLOAT:
        hg_set_float(out, o->f64);
        break;
    case DDWAF1_NULL:
        hg_set_null(out);
        break;
    case DDWAF1_ARRAY:
        hg_set_array(out, o->size, a);
        for (uint64_t i = 0; i < o->size; i++)
            from_official(arena, &o->items[i], must(hg_array_append(out, a)));
        break;
    case DDWAF1_MAP:
        hg_set_map(out, o->size, a);
        for (uint64_t i = 0; i < o->size; i++)
            from_official(arena, &o->items[i],
                          must(hg_map_append(out, hg_slice_of(o->items[i].name, o->items[i].name_len), a)));
        break;
    default:
        hg_set_invalid(out);
    }
}

/* ---- Comparing ---- */

static bool equal_in_any_order(const hg_value *a, const hg_value *b);

static bool has_equal(const hg_value *container, const hg_value *key, const hg_value *value)
{
    for (size_t i = 0; i < hg_value_size(container); i++) {
        if (key == NULL ? equal_in_any_order(&hg_array_items(container)[i], value)
                        : hg_value_equal(&hg_map_pairs(container)[i].key, key) &&
                              equal_in_any_order(&hg_map_pairs(container)[i].val, value))
            return true;
    }
    return false;
}

static bool equal_in_any_order(const hg_value *a, const hg_value *b)
{
    if (!hg_is_container(a))
        return hg_value_equal(a, b);
    if (hg_is_map(a) != hg_is_map(b) || hg_is_array(a) != hg_is_array(b) || hg_value_size(a) != hg_value_size(b))
        return false;
    for (size_t i = 0; i < hg_value_size(a); i++) {
        const hg_value *key = hg_is_map(a) ? &hg_map_pairs(a)[i].key : NULL;
        const hg_value *value = hg_is_map(a) ? &hg_map_pairs(a)[i].val : &hg_array_items(a)[i];
        if (!has_equal(b, key, value))
            return false;
    }
    return true;
}

static void print_value(const char *label, const hg_value *v)
{
    hg_buffer b = {0};
    if (v != NULL)
        hg_json_write(v, HG_JSON_ASCII, &b);
    printf("  %s%.*s\n", label, (int)b.len, b.ptr ? b.ptr : "");
    hg_buffer_free(&b);
}

static bool compare(peer *p, const hg_value *data, const hg_value *ours, const hg_value *theirs)
{
    static const hg_slice sections[] = {HG_SLICE("events"), HG_SLICE("attributes")};
    bool same = true;
    for (int i = 0; i < 2; i++) {
        const hg_value *a = hg_map_find(ours, sections[i]);
        const hg_value *b = hg_map_find(theirs, sections[i]);
        size_t size = b ? hg_value_size(b) : 0;
        p->counts.matched += i == 0 && size > 0;
        p->counts.with_attributes += i == 1 && size > 0;
        bool equal = (a ? hg_value_size(a) : 0) == size &&
                     (size == 0 || (i == 0 ? hg_value_equal(a, b) : equal_in_any_order(a, b)));
        if (!equal && p->counts.different < SHOWN) {
            printf("DIFFERENT %.*s\n", (int)sections[i].len, sections[i].ptr);
            print_value("data:   ", data);
            print_value("ours:   ", a);
            print_value("theirs: ", b);
        }
        same &= equal;
    }
    p->counts.different += !same;
    return same;
}

bool peer_agrees(peer *p, const hg_value *data)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    ddwaf1_object input;
    ddwaf1_object output = {0};
    to_official(&arena, data, &input);
    ddwaf1_context *their_context = must(p->lib->context_init(p->handle));
    p->lib->run(their_context, &input, NULL, &output, 10000000);
    hg_value theirs;
    from_official(&arena, &output, &theirs);
    hg_context *our_context = must(hg_context_new(p->waf));
    const hg_result *result = NULL;
    if (hg_context_eval(our_context, data, 10000000, &result) != HG_OK)
        abort();
    p->counts.judged++;
    bool same = compare(p, data, &result->value, &theirs);
    hg_context_free(our_context);
    p->lib->object_free(&output);
    p->lib->context_destroy(their_context);
    hg_arena_close(&arena);
    return same;
}

/* ---- Inputs ---- */

static uint64_t random_state;

void random_seed(uint64_t seed)
{
    random_state = seed;
}

uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

hg_value text_value(hg_arena *arena, hg_slice text)
{
    hg_value v;
    if (hg_set_string(&v, text, hg_arena_allocator(arena)) != HG_OK)
        abort();
    return v;
}

hg_value *put(hg_arena *arena, hg_value *map, hg_slice key)
{
    return must(hg_map_append(map, key, hg_arena_allocator(arena)));
}

void put_text(hg_arena *arena, hg_value *map, const char *key, hg_slice text)
{
    *put(arena, map, hg_slice_from(key)) = text_value(arena, text);
}

hg_value new_map(hg_arena *arena)
{
    hg_value v;
    hg_set_map(&v, 0, hg_arena_allocator(arena));
    return v;
}

hg_value new_array(hg_arena *arena)
{
    hg_value v;
    hg_set_array(&v, 0, hg_arena_allocator(arena));
    return v;
}

hg_slice random_text(hg_arena *arena, const char *const *pieces, size_t count, uint32_t most)
{
    char *text = must(hg_arena_alloc(arena, most * 32 + 1, 1));
    size_t len = 0;
    for (uint32_t n = random_below(most + 1); n > 0; n--) {
        if (random_below(60) == 0) {
            text[len++] = (char)random_below(256);
            continue;
        }
        const char *piece = pieces[random_below((uint32_t)count)];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return hg_slice_of(text, len);
}

hg_slice random_part(hg_slice s)
{
    if (s.len == 0)
        return s;
    size_t begin = random_below(3) ? random_below((uint32_t)s.len) : 0;
    size_t len = random_below(3) ? 1 + random_below((uint32_t)(s.len - begin)) : s.len - begin;
    return hg_slice_of(s.ptr + begin, len);
}

int peer_main(int argc, char **argv, const char *rules, void (*one)(peer *p, hg_arena *arena))
{
    long seconds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            random_seed(strtoull(argv[i + 1], NULL, 10));
    }
    peer *p = peer_open(rules);
    if (p == NULL)
        return peer_is_missing() ? 77 : 1;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    for (time_t end = time(NULL) + seconds; time(NULL) < end;)
        for (int i = 0; i < 200; i++) {
            hg_arena_reset(&arena);
            one(p, &arena);
        }
    hg_arena_close(&arena);
    peer_counts n = peer_counted(p);
    printf("%zu judged, %zu with events, %zu with attributes, %zu different\n", n.judged, n.matched, n.with_attributes,
           n.different);
    peer_close(p);
    return n.different > 0;
}
