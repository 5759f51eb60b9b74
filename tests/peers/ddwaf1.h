/* The official libddwaf 1.x, loaded at run time: the oracle and the rival of tests and benchmarks. Its C ABI of 1.30
 * is declared here once. tools/peers puts the library where ddwaf1_open() looks for it. */
#ifndef PEERS_DDWAF1_H
#define PEERS_DDWAF1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ddwaf1_type {
    DDWAF1_INVALID = 0,
    DDWAF1_SIGNED = 1,
    DDWAF1_UNSIGNED = 2,
    DDWAF1_STRING = 4,
    DDWAF1_ARRAY = 8,
    DDWAF1_MAP = 16,
    DDWAF1_BOOL = 32,
    DDWAF1_FLOAT = 64,
    DDWAF1_NULL = 128
} ddwaf1_type;

typedef struct ddwaf1_object {
    const char *name; /* key, inside a map */
    uint64_t name_len;
    union {
        const char *string; /* not always terminated */
        uint64_t u64;
        int64_t i64;
        struct ddwaf1_object *items; /* of arrays and maps */
        bool boolean;
        double f64;
    };
    uint64_t size; /* bytes or entries */
    ddwaf1_type type;
} ddwaf1_object;

_Static_assert(sizeof(ddwaf1_object) == 40, "libddwaf 1.x layout");

typedef struct ddwaf1_config {
    uint32_t max_container_size; /* 0 = 256 */
    uint32_t max_container_depth; /* 0 = 20 */
    uint32_t max_string_length;  /* 0 = 4096 */
    const char *key_regex;       /* NULL = nothing is obfuscated */
    const char *value_regex;
    void (*free_fn)(ddwaf1_object *object); /* NULL = input is never freed */
} ddwaf1_config;

_Static_assert(sizeof(ddwaf1_config) == 40, "libddwaf 1.x layout");

enum { DDWAF1_ERR_INTERNAL = -3, DDWAF1_ERR_OBJECT = -2, DDWAF1_ERR_ARGUMENT = -1, DDWAF1_OK = 0, DDWAF1_MATCH = 1 };

typedef struct ddwaf1_handle ddwaf1_handle;
typedef struct ddwaf1_context ddwaf1_context;
typedef struct ddwaf1_builder ddwaf1_builder;

typedef struct ddwaf1 {
    const char *(*version)(void);
    bool (*object_from_json)(ddwaf1_object *out, const char *json, uint32_t len);
    void (*object_free)(ddwaf1_object *object);

    ddwaf1_handle *(*init)(const ddwaf1_object *ruleset, const ddwaf1_config *config, ddwaf1_object *diagnostics);
    void (*destroy)(ddwaf1_handle *handle);
    const char *const *(*known_addresses)(ddwaf1_handle *handle, uint32_t *size);
    const char *const *(*known_actions)(ddwaf1_handle *handle, uint32_t *size);

    ddwaf1_builder *(*builder_init)(const ddwaf1_config *config);
    bool (*builder_add)(ddwaf1_builder *builder, const char *path, uint32_t path_len, const ddwaf1_object *config,
                        ddwaf1_object *diagnostics);
    bool (*builder_remove)(ddwaf1_builder *builder, const char *path, uint32_t path_len);
    ddwaf1_handle *(*builder_build)(ddwaf1_builder *builder);
    uint32_t (*builder_paths)(ddwaf1_builder *builder, ddwaf1_object *paths, const char *filter, uint32_t filter_len);
    void (*builder_destroy)(ddwaf1_builder *builder);

    ddwaf1_context *(*context_init)(ddwaf1_handle *handle);
    int (*run)(ddwaf1_context *context, ddwaf1_object *persistent, ddwaf1_object *ephemeral, ddwaf1_object *result,
               uint64_t timeout_us);
    void (*context_destroy)(ddwaf1_context *context);
} ddwaf1;

/* The functions of the library that HOTGATE_DDWAF1 names, else of the one that tools/peers has put under
 * $HOTGATE_BUILD (default: build) or $HOTGATE_SOURCE/build; NULL when there is none. The library stays loaded. Not thread-safe. */
const ddwaf1 *ddwaf1_open(void);

/* Fills *lib with the functions of the library at path. False when it cannot be loaded. */
bool ddwaf1_open_file(const char *path, ddwaf1 *lib);

/* A handle for a ruleset in JSON; NULL when it is refused. config may be NULL: default limits, no obfuscation,
 * input freed with object_free. */
ddwaf1_handle *ddwaf1_load(const ddwaf1 *lib, const char *json, size_t len, const ddwaf1_config *config);

/* First entry of that name in a map, or NULL. */
const ddwaf1_object *ddwaf1_find(const ddwaf1_object *map, const char *name);

#endif
