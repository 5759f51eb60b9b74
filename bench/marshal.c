/* Marshalling: encode and release of the known objects, carriers, transcoding. Prints one JSON object a measurement.
 *   marshal [--seconds N] [--only METHOD] [--once METHOD PARAMS]
 * --once runs one operation after a warm-up, for callgrind: valgrind --tool=callgrind --toggle-collect=bench_once ... */
#include "json_lines.h"
#include "marshal_corpus.h"

#include "base/utf.h"
#include "hotgate/body.h"
#include "hotgate/memory.h"
#include "hotgate/msgpack.h"

#include <dlfcn.h>

typedef struct work {
    const char *class, *method, *params, *toolchain;
    void (*run)(struct work *w);
    uint64_t input_bytes;
    nested object;
    hg_slice text;
    const uint16_t *units;
    size_t count;
    char *out;
    void *library_calls;
} work;

/* ---- our side ---- */

static void run_encode(work *w)
{
    hg_arena arena;
    hg_report report;
    hg_value v;
    hg_report_init(&report);
    hg_arena_init(&arena, NULL);
    hg_encode_source(&w->object.root, NULL, &v, hg_arena_allocator(&arena), &report);
    hg_arena_close(&arena);
}

static void run_json(work *w)
{
    hg_arena arena;
    hg_value v;
    hg_arena_init(&arena, NULL);
    hg_json_options options = {.dialect = HG_JSON_STRICT, .borrow = true};
    if (hg_json_read(w->text, &options, &v, hg_arena_allocator(&arena), NULL) != HG_OK)
        abort();
    hg_arena_close(&arena);
}

static void run_json_body(work *w)
{
    hg_arena arena;
    hg_body body;
    hg_arena_init(&arena, NULL);
    hg_body_options options = {.flags = HG_BODY_BORROW};
    hg_body_decode(HG_SLICE("application/json"), w->text, &options, &body, hg_arena_allocator(&arena));
    hg_arena_close(&arena);
}

static void run_msgpack(work *w)
{
    hg_arena arena;
    hg_value v;
    hg_arena_init(&arena, NULL);
    hg_msgpack_options options = {.borrow = true};
    if (hg_msgpack_read(w->text, &options, &v, NULL, hg_arena_allocator(&arena)) != HG_OK)
        abort();
    hg_arena_close(&arena);
}

static void run_form(work *w)
{
    hg_arena arena;
    hg_value v;
    hg_arena_init(&arena, NULL);
    hg_form_read(w->text, NULL, &v, hg_arena_allocator(&arena));
    hg_arena_close(&arena);
}

static void run_multipart(work *w)
{
    hg_arena arena;
    hg_body body;
    hg_arena_init(&arena, NULL);
    hg_body_decode(HG_SLICE(CORPUS_MULTIPART_TYPE), w->text, NULL, &body, hg_arena_allocator(&arena));
    hg_arena_close(&arena);
}

static void run_utf16(work *w)
{
    hg_transcoded t = hg_utf16_to_utf8(w->units, w->count, w->out, 3 * w->count, HG_TEXT_REPLACE);
    if (t.read != w->count)
        abort();
}

static void run_utf8_check(work *w)
{
    if (!hg_utf8_valid(w->text))
        abort();
}

/* ---- jansson, by dlopen ---- */

static void *(*jansson_load)(const char *text, size_t len, size_t flags, void *error);
static void (*jansson_delete)(void *json);

