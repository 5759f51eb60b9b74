/* The C interface of libddwaf 1.30, as Hotgate's libddwaf.so (ddwaf1) serves it. Names, values and layouts are those of
 * that ABI. All memory of objects comes from malloc and goes to free; strings made by the library end in a NUL byte and
 * are never NULL.
 *
 * Handles may be used by any number of threads; a context or builder by one thread at a time. Destroy functions accept
 * NULL. */
#ifndef DDWAF_H
#define DDWAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DDWAF_MAX_STRING_LENGTH 4096
#define DDWAF_MAX_CONTAINER_DEPTH 20
#define DDWAF_MAX_CONTAINER_SIZE 256
#define DDWAF_RUN_TIMEOUT 5000 /* microseconds; a suggestion */

typedef enum {
    DDWAF_OBJ_INVALID = 0,
    DDWAF_OBJ_SIGNED = 1,
    DDWAF_OBJ_UNSIGNED = 2,
    DDWAF_OBJ_STRING = 4,
    DDWAF_OBJ_ARRAY = 8,
    DDWAF_OBJ_MAP = 16,
    DDWAF_OBJ_BOOL = 32,
    DDWAF_OBJ_FLOAT = 64,
    DDWAF_OBJ_NULL = 128
} DDWAF_OBJ_TYPE;

typedef enum {
    DDWAF_ERR_INTERNAL = -3,
    DDWAF_ERR_INVALID_OBJECT = -2,
    DDWAF_ERR_INVALID_ARGUMENT = -1,
    DDWAF_OK = 0,
    DDWAF_MATCH = 1 /* a rule gave a result */
} DDWAF_RET_CODE;

typedef enum {
    DDWAF_LOG_TRACE,
    DDWAF_LOG_DEBUG,
    DDWAF_LOG_INFO,
    DDWAF_LOG_WARN,
    DDWAF_LOG_ERROR,
    DDWAF_LOG_OFF
} DDWAF_LOG_LEVEL;

typedef struct _ddwaf_handle *ddwaf_handle;
typedef struct _ddwaf_context *ddwaf_context;
typedef struct _ddwaf_builder *ddwaf_builder;

typedef struct _ddwaf_object ddwaf_object;
typedef struct _ddwaf_config ddwaf_config;

struct _ddwaf_object {
    const char *parameterName; /* key, inside a map */
    uint64_t parameterNameLength;
    union {
        const char *stringValue;
        uint64_t uintValue;
        int64_t intValue;
        ddwaf_object *array; /* entries of arrays and maps */
        bool boolean;
        double f64;
    };
    uint64_t nbEntries; /* bytes of a string, entries of a container */
    DDWAF_OBJ_TYPE type;
};

typedef void (*ddwaf_object_free_fn)(ddwaf_object *object);

struct _ddwaf_config {
    struct _ddwaf_config_limits {
        uint32_t max_container_size; /* 0: the default; likewise below */
        uint32_t max_container_depth;
        uint32_t max_string_length;
    } limits;
    struct _ddwaf_config_obfuscator {
        const char *key_regex; /* NULL or empty: off; likewise below */
        const char *value_regex;
    } obfuscator;
    ddwaf_object_free_fn free_fn; /* NULL: input is never freed */
};

typedef void (*ddwaf_log_cb)(DDWAF_LOG_LEVEL level, const char *function, const char *file, unsigned line,
                             const char *message, uint64_t message_len);

/* ---- Instances ---- */

/* An instance of one ruleset, or NULL if nothing in it can run. The ruleset and config are only read. diagnostics, if
 * given, is always filled. */
ddwaf_handle ddwaf_init(const ddwaf_object *ruleset, const ddwaf_config *config, ddwaf_object *diagnostics);
void ddwaf_destroy(ddwaf_handle handle);
/* Arrays of *size NUL-terminated strings owned by the instance; NULL with 0 when empty. size must not be NULL. */
const char *const *ddwaf_known_addresses(const ddwaf_handle handle, uint32_t *size);
const char *const *ddwaf_known_actions(const ddwaf_handle handle, uint32_t *size);

/* ---- Builders ---- */

ddwaf_builder ddwaf_builder_init(const ddwaf_config *config);
/* Loads config under path, in place of what was there. False if nothing of it could be loaded. */
bool ddwaf_builder_add_or_update_config(ddwaf_builder builder, const char *path, uint32_t path_len,
                                        const ddwaf_object *config, ddwaf_object *diagnostics);
