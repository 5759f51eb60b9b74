#include "helper/remote.h"

#include "helper/remote_features.h"
#include "helper/remote_memory.h"

#include "base/log.h"

#include <stdlib.h>

enum { FILES_MAX = 1024 };

typedef enum product { PRODUCT_OTHER, PRODUCT_FEATURES, PRODUCT_RULES, PRODUCT_CONFIG } product;

typedef struct config {
    char *name; /* shared-memory object; a changed file has a new one */
    char *path; /* remote-config path */
    product product;
    bool seen;
    bool loaded;    /* it is in the builder */
    uint64_t order; /* of loading */
    remote_features features;
    /* of ASM_DD */
    char *version, *errors;
    size_t rules_loaded, rules_failed;
} config;

struct remote {
    char *directory;
    unsigned owner;
    uint64_t generation, order;
    config *configs;
    size_t count;
    remote_features features;
    bool complained;
};

remote *remote_new(hg_slice path, unsigned owner)
{
    remote *r = calloc(1, sizeof *r);
    if (r == NULL || (r->directory = strndup(path.ptr, path.len)) == NULL) {
        free(r);
        return NULL;
    }
    r->owner = owner;
    r->generation = UINT64_MAX;
    return r;
}

static void forget_rules(config *c)
{
    free(c->version);
    free(c->errors);
    c->version = c->errors = NULL;
    c->loaded = false;
}

static void config_free(config *c)
{
    forget_rules(c);
    free(c->name);
    free(c->path);
}

void remote_free(remote *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->count; i++)
        config_free(&r->configs[i]);
    free(r->configs);
    free(r->directory);
    free(r);
}

/* ---- One file ---- */

/* "datadog/<org>/<PRODUCT>/<id>/<name>" or "employee/<PRODUCT>/<id>/<name>" */
static hg_slice product_name(const char *path)
{
    const char *at = strncmp(path, "datadog/", 8) == 0 ? strchr(path + 8, '/') :
                     strncmp(path, "employee/", 9) == 0 ? path + 8 : NULL;
    return at ? hg_slice_of(at + 1, strcspn(at + 1, "/")) : HG_SLICE("");
}

static product product_of(const char *path)
{
    hg_slice name = product_name(path);
    if (hg_slice_equal(name, HG_SLICE("ASM_FEATURES")))
        return PRODUCT_FEATURES;
    if (hg_slice_equal(name, HG_SLICE("ASM_DD")))
        return PRODUCT_RULES;
    if (hg_slice_equal(name, HG_SLICE("ASM")) || hg_slice_equal(name, HG_SLICE("ASM_DATA")))
        return PRODUCT_CONFIG;
    return PRODUCT_OTHER;
}

static void complain(const config *c, const char *what)
{
    hg_slice name = product_name(c->path);
    char lower[32];
    size_t size = name.len < sizeof lower - 1 ? name.len : sizeof lower - 1;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? name.ptr[i] + 32 : name.ptr[i]);
    lower[size] = '\0';
    HG_LOG(HG_LOG_WARN, "rc::%s::exception: %s: %s", lower, c->path, what);
}

static size_t size_at(const hg_value *map, hg_slice key)
{
    const hg_value *v = hg_map_find(map, key);
    return v ? hg_value_size(v) : 0;
}

static void note_rules(config *c, const hg_value *diagnostics)
{
    const hg_value *version = hg_map_find(diagnostics, HG_SLICE("ruleset_version"));
    const hg_value *rules = hg_map_find(diagnostics, HG_SLICE("rules"));
    hg_slice text = version ? hg_value_string(version) : HG_SLICE("");
    c->version = strndup(text.len ? text.ptr : "", text.len);
    c->rules_loaded = rules ? size_at(rules, HG_SLICE("loaded")) : 0;
    c->rules_failed = rules ? size_at(rules, HG_SLICE("failed")) : 0;
    const hg_value *errors = rules ? hg_map_find(rules, HG_SLICE("errors")) : NULL;
    hg_buffer json = {0};
    if (errors != NULL)
        hg_json_write(errors, 0, &json);
    c->errors = json.len > 0 && !json.failed ? strndup(json.ptr, json.len) : strdup("{}");
    hg_buffer_free(&json);
}

static bool load_configuration(remote *r, config *c, const hg_value *tree, const remote_target *to, hg_arena *arena)
{
    hg_value diagnostics;
    hg_set_null(&diagnostics);
    if (c->product == PRODUCT_RULES)
        to->replace_initial(to->state);
    forget_rules(c);
    hg_status status = hg_builder_set(to->builder, hg_slice_from(c->path), tree, &diagnostics, hg_arena_allocator(arena));
    if (hg_is_map(&diagnostics))
        to->loaded(to->state, &diagnostics);
    if (status != HG_OK) {
        complain(c, "nothing of it could be loaded");
        hg_builder_remove(to->builder, hg_slice_from(c->path)); /* an empty one must not stay */
        return false;
    }
    c->loaded = true;
    c->order = ++r->order;
    if (c->product == PRODUCT_RULES)
        note_rules(c, &diagnostics);
    return true;
}