static bool jansson_open(void)
{
    void *library = dlopen("libjansson.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    *(void **)&jansson_load = dlsym(library, "json_loadb");
    *(void **)&jansson_delete = dlsym(library, "json_delete");
    return jansson_load != NULL && jansson_delete != NULL;
}

static void run_jansson(work *w)
{
    void *v = jansson_load(w->text.ptr, w->text.len, 0, NULL);
    if (v == NULL)
        abort();
    jansson_delete(v);
}

/* ---- the official library's setters (its v1 ABI: 40-byte objects), by dlopen ---- */

typedef struct v1_object {
    const char *name;
    uint64_t name_len;
    union {
        void *ptr;
        uint64_t number;
        double real;
    } as;
    uint64_t count;
    int32_t type;
} v1_object;

typedef struct v1_calls {
    v1_object *(*map)(v1_object *);
    v1_object *(*array)(v1_object *);
    v1_object *(*stringl)(v1_object *, const char *, size_t);
    v1_object *(*signed_)(v1_object *, int64_t);
    v1_object *(*boolean)(v1_object *, bool);
    bool (*map_add)(v1_object *, const char *, size_t, v1_object *);
    bool (*array_add)(v1_object *, v1_object *);
    void (*free)(v1_object *);
} v1_calls;

static bool v1_open(const char *path, v1_calls *c)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    *(void **)&c->map = dlsym(library, "ddwaf_object_map");
    *(void **)&c->array = dlsym(library, "ddwaf_object_array");
    *(void **)&c->stringl = dlsym(library, "ddwaf_object_stringl");
    *(void **)&c->signed_ = dlsym(library, "ddwaf_object_signed");
    *(void **)&c->boolean = dlsym(library, "ddwaf_object_bool");
    *(void **)&c->map_add = dlsym(library, "ddwaf_object_map_addl");
    *(void **)&c->array_add = dlsym(library, "ddwaf_object_array_add");
    *(void **)&c->free = dlsym(library, "ddwaf_object_free");
    return c->map && c->array && c->stringl && c->signed_ && c->boolean && c->map_add && c->array_add && c->free;
}

/* UTF-16 source text, as a runtime hands it over: transcoded to a buffer, then copied by the setter. */
static size_t v1_text(const hg_source *s, char *buffer, size_t room)
{
    return hg_utf16_to_utf8(s->as.units, s->count, buffer, room, HG_TEXT_REPLACE).written;
}

enum { V1_DEPTH = 20, V1_ENTRIES = 256, V1_TEXT = 4096 };

static void v1_build(const v1_calls *c, const hg_source *s, v1_object *out, int depth)
{
    char text[V1_TEXT];
    size_t n = s->count < V1_ENTRIES ? s->count : V1_ENTRIES;
    v1_object child;
    switch (s->kind) {
    case HG_SOURCE_MAP:
        c->map(out);
        for (size_t i = 0; depth < V1_DEPTH && i < n; i++) {
            v1_build(c, &s->as.pairs[i].val, &child, depth + 1);
            size_t len = v1_text(&s->as.pairs[i].key, text, sizeof text);
            c->map_add(out, text, len, &child);
        }
        return;
    case HG_SOURCE_ARRAY:
        c->array(out);
        for (size_t i = 0; depth < V1_DEPTH && i < n; i++) {
            v1_build(c, &s->as.items[i], &child, depth + 1);
            c->array_add(out, &child);
        }
        return;
    case HG_SOURCE_BOOL:
        c->boolean(out, s->as.boolean);
        return;
    case HG_SOURCE_SIGNED:
        c->signed_(out, s->as.integer);
        return;
    default:
        c->stringl(out, text, v1_text(s, text, sizeof text));
    }
}

static void run_setters(work *w)
{
    v1_object root;
    v1_build(w->library_calls, &w->object.root, &root, 0);
    ((v1_calls *)w->library_calls)->free(&root);
}

/* ---- inputs ---- */

/* An API response: records with ids, names, prices, flags, nested addresses, tags. */
static hg_slice api_response(size_t bytes)
{
    hg_buffer b = {0};
    hg_buffer_append(&b, HG_SLICE("{\"page\":1,\"items\":["));
    for (unsigned i = 0; b.len < bytes; i++) {
        hg_buffer_printf(&b,
                         "%s{\"id\":%u,\"uuid\":\"%08x-0c4e-4b3f-9d5a-%012x\",\"name\":\"Product number %u\","
                         "\"description\":\"A reasonably long description of product %u, with words, numbers and "
                         "punctuation; nothing special.\",\"price\":%u.%02u,\"available\":%s,\"tags\":[\"alpha\",\"beta\","
                         "\"gamma%u\"],\"maker\":{\"city\":\"M\xC3\xBCnchen\",\"zip\":\"%05u\",\"geo\":[%u.5,%u.25]}}",
                         i ? "," : "", i, i * 2654435761u, i, i, i, i % 900, i % 100, i % 3 ? "true" : "false", i % 10,
                         i % 100000, i % 90, i % 180);
    }
    hg_buffer_append(&b, HG_SLICE("]}"));
    return hg_slice_of(b.ptr, b.len);
}

