#include "helper/remote.h"

#include "base/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 1024, NAME_MAX_BYTES = 256, FILE_BYTES_MAX = 64 << 20, TRIES_MAX = 100 };

typedef enum product { PRODUCT_OTHER, PRODUCT_FEATURES, PRODUCT_RULES, PRODUCT_CONFIG } product;

typedef struct config {
    char *name; /* shared-memory object; a changed file has a new one */
    char *path; /* remote-config path */
    product product;
    bool seen;
    bool has_enabled, enabled;
    char mode[24]; /* "" undefined */
} config;

struct remote {
    char *directory;
    uint64_t generation;
    config *configs;
    size_t count;
    char *version;
    bool enabled;
    char mode[24];
};

remote *remote_new(hg_slice path)
{
    remote *r = calloc(1, sizeof *r);
    if (r == NULL || (r->directory = strndup(path.ptr, path.len)) == NULL) {
        free(r);
        return NULL;
    }
    r->generation = UINT64_MAX;
    strcpy(r->mode, "undefined");
    return r;
}

static void config_free(config *c)
{
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
    free(r->version);
    free(r);
}

/* The text of the directory under the writer's sequence lock. 1: *text (malloc'ed) is new; 0: nothing new; -1: broken. */
static int read_directory(remote *r, char **text, size_t *length)
{
    int fd = shm_open(r->directory, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    struct stat st;
    const char *base = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size >= 16)
        base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (base == MAP_FAILED)
        return -1;
    const atomic_uint_fast64_t *word = (const atomic_uint_fast64_t *)base;
    int result = -1;
    for (int i = 0; i < TRIES_MAX && result < 0; i++) {
        uint64_t before = atomic_load_explicit(word, memory_order_acquire), size;
        if (before == r->generation) {
            result = 0;
            break;
        }
        memcpy(&size, base + 8, sizeof size);
        if (before % 2 != 0 || size > (uint64_t)st.st_size - 16) {
            usleep(1000);
            continue;
        }
        *text = malloc(size + 1);
        if (*text == NULL)
            break;
        memcpy(*text, base + 16, size);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(word, memory_order_relaxed) == before) {
            *length = size > 0 ? size - 1 : 0; /* the writer ends it with a NUL */
            (*text)[*length] = '\0';
            r->generation = before;
            result = 1;
        } else {
            free(*text);
        }
    }
    munmap((void *)base, (size_t)st.st_size);
    return result;
}

/* The object's content in the arena; only objects of our own user count. */
static hg_status read_object(const char *name, hg_arena *arena, hg_slice *out)
{
    int fd = shm_open(name, O_RDONLY | O_CLOEXEC, 0);
    struct stat st;
    if (fd < 0)
        return HG_ERR_IO;
    hg_status status = HG_ERR_IO;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && st.st_size > 0 && st.st_size <= FILE_BYTES_MAX) {
        char *bytes = hg_arena_alloc(arena, (size_t)st.st_size, 1);
        if (bytes != NULL && pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size) {
            size_t size = (size_t)st.st_size;
            while (size > 0 && bytes[size - 1] == '\0') /* pages are padded */
                size--;
            *out = hg_slice_of(bytes, size);
            status = HG_OK;
        }
    }
    close(fd);
    return status;
}

/* "datadog/<org>/<PRODUCT>/<id>/<name>" or "employee/<PRODUCT>/<id>/<name>" */
static product product_of(const char *path)
{
    const char *at = strncmp(path, "datadog/", 8) == 0 ? strchr(path + 8, '/') :
                     strncmp(path, "employee/", 9) == 0 ? path + 8 : NULL;
    if (at == NULL)
        return PRODUCT_OTHER;
    size_t length = strcspn(++at, "/");
    hg_slice name = hg_slice_of(at, length);
    if (hg_slice_equal(name, HG_SLICE("ASM_FEATURES")))
        return PRODUCT_FEATURES;
    if (hg_slice_equal(name, HG_SLICE("ASM_DD")))
        return PRODUCT_RULES;
    if (hg_slice_equal(name, HG_SLICE("ASM")) || hg_slice_equal(name, HG_SLICE("ASM_DATA")))
        return PRODUCT_CONFIG;
    return PRODUCT_OTHER;
}

/* "<object>:<index>:<base64url of the path>" */
static bool parse_line(hg_slice line, char name[NAME_MAX_BYTES], char path[NAME_MAX_BYTES * 4])
{
    const char *first = line.len ? memchr(line.ptr, ':', line.len) : NULL;
    const char *second = first ? memchr(first + 1, ':', (size_t)(line.ptr + line.len - first - 1)) : NULL;
    if (second == NULL || (size_t)(first - line.ptr) >= NAME_MAX_BYTES)
        return false;
    snprintf(name, NAME_MAX_BYTES, "%.*s", (int)(first - line.ptr), line.ptr);
    hg_slice code = hg_slice_of(second + 1, (size_t)(line.ptr + line.len - second - 1));
    if (code.len / 4 * 3 + 3 > NAME_MAX_BYTES * 4)
        return false;
    ptrdiff_t size = hg_b64_decode(code, HG_BASE64_URL, path);
    if (size <= 0)
        return false;
    path[size] = '\0';
    return strlen(path) == (size_t)size;
}

