/* The C interface of libddwaf 2.0.1, as Hotgate's libddwaf.so (ddwaf2) serves it. Names, values and layouts are those
 * of that ABI. Strings are pointer and length throughout.
 *
 * Handles and contexts: a handle may be used by any number of threads; a context, subcontext or builder by one thread
 * at a time. Destroy functions accept NULL. */
#ifndef DDWAF_H
#define DDWAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DDWAF_OBJ_SSTR_SIZE 14

typedef enum {
    DDWAF_OBJ_INVALID = 0x00,
    DDWAF_OBJ_NULL = 0x01,
    DDWAF_OBJ_BOOL = 0x02,
    DDWAF_OBJ_SIGNED = 0x04,
    DDWAF_OBJ_UNSIGNED = 0x06,
    DDWAF_OBJ_FLOAT = 0x08,
    DDWAF_OBJ_STRING = 0x10,         /* owned bytes */
    DDWAF_OBJ_LITERAL_STRING = 0x12, /* borrowed bytes, never freed */
    DDWAF_OBJ_SMALL_STRING = 0x14,   /* up to 14 bytes inside the object */
    DDWAF_OBJ_ARRAY = 0x20,
    DDWAF_OBJ_MAP = 0x40
} DDWAF_OBJ_TYPE;

typedef enum {
    DDWAF_ERR_INTERNAL = -3,
    DDWAF_ERR_INVALID_OBJECT = -2,
    DDWAF_ERR_INVALID_ARGUMENT = -1,
    DDWAF_OK = 0,
    DDWAF_MATCH = 1 /* events, actions or attributes are not empty */
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
typedef struct _ddwaf_subcontext *ddwaf_subcontext;
typedef struct _ddwaf_builder *ddwaf_builder;
typedef struct _ddwaf_allocator *ddwaf_allocator;

typedef union _ddwaf_object ddwaf_object;
typedef struct _ddwaf_object_kv ddwaf_object_kv;

struct _ddwaf_object_bool {
    uint8_t type;
    bool val;
};

struct _ddwaf_object_signed {
    uint8_t type;
    int64_t val;
};

struct _ddwaf_object_unsigned {
    uint8_t type;
    uint64_t val;
};

struct _ddwaf_object_float {
    uint8_t type;
    double val;
};

struct _ddwaf_object_string {
    uint8_t type;
    uint32_t size;
    char *ptr;
};

struct _ddwaf_object_small_string {
    uint8_t type;
    uint8_t size;
    char data[DDWAF_OBJ_SSTR_SIZE];
};

struct _ddwaf_object_array {
    uint8_t type;
    uint16_t size;
    uint16_t capacity;
    union _ddwaf_object *ptr; /* capacity * 16 bytes, alignment 8; NULL when the capacity is 0 */
};

struct _ddwaf_object_map {
    uint8_t type;
    uint16_t size;
    uint16_t capacity;
    struct _ddwaf_object_kv *ptr; /* capacity * 32 bytes, alignment 8; NULL when the capacity is 0 */
};

union __attribute__((may_alias)) _ddwaf_object {
    uint8_t type;
    union {
        struct _ddwaf_object_bool b8;
        struct _ddwaf_object_signed i64;
        struct _ddwaf_object_unsigned u64;
        struct _ddwaf_object_float f64;
        struct _ddwaf_object_string str;
        struct _ddwaf_object_small_string sstr;
        struct _ddwaf_object_array array;
        struct _ddwaf_object_map map;
    } via;
};

struct _ddwaf_object_kv {
    union _ddwaf_object key;
    union _ddwaf_object val;
};

#ifdef __cplusplus
static_assert(sizeof(ddwaf_object) == 16, "size of an object");
static_assert(sizeof(ddwaf_object_kv) == 32, "size of a pair");
typedef void *(*ddwaf_alloc_fn_type)(void *udata, size_t size, size_t alignment);
typedef void (*ddwaf_free_fn_type)(void *udata, void *ptr, size_t size, size_t alignment);
typedef void (*ddwaf_udata_free_fn_type)(void *udata);
#else
_Static_assert(sizeof(ddwaf_object) == 16, "size of an object");
_Static_assert(sizeof(ddwaf_object_kv) == 32, "size of a pair");
typedef void *(ddwaf_alloc_fn_type)(void *udata, size_t size, size_t alignment);
typedef void (ddwaf_free_fn_type)(void *udata, void *ptr, size_t size, size_t alignment);
typedef void (ddwaf_udata_free_fn_type)(void *udata);
#endif

typedef void (*ddwaf_log_cb)(DDWAF_LOG_LEVEL level, const char *function, const char *file, unsigned line,
                             const char *message, uint64_t message_len);

/* ---- Instances ---- */

/* An instance of one ruleset, or NULL if nothing in it can run. The ruleset is only read. diagnostics, if given, is
 * always filled, with the default allocator. */
ddwaf_handle ddwaf_init(const ddwaf_object *ruleset, ddwaf_object *diagnostics);
/* Contexts of the instance live on. */
void ddwaf_destroy(ddwaf_handle handle);
/* Arrays of *size NUL-terminated strings owned by the instance; NULL with 0 when empty. size must not be NULL. */
const char *const *ddwaf_known_addresses(const ddwaf_handle handle, uint32_t *size);
const char *const *ddwaf_known_actions(const ddwaf_handle handle, uint32_t *size);

/* ---- Builders ---- */

ddwaf_builder ddwaf_builder_init(void);
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

/* Results are made with output_alloc, which must outlive the context. */
ddwaf_context ddwaf_context_init(const ddwaf_handle handle, ddwaf_allocator output_alloc);
/* Judges a map of addresses. With alloc NULL the data is borrowed and must stay as it is until the context and its
 * subcontexts are destroyed; else the context owns it and frees it with alloc. timeout: microseconds. */
DDWAF_RET_CODE ddwaf_context_eval(ddwaf_context context, ddwaf_object *data, ddwaf_allocator alloc,
                                  ddwaf_object *result, uint64_t timeout);
/* Judges an array of such maps one after the other. */
DDWAF_RET_CODE ddwaf_context_multieval(ddwaf_context context, ddwaf_object *data, ddwaf_allocator alloc,
                                       ddwaf_object *result, uint64_t timeout);
void ddwaf_context_destroy(ddwaf_context context);
/* Begins with what the context has seen and goes its own way. */
ddwaf_subcontext ddwaf_subcontext_init(ddwaf_context context);
DDWAF_RET_CODE ddwaf_subcontext_eval(ddwaf_subcontext subcontext, ddwaf_object *data, ddwaf_allocator alloc,
                                     ddwaf_object *result, uint64_t timeout);
DDWAF_RET_CODE ddwaf_subcontext_multieval(ddwaf_subcontext subcontext, ddwaf_object *data, ddwaf_allocator alloc,
                                          ddwaf_object *result, uint64_t timeout);
void ddwaf_subcontext_destroy(ddwaf_subcontext subcontext);

/* ---- Allocators: every block is freed with the size and alignment it was asked for ---- */

ddwaf_allocator ddwaf_get_default_allocator(void);
ddwaf_allocator ddwaf_synchronized_pool_allocator_init(void);
ddwaf_allocator ddwaf_unsynchronized_pool_allocator_init(void);
ddwaf_allocator ddwaf_monotonic_allocator_init(void);
ddwaf_allocator ddwaf_user_allocator_init(ddwaf_alloc_fn_type alloc_fn, ddwaf_free_fn_type free_fn, void *udata,
                                          ddwaf_udata_free_fn_type udata_free_fn);
void *ddwaf_allocator_alloc(ddwaf_allocator alloc, size_t bytes, size_t alignment);
void ddwaf_allocator_free(ddwaf_allocator alloc, void *p, size_t bytes, size_t alignment);
void ddwaf_allocator_destroy(ddwaf_allocator alloc);

/* ---- Objects. Setters overwrite the object without freeing it and return it, or NULL on bad arguments. ---- */

ddwaf_object *ddwaf_object_set_invalid(ddwaf_object *object);
ddwaf_object *ddwaf_object_set_null(ddwaf_object *object);
ddwaf_object *ddwaf_object_set_bool(ddwaf_object *object, bool value);
ddwaf_object *ddwaf_object_set_signed(ddwaf_object *object, int64_t value);
ddwaf_object *ddwaf_object_set_unsigned(ddwaf_object *object, uint64_t value);
ddwaf_object *ddwaf_object_set_float(ddwaf_object *object, double value);
ddwaf_object *ddwaf_object_set_string(ddwaf_object *object, const char *string, uint32_t length,
                                      ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_set_string_literal(ddwaf_object *object, const char *string, uint32_t length);
/* Takes the buffer over. */
ddwaf_object *ddwaf_object_set_string_nocopy(ddwaf_object *object, const char *string, uint32_t length);
ddwaf_object *ddwaf_object_set_array(ddwaf_object *object, uint16_t capacity, ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_set_map(ddwaf_object *object, uint16_t capacity, ddwaf_allocator alloc);
bool ddwaf_object_from_json(ddwaf_object *output, const char *json_str, uint32_t length, ddwaf_allocator alloc);

/* Appends an invalid object and returns it, valid until the next insertion. alloc: the container's. */
ddwaf_object *ddwaf_object_insert(ddwaf_object *array, ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_insert_key(ddwaf_object *map, const char *key, uint32_t length, ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_insert_literal_key(ddwaf_object *map, const char *key, uint32_t length,
                                              ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_insert_key_nocopy(ddwaf_object *map, const char *key, uint32_t length,
                                             ddwaf_allocator alloc);

void ddwaf_object_destroy(ddwaf_object *object, ddwaf_allocator alloc);
ddwaf_object *ddwaf_object_clone(const ddwaf_object *source, ddwaf_object *destination, ddwaf_allocator alloc);

DDWAF_OBJ_TYPE ddwaf_object_get_type(const ddwaf_object *object);
size_t ddwaf_object_get_size(const ddwaf_object *object);   /* entries */
size_t ddwaf_object_get_length(const ddwaf_object *object); /* bytes of a string */
const char *ddwaf_object_get_string(const ddwaf_object *object, size_t *length);
uint64_t ddwaf_object_get_unsigned(const ddwaf_object *object);
int64_t ddwaf_object_get_signed(const ddwaf_object *object);
double ddwaf_object_get_float(const ddwaf_object *object);
bool ddwaf_object_get_bool(const ddwaf_object *object);
const ddwaf_object *ddwaf_object_at_key(const ddwaf_object *object, size_t index);
const ddwaf_object *ddwaf_object_at_value(const ddwaf_object *object, size_t index);
const ddwaf_object *ddwaf_object_find(const ddwaf_object *object, const char *key, size_t length);
bool ddwaf_object_is_invalid(const ddwaf_object *object);
bool ddwaf_object_is_null(const ddwaf_object *object);
bool ddwaf_object_is_bool(const ddwaf_object *object);
bool ddwaf_object_is_signed(const ddwaf_object *object);
bool ddwaf_object_is_unsigned(const ddwaf_object *object);
bool ddwaf_object_is_float(const ddwaf_object *object);
bool ddwaf_object_is_string(const ddwaf_object *object);
bool ddwaf_object_is_array(const ddwaf_object *object);
bool ddwaf_object_is_map(const ddwaf_object *object);

/* ---- The rest ---- */

/* A static string, e.g. 2.0.1. */
const char *ddwaf_get_version(void);
/* Process-wide; not thread-safe; NULL turns logging off. Always true. */
bool ddwaf_set_log_cb(ddwaf_log_cb cb, DDWAF_LOG_LEVEL min_level);

#ifdef __cplusplus
}
#endif
#endif