bool ddwaf_builder_remove_config(ddwaf_builder builder, const char *path, uint32_t path_len);
ddwaf_handle ddwaf_builder_build_instance(ddwaf_builder builder);
/* The number of loaded paths in which the pattern filter occurs (all if NULL); *paths becomes their array. */
uint32_t ddwaf_builder_get_config_paths(ddwaf_builder builder, ddwaf_object *paths, const char *filter,
                                        uint32_t filter_len);
void ddwaf_builder_destroy(ddwaf_builder builder);

/* ---- Contexts ---- */

ddwaf_context ddwaf_context_init(const ddwaf_handle handle);
/* Judges maps of addresses. Persistent data belongs to the context, which gives it to free_fn when it is destroyed;
 * ephemeral data counts for this call only and goes to free_fn at its end. Either may be NULL. timeout: microseconds. */
DDWAF_RET_CODE ddwaf_run(ddwaf_context context, ddwaf_object *persistent_data, ddwaf_object *ephemeral_data,
                         ddwaf_object *result, uint64_t timeout);
void ddwaf_context_destroy(ddwaf_context context);

/* ---- Objects. Setters overwrite the object without freeing it and return it, or NULL on bad arguments. ---- */

ddwaf_object *ddwaf_object_invalid(ddwaf_object *object);
ddwaf_object *ddwaf_object_null(ddwaf_object *object);
ddwaf_object *ddwaf_object_string(ddwaf_object *object, const char *string);
ddwaf_object *ddwaf_object_stringl(ddwaf_object *object, const char *string, size_t length);
/* Takes the buffer over. */
ddwaf_object *ddwaf_object_stringl_nc(ddwaf_object *object, const char *string, size_t length);
ddwaf_object *ddwaf_object_string_from_unsigned(ddwaf_object *object, uint64_t value);
ddwaf_object *ddwaf_object_string_from_signed(ddwaf_object *object, int64_t value);
ddwaf_object *ddwaf_object_unsigned(ddwaf_object *object, uint64_t value);
ddwaf_object *ddwaf_object_signed(ddwaf_object *object, int64_t value);
ddwaf_object *ddwaf_object_bool(ddwaf_object *object, bool value);
ddwaf_object *ddwaf_object_float(ddwaf_object *object, double value);
ddwaf_object *ddwaf_object_array(ddwaf_object *object);
ddwaf_object *ddwaf_object_map(ddwaf_object *object);

/* The object is moved into the container; on false it remains the caller's. */
bool ddwaf_object_array_add(ddwaf_object *array, ddwaf_object *object);
bool ddwaf_object_map_add(ddwaf_object *map, const char *key, ddwaf_object *object);
bool ddwaf_object_map_addl(ddwaf_object *map, const char *key, size_t length, ddwaf_object *object);
/* Takes the key over. */
bool ddwaf_object_map_addl_nc(ddwaf_object *map, const char *key, size_t length, ddwaf_object *object);

bool ddwaf_object_from_json(ddwaf_object *output, const char *json_str, uint32_t length);
/* Frees key and content, not the struct. */
void ddwaf_object_free(ddwaf_object *object);

DDWAF_OBJ_TYPE ddwaf_object_type(const ddwaf_object *object);
size_t ddwaf_object_size(const ddwaf_object *object);   /* entries */
size_t ddwaf_object_length(const ddwaf_object *object); /* bytes of a string */
const char *ddwaf_object_get_key(const ddwaf_object *object, size_t *length);
const char *ddwaf_object_get_string(const ddwaf_object *object, size_t *length);
uint64_t ddwaf_object_get_unsigned(const ddwaf_object *object);
int64_t ddwaf_object_get_signed(const ddwaf_object *object);
double ddwaf_object_get_float(const ddwaf_object *object);
bool ddwaf_object_get_bool(const ddwaf_object *object);
const ddwaf_object *ddwaf_object_get_index(const ddwaf_object *object, size_t index);
const ddwaf_object *ddwaf_object_find(const ddwaf_object *object, const char *key, size_t length);

/* ---- The rest ---- */

/* A static string, e.g. 1.30.1. */
const char *ddwaf_get_version(void);
/* Process-wide; not thread-safe; NULL turns logging off. Always true. */
bool ddwaf_set_log_cb(ddwaf_log_cb cb, DDWAF_LOG_LEVEL min_level);

#ifdef __cplusplus
}
#endif
#endif