static void read_features(config *c, const hg_value *tree)
{
    const hg_value *asm_ = hg_map_find(tree, HG_SLICE("asm"));
    const hg_value *on = asm_ ? hg_map_find(asm_, HG_SLICE("enabled")) : NULL;
    c->has_enabled = on != NULL && (on->type == HG_BOOL || hg_is_string(on));
    if (c->has_enabled) {
        hg_slice text = hg_value_string(on);
        c->enabled = on->type == HG_BOOL ? on->b8.val : text.len == 4 && strncasecmp(text.ptr, "true", 4) == 0;
    }
    const hg_value *tracking = hg_map_find(tree, HG_SLICE("auto_user_instrum"));
    const hg_value *mode = tracking ? hg_map_find(tracking, HG_SLICE("mode")) : NULL;
    hg_slice text = mode ? hg_value_string(mode) : HG_SLICE("");
    static const char *const known[] = {"identification", "anonymization", "disabled"};
    c->mode[0] = '\0';
    for (size_t i = 0; text.len > 0 && i < 3; i++)
        if (text.len == strlen(known[i]) && strncasecmp(text.ptr, known[i], text.len) == 0)
            strcpy(c->mode, known[i]);
    if (text.len > 0 && c->mode[0] == '\0')
        strcpy(c->mode, "unknown");
}

static bool apply(remote *r, config *c, hg_builder *builder)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_slice text;
    hg_value tree, diagnostics;
    hg_json_options options = {.dialect = HG_JSON_DDWAF};
    const hg_allocator *a = hg_arena_allocator(&arena);
    bool ok = read_object(c->name, &arena, &text) == HG_OK && hg_json_read(text, &options, &tree, a, NULL) == HG_OK;
    if (ok && c->product == PRODUCT_FEATURES) {
        read_features(c, &tree);
    } else if (ok) {
        hg_set_null(&diagnostics);
        ok = hg_builder_set(builder, hg_slice_from(c->path), &tree, &diagnostics, a) == HG_OK;
        const hg_value *version = hg_map_find(&diagnostics, HG_SLICE("ruleset_version"));
        if (ok && c->product == PRODUCT_RULES && version != NULL) {
            free(r->version);
            r->version = strndup(hg_value_string(version).ptr, hg_value_string(version).len);
        }
    }
    hg_arena_close(&arena);
    return ok;
}

static config *known(remote *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->configs[i].path, path) == 0)
            return &r->configs[i];
    return NULL;
}

static int take_file(remote *r, hg_builder *builder, const char *name, const char *path)
{
    config *c = known(r, path);
    if (c != NULL && strcmp(c->name, name) == 0) {
        c->seen = true;
        return 0;
    }
    if (c == NULL) {
        config *grown = r->count < FILES_MAX ? realloc(r->configs, (r->count + 1) * sizeof *grown) : NULL;
        if (grown == NULL)
            return 0;
        r->configs = grown;
        c = &r->configs[r->count];
        *c = (config){.path = strdup(path), .product = product_of(path)};
        if (c->path == NULL)
            return 0;
        r->count++;
    }
    free(c->name);
    c->name = strdup(name);
    c->seen = true;
    return c->name != NULL && c->product != PRODUCT_OTHER && apply(r, c, builder);
}

static int drop_vanished(remote *r, hg_builder *builder)
{
    int changed = 0;
    for (size_t i = 0; i < r->count;) {
        config *c = &r->configs[i];
        if (c->seen) {
            i++;
            continue;
        }
        if (c->product == PRODUCT_RULES || c->product == PRODUCT_CONFIG)
            hg_builder_remove(builder, hg_slice_from(c->path));
        changed |= c->product != PRODUCT_OTHER;
        config_free(c);
        memmove(c, c + 1, (--r->count - i) * sizeof *c);
    }
    return changed;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const config *)a)->path, ((const config *)b)->path);
}

/* Later files, by path, win. */
static void merge_features(remote *r)
{
    if (r->count > 0)
        qsort(r->configs, r->count, sizeof *r->configs, by_path);
    r->enabled = false;
    strcpy(r->mode, "undefined");
    for (size_t i = 0; i < r->count; i++) {
        const config *c = &r->configs[i];
        if (c->product != PRODUCT_FEATURES)
            continue;
        if (c->has_enabled)
            r->enabled = c->enabled;
        if (c->mode[0] != '\0')
            strcpy(r->mode, c->mode);
    }
}

int remote_update(remote *r, hg_builder *builder)
{
    char *text;
    size_t length;
    int fresh = r ? read_directory(r, &text, &length) : 0;
    if (fresh <= 0)
        return fresh;
    int changed = 0;
    for (size_t i = 0; i < r->count; i++)
        r->configs[i].seen = false;
    hg_slice rest = hg_slice_of(text, length);
    bool first = true, broken = length > 0 && memchr(text, '\n', length) == NULL;
    while (rest.len > 0 && !broken) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t size = end ? (size_t)(end - rest.ptr) : rest.len;
        char name[NAME_MAX_BYTES], path[NAME_MAX_BYTES * 4];
        if (!first && parse_line(hg_slice_take(rest, size), name, path))
            changed |= take_file(r, builder, name, path);
        first = false; /* the first line is a runtime id */
        rest = hg_slice_skip(rest, size + 1);
    }
    free(text);
    if (broken)
        return -1;
    changed |= drop_vanished(r, builder);
    merge_features(r);
    return changed;
}

bool remote_enables(const remote *r)
{
    return r != NULL && r->enabled;
}

const char *remote_user_mode(const remote *r)
{
    static const char *const modes[] = {"undefined", "unknown", "identification", "anonymization", "disabled"};
    for (size_t i = 0; r != NULL && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(r->mode, modes[i]) == 0)
            return modes[i]; /* static, so that a generation may keep it */
    return "undefined";
}

hg_slice remote_rules_version(const remote *r)
{
    return hg_slice_from(r && r->version ? r->version : "");
}