static hg_slice as_msgpack(hg_slice json)
{
    hg_value v;
    hg_buffer b = {0};
    if (hg_json_read(json, NULL, &v, hg_heap(), NULL) != HG_OK)
        abort();
    hg_msgpack_write(&v, &b);
    hg_value_free(&v, hg_heap());
    return hg_slice_of(b.ptr, b.len);
}

static hg_slice form_text(void)
{
    hg_buffer b = {0};
    for (int i = 0; i < 60; i++)
        hg_buffer_printf(&b, "field_%d=value+number+%d%%21&", i, i);
    return hg_slice_of(b.ptr, b.len);
}

typedef struct script {
    const char *name;
    uint16_t units[8];
    size_t period;
} script;

static const script scripts[] = {
    {"ascii", {'h', 'e', 'l', 'l', 'o', ' ', '1', '2'}, 8},
    {"latin", {'d', 0xE9, 'j', 0xE0, ' ', 'v', 'u', 's'}, 8},
    {"cyrillic", {0x041F, 0x0440, 0x0438, 0x0432, 0x0435, 0x0442, 0x043C, 0x0438}, 8},
    {"chinese", {0x4E2D, 0x6587, 0x5B57, 0x7B26, 0x6D4B, 0x8BD5, 0x6570, 0x636E}, 8},
    {"emoji", {0xD83D, 0xDE00, 0xD83D, 0xDE01, 0xD83D, 0xDE02, 0xD83D, 0xDE03}, 8},
};

static const uint16_t *script_units(const script *s, size_t n)
{
    uint16_t *units = malloc(2 * n);
    for (size_t i = 0; i < n; i++)
        units[i] = s->units[i % s->period];
    return units;
}

/* ---- the list of measurements ---- */

enum { MOST = 80 };
static work works[MOST];
static size_t work_count;

static work *add(const char *class, const char *method, const char *params, void (*run)(work *))
{
    work *w = &works[work_count++];
    *w = (work){.class = class, .method = method, .params = params, .toolchain = "hotgate", .run = run};
    return w;
}

static void add_nested(v1_calls *v1)
{
    static const size_t depths[] = {10, 100, 1000};
    static const char *const names[] = {"10", "100", "1000"};
    for (size_t i = 0; i < 3; i++) {
        add("NestedMap", "encode-utf16", names[i], run_encode)->object = nested_map(depths[i], false, false, false);
        if (v1 != NULL) {
            work *w = add("NestedMap", "encode-utf16", names[i], run_setters);
            w->object = works[work_count - 2].object;
            w->toolchain = "libddwaf-setters";
            w->library_calls = v1;
        }
        add("NestedMap", "encode-utf8", names[i], run_encode)->object = nested_map(depths[i], false, false, true);
    }
    add("EncodeArgs", "encode-utf16", "20", run_encode)->object = nested_map(20, false, true, false);
    add("ComplexBody", "encode-struct", "-", run_encode)->object = nested_complex_body(false);
}

static void add_text(const char *class, const char *method, const char *params, void (*run)(work *), hg_slice text)
{
    work *w = add(class, method, params, run);
    w->text = text;
    w->input_bytes = text.len;
}

static void add_carriers(void)
{
    hg_slice large = api_response(1 << 20), small = api_response(4096), middle = api_response(65536);
    add_text("Json", "read", "1MB", run_json, large);
    if (jansson_open()) {
        add_text("Json", "read", "1MB", run_jansson, large);
        works[work_count - 1].toolchain = "jansson";
    }
    add_text("Json", "read", "64KB", run_json, middle);
    add_text("Json", "read", "4KB", run_json, small);
    add_text("Json", "body-limited", "1MB", run_json_body, large);
    static char msgpack_name[32];
    hg_slice pack = as_msgpack(large);
    snprintf(msgpack_name, sizeof msgpack_name, "%zu bytes", pack.len);
    add_text("MessagePack", "read", msgpack_name, run_msgpack, pack);
    add_text("Form", "read", "60 fields", run_form, form_text());
    add_text("Utf8", "check", "1MB json", run_utf8_check, large);
}

static void add_scripts(void)
{
    static const size_t lengths[] = {16, 64, 256, 4096};
    static char names[20][32];
    for (size_t s = 0; s < 5; s++) {
        for (size_t l = 0; l < 4; l++) {
            char *name = names[4 * s + l];
            snprintf(name, 32, "%s %zu", scripts[s].name, lengths[l]);
            work *w = add("Utf16", "to-utf8", name, run_utf16);
            w->units = script_units(&scripts[s], lengths[l]);
            w->count = lengths[l];
            w->out = malloc(3 * lengths[l]);
            w->input_bytes = 2 * lengths[l];
        }
    }
}