/* What a new or changed file does: a mask as of remote_update. */
static int take_content(remote *r, config *c, const remote_target *to)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_slice text;
    hg_value tree;
    hg_json_options options = {.dialect = HG_JSON_DDWAF};
    int changed = 0;
    if (remote_object_read(c->name, r->owner, &arena, &text) != HG_OK) {
        complain(c, "its object cannot be read");
    } else if (hg_json_read(text, &options, &tree, hg_arena_allocator(&arena), NULL) != HG_OK) {
        complain(c, "it is no JSON");
    } else if (c->product == PRODUCT_FEATURES) {
        if (!remote_features_read(&tree, &c->features))
            complain(c, "it is not as it should be");
    } else {
        bool had = c->loaded;
        changed = load_configuration(r, c, &tree, to, &arena) || had ? REMOTE_CONFIGURATION : 0;
    }
    hg_arena_close(&arena);
    return changed;
}

/* ---- The directory ---- */

static config *find_or_add(remote *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->configs[i].path, path) == 0)
            return &r->configs[i];
    config *grown = r->count < FILES_MAX ? realloc(r->configs, (r->count + 1) * sizeof *grown) : NULL;
    if (grown == NULL)
        return NULL;
    r->configs = grown;
    config *c = &grown[r->count];
    *c = (config){.path = strdup(path), .product = product_of(path)};
    if (c->path == NULL)
        return NULL;
    r->count++;
    return c;
}

static void note_file(remote *r, hg_slice line, void *changed_names)
{
    char name[REMOTE_NAME_SIZE], path[REMOTE_PATH_SIZE];
    bool *changed = changed_names;
    config *c = remote_line_read(line, name, path) ? find_or_add(r, path) : NULL;
    if (c == NULL)
        return;
    c->seen = true;
    if (c->name != NULL && strcmp(c->name, name) == 0)
        return;
    free(c->name);
    c->name = strdup(name);
    changed[c - r->configs] = c->name != NULL && c->product != PRODUCT_OTHER;
}

static int drop_vanished(remote *r, bool *changed, const remote_target *to)
{
    int mask = 0;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        config *c = &r->configs[i];
        if (c->seen) {
            changed[kept] = changed[i];
            r->configs[kept++] = *c;
            continue;
        }
        if (c->loaded) {
            hg_builder_remove(to->builder, hg_slice_from(c->path));
            mask = REMOTE_CONFIGURATION;
        }
        config_free(c);
    }
    r->count = kept;
    return mask;
}

/* Files in the order of their paths: later ones win. */
static int by_path(const void *a, const void *b)
{
    return strcmp((*(const config *const *)a)->path, (*(const config *const *)b)->path);
}

static int merge_features(remote *r)
{
    const config *sorted[FILES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->configs[i].product == PRODUCT_FEATURES)
            sorted[count++] = &r->configs[i];
    qsort(sorted, count, sizeof *sorted, by_path);
    remote_features before = r->features;
    r->features = (remote_features){.mode = NULL};
    for (size_t i = 0; i < count; i++)
        remote_features_merge(&r->features, &sorted[i]->features);
    return before.enabled != r->features.enabled || before.mode != r->features.mode ? REMOTE_FEATURES : 0;
}

static int apply_directory(remote *r, hg_slice text, const remote_target *to)
{
    bool changed[FILES_MAX] = {false};
    for (size_t i = 0; i < r->count; i++)
        r->configs[i].seen = false;
    for (bool first = true; text.len > 0; first = false) { /* the first line is a runtime id */
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t size = end ? (size_t)(end - text.ptr) : text.len;
        if (!first)
            note_file(r, hg_slice_of(text.ptr, size), changed);
        text = hg_slice_skip(text, end ? size + 1 : size);
    }
    int mask = drop_vanished(r, changed, to);
    for (size_t i = 0; i < r->count; i++)
        if (changed[i])
            mask |= take_content(r, &r->configs[i], to);
    return mask | merge_features(r);
}

int remote_update(remote *r, const remote_target *target)
{
    hg_buffer text = {0};
    remote_state state = remote_directory_read(r->directory, r->owner, &r->generation, &text);
    if (state == REMOTE_NEW && text.len > 0 && memchr(text.ptr, '\n', text.len) == NULL)
        state = REMOTE_BROKEN;
    if (state == REMOTE_BROKEN && !r->complained)
        HG_LOG(HG_LOG_WARN, "rc::client::exception: %s cannot be read", r->directory);
    r->complained = state == REMOTE_BROKEN;
    int mask = state == REMOTE_NEW ? apply_directory(r, hg_slice_of(text.ptr, text.len), target) :
               state == REMOTE_BROKEN ? -1 : 0;
    hg_buffer_free(&text);
    return mask;
}

bool remote_enables(const remote *r)
{
    return r != NULL && r->features.enabled;
}

const char *remote_user_mode(const remote *r)
{
    return r != NULL && r->features.mode != NULL ? r->features.mode : "undefined";
}

bool remote_rules_of(const remote *r, remote_rules *out)
{
    const config *last = NULL;
    *out = (remote_rules){.loaded = 0};
    for (size_t i = 0; r != NULL && i < r->count; i++) {
        const config *c = &r->configs[i];
        if (c->product != PRODUCT_RULES || !c->loaded)
            continue;
        out->loaded += c->rules_loaded;
        out->failed += c->rules_failed;
        last = last == NULL || c->order > last->order ? c : last;
    }
    if (last == NULL)
        return false;
    out->version = hg_slice_from(last->version ? last->version : "");
    out->errors = hg_slice_from(last->errors ? last->errors : "{}");
    return true;
}
