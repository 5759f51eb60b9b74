/* Objects: building, looking at, freeing. */
#include "compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Setters ---- */

static ddwaf_object *set(ddwaf_object *object, DDWAF_OBJ_TYPE type)
{
    if (object != NULL)
        *object = (ddwaf_object){.type = type};
    return object;
}

ddwaf_object *ddwaf_object_invalid(ddwaf_object *object)
{
    return set(object, DDWAF_OBJ_INVALID);
}

ddwaf_object *ddwaf_object_null(ddwaf_object *object)
{
    return set(object, DDWAF_OBJ_NULL);
}

ddwaf_object *ddwaf_object_stringl_nc(ddwaf_object *object, const char *string, size_t length)
{
    if (object == NULL || string == NULL)
        return NULL;
    set(object, DDWAF_OBJ_STRING);
    object->stringValue = string;
    object->nbEntries = length;
    return object;
}

/* A terminated copy, NULL when out of memory or the length is impossible. */
static char *copy_of(const char *bytes, size_t length)
{
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

ddwaf_object *ddwaf_object_stringl(ddwaf_object *object, const char *string, size_t length)
{
    if (object == NULL || string == NULL)
        return NULL;
    return ddwaf_object_stringl_nc(object, copy_of(string, length), length);
}

ddwaf_object *ddwaf_object_string(ddwaf_object *object, const char *string)
{
    return string != NULL ? ddwaf_object_stringl(object, string, strlen(string)) : NULL;
}

ddwaf_object *ddwaf_object_string_from_unsigned(ddwaf_object *object, uint64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return ddwaf_object_stringl(object, text, (size_t)length);
}

ddwaf_object *ddwaf_object_string_from_signed(ddwaf_object *object, int64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    return ddwaf_object_stringl(object, text, (size_t)length);
}

ddwaf_object *ddwaf_object_unsigned(ddwaf_object *object, uint64_t value)
{
    if (set(object, DDWAF_OBJ_UNSIGNED) != NULL)
        object->uintValue = value;
    return object;
}

ddwaf_object *ddwaf_object_signed(ddwaf_object *object, int64_t value)
{
    if (set(object, DDWAF_OBJ_SIGNED) != NULL)
        object->intValue = value;
    return object;
}

ddwaf_object *ddwaf_object_bool(ddwaf_object *object, bool value)
{
    if (set(object, DDWAF_OBJ_BOOL) != NULL)
        object->uintValue = value; /* little end first: the other seven bytes are zero */
    return object;
}

ddwaf_object *ddwaf_object_float(ddwaf_object *object, double value)
{
    if (set(object, DDWAF_OBJ_FLOAT) != NULL)
        object->f64 = value;
    return object;
}

ddwaf_object *ddwaf_object_array(ddwaf_object *object)
{
    return set(object, DDWAF_OBJ_ARRAY);
}

ddwaf_object *ddwaf_object_map(ddwaf_object *object)
{
    return set(object, DDWAF_OBJ_MAP);
}

/* ---- Insertion ---- */

enum { STEP = 8 }; /* entries a block grows by */

static bool insert(ddwaf_object *container, const ddwaf_object *object)
{
    uint64_t count = container->nbEntries;
    if (count % STEP == 0) {
        if (count > SIZE_MAX / sizeof(ddwaf_object) - STEP)
            return false;
        ddwaf_object *old = count > 0 ? container->array : NULL;
        ddwaf_object *block = realloc(old, (count + STEP) * sizeof(ddwaf_object));
        if (block == NULL)
            return false;
        container->array = block;
    }
    container->array[container->nbEntries++] = *object;
    return true;
}

bool ddwaf_object_array_add(ddwaf_object *array, ddwaf_object *object)
{
    return array != NULL && array->type == DDWAF_OBJ_ARRAY && object != NULL && insert(array, object);
}

static bool takes_key(const ddwaf_object *map, const char *key, size_t length, const ddwaf_object *object)
{
    return map != NULL && map->type == DDWAF_OBJ_MAP && key != NULL && object != NULL && length < SIZE_MAX;
}

static bool insert_with_key(ddwaf_object *map, const char *key, size_t length, const ddwaf_object *object)
{
    ddwaf_object entry = *object;
    entry.parameterName = key;
    entry.parameterNameLength = length;
    return insert(map, &entry);
}

bool ddwaf_object_map_addl(ddwaf_object *map, const char *key, size_t length, ddwaf_object *object)
{
    if (!takes_key(map, key, length, object))
        return false;
    char *copy = copy_of(key, length);
    if (copy != NULL && insert_with_key(map, copy, length, object))
        return true;
    free(copy);
    return false;
}

bool ddwaf_object_map_add(ddwaf_object *map, const char *key, ddwaf_object *object)
{
    return key != NULL && ddwaf_object_map_addl(map, key, strlen(key), object);
}

bool ddwaf_object_map_addl_nc(ddwaf_object *map, const char *key, size_t length, ddwaf_object *object)
{
    if (!takes_key(map, key, length, object))
        return false;
    object->parameterName = key;
    object->parameterNameLength = length;
    return insert(map, object);
}

/* ---- Freeing: a tree of any depth, without recursion ---- */

/* Before a container's block is freed its content is; the first entry's key fields, freed by then, remember the way
 * back up. */
typedef struct frame {
    ddwaf_object *block;
    uint64_t left; /* entries not yet freed */
} frame;

static bool has_block(const ddwaf_object *o)
{
    return (o->type == DDWAF_OBJ_ARRAY || o->type == DDWAF_OBJ_MAP) && o->array != NULL;
}

static void free_leaf(ddwaf_object *o)
{
    free((char *)o->parameterName);
    if (o->type == DDWAF_OBJ_STRING)
        free((char *)o->stringValue);
}

/* The entries of a block are freed from the last one to the first. While a child's block is being freed, the child's
 * own struct keeps the parent frame in its key fields. */
static void free_block(ddwaf_object *block, uint64_t count)
{
    frame f = {block, count};
    ddwaf_object *owner = NULL; /* the entry whose block f is; NULL at the top */
    for (;;) {
        while (f.left > 0) {
            ddwaf_object *entry = &f.block[f.left - 1];
            free_leaf(entry);
            f.left--;
            if (!has_block(entry))
                continue;
            frame inner = {entry->array, entry->nbEntries};
            entry->parameterName = (const char *)owner;
            entry->parameterNameLength = f.left;
            entry->stringValue = (const char *)f.block;
            owner = entry;
            f = inner;
        }
        free(f.block);
        if (owner == NULL)
            return;
        f = (frame){(ddwaf_object *)(void *)owner->stringValue, owner->parameterNameLength};
        owner = (ddwaf_object *)(void *)owner->parameterName;
    }
}

void ddwaf_object_free(ddwaf_object *object)
{
    if (object == NULL)
        return;
    free_leaf(object);
    if (has_block(object))
        free_block(object->array, object->nbEntries);
    *object = (ddwaf_object){.type = DDWAF_OBJ_INVALID};
}

/* ---- Inspection ---- */

DDWAF_OBJ_TYPE ddwaf_object_type(const ddwaf_object *object)
{
    return object != NULL ? object->type : DDWAF_OBJ_INVALID;
}

size_t ddwaf_object_size(const ddwaf_object *object)
{
    return object != NULL && has_block(object) ? object->nbEntries : 0;
}

size_t ddwaf_object_length(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_STRING ? object->nbEntries : 0;
}

const char *ddwaf_object_get_key(const ddwaf_object *object, size_t *length)
{
    if (object == NULL || object->parameterName == NULL)
        return NULL;
    if (length != NULL)
        *length = object->parameterNameLength;
    return object->parameterName;
}

const char *ddwaf_object_get_string(const ddwaf_object *object, size_t *length)
{
    if (object == NULL || object->type != DDWAF_OBJ_STRING)
        return NULL;
    if (length != NULL)
        *length = object->nbEntries;
    return object->stringValue;
}

uint64_t ddwaf_object_get_unsigned(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_UNSIGNED ? object->uintValue : 0;
}

int64_t ddwaf_object_get_signed(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_SIGNED ? object->intValue : 0;
}

double ddwaf_object_get_float(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_FLOAT ? object->f64 : 0.0;
}

bool ddwaf_object_get_bool(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_BOOL && object->boolean;
}

const ddwaf_object *ddwaf_object_get_index(const ddwaf_object *object, size_t index)
{
    return index < ddwaf_object_size(object) ? &object->array[index] : NULL;
}

const ddwaf_object *ddwaf_object_find(const ddwaf_object *object, const char *key, size_t length)
{
    if (object == NULL || object->type != DDWAF_OBJ_MAP || key == NULL || length == 0)
        return NULL;
    for (size_t i = 0; i < ddwaf_object_size(object); i++) {
        const ddwaf_object *entry = &object->array[i];
        if (entry->parameterName != NULL && entry->parameterNameLength == length &&
            memcmp(entry->parameterName, key, length) == 0)
            return entry;
    }
    return NULL;
}

/* ---- JSON ---- */

bool ddwaf_object_from_json(ddwaf_object *output, const char *json_str, uint32_t length)
{
    if (output == NULL || json_str == NULL || length == 0)
        return false;
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_arena arena;
    hg_value v;
    hg_arena_init(&arena, NULL);
    ddwaf_object_invalid(output);
    bool ok = hg_json_read(hg_slice_of(json_str, length), &options, &v, hg_arena_allocator(&arena), NULL) == HG_OK &&
              hg_ddwaf1_write(&v, output);
    hg_arena_close(&arena);
    return ok;
}