static void add_corpus(void)
{
    static char names[5][32];
    add("Corpus", "encode-utf16", "request", run_encode)->object = corpus_request();
    add("Corpus", "encode-utf16", "256 pairs", run_encode)->object = corpus_wide(true);
    add("Corpus", "encode-utf16", "256 elements", run_encode)->object = corpus_wide(false);
    for (size_t s = 0; s < 5; s++) {
        snprintf(names[s], sizeof names[s], "%s text", scripts[s].name);
        add("Corpus", "encode-utf16", names[s], run_encode)->object = corpus_long_text(script_units(&scripts[s], 4096), 4096);
    }
    add_text("Corpus", "read", "multipart, 3 parts", run_multipart,
             hg_slice_of(corpus_multipart, sizeof corpus_multipart - 1));
}

/* ---- measuring ---- */

__attribute__((noinline)) void bench_once(work *w);
void bench_once(work *w)
{
    w->run(w);
}

enum { ITERATIONS = 31 };

static uint64_t ops_for(work *w, uint64_t wanted_ns)
{
    uint64_t ops = 1;
    for (;;) {
        uint64_t start = hg_clock_monotonic_ns();
        for (uint64_t i = 0; i < ops; i++)
            w->run(w);
        uint64_t ns = hg_clock_monotonic_ns() - start;
        if (ns > wanted_ns / 4 || ops > (1u << 24))
            return ns > 0 ? ops * wanted_ns / ns + 1 : ops;
        ops *= 2;
    }
}

/* All works of the list take turns, so that noise hits both sides of a ratio. */
static void measure(double seconds, const char *only)
{
    static uint64_t ops[MOST];
    size_t chosen = 0;
    for (size_t i = 0; i < work_count; i++)
        chosen += only == NULL || strcmp(works[i].class, only) == 0;
    uint64_t slice = (uint64_t)(seconds * 1e9 / ITERATIONS / (double)(chosen ? chosen : 1));
    for (size_t i = 0; i < work_count; i++)
        ops[i] = ops_for(&works[i], slice);
    for (int round = 0; round < ITERATIONS; round++) {
        for (size_t i = 0; i < work_count; i++) {
            work *w = &works[i];
            if (only != NULL && strcmp(w->class, only) != 0)
                continue;
            uint64_t misses = hg_pool_statistics().misses, start = hg_clock_monotonic_ns();
            for (uint64_t k = 0; k < ops[i]; k++)
                w->run(w);
            uint64_t ns = hg_clock_monotonic_ns() - start;
            bench_print(&(bench_line){.suite = "marshal", .class = w->class, .method = w->method, .params = w->params,
                                      .toolchain = w->toolchain, .launch = 0, .iteration = round, .ops = ops[i],
                                      .ns = ns, .bytes = hg_pool_statistics().misses - misses});
        }
    }
}

static int run_one(const char *method, const char *params)
{
    for (size_t i = 0; i < work_count; i++) {
        if (strcmp(works[i].method, method) != 0 || strcmp(works[i].params, params) != 0)
            continue;
        for (int k = 0; k < 100; k++)
            works[i].run(&works[i]);
        bench_once(&works[i]);
        return 0;
    }
    fprintf(stderr, "no such measurement\n");
    return 2;
}

int main(int argc, char **argv)
{
    double seconds = 10;
    const char *only = NULL, *once = NULL, *once_params = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--once") == 0 && i + 2 < argc)
            once = argv[i + 1], once_params = argv[i + 2], i++;
        else
            return fprintf(stderr, "usage: marshal [--seconds N] [--only CLASS] [--once METHOD PARAMS]\n"), 2;
    }
    static v1_calls v1;
    hg_pool_retain(HG_POOL_RETENTION_MAX); /* the 1 MB documents should measure reading, not page faults */
    const char *official = getenv("DDWAF_LIBRARY");
    add_nested(official != NULL && v1_open(official, &v1) ? &v1 : NULL);
    add_carriers();
    add_scripts();
    add_corpus();
    if (once != NULL)
        return run_one(once, once_params);
    measure(seconds, only);
    return 0;
}
