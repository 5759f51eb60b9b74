/* Objects: building, looking at, copying. */
#include "compat.h"

enum { ENTRIES_MAX = 65535 };

/* ---- Setters ---- */

ddwaf_object *ddwaf_object_set_invalid(ddwaf_object *object)
{
    if (object != NULL)
        hg_set_invalid(value_of(object));
    return object;
}

ddwaf_object *ddwaf_object_set_null(ddwaf_object *object)
{
    if (object != NULL)
        hg_set_null(value_of(object));
    return object;
}

ddwaf_object *ddwaf_object_set_bool(ddwaf_object *object, bool value)
{
    if (object != NULL)
        hg_set_bool(value_of(object), value);
    return object;
}

ddwaf_object *ddwaf_object_set_signed(ddwaf_object *object, int64_t value)
{
    if (object != NULL)
        hg_set_signed(value_of(object), value);
    return object;
}

ddwaf_object *ddwaf_object_set_unsigned(ddwaf_object *object, uint64_t value)
{
    if (object != NULL)
        hg_set_unsigned(value_of(object), value);
    return object;
}

ddwaf_object *ddwaf_object_set_float(ddwaf_object *object, double value)
{
    if (object != NULL)
        hg_set_float(value_of(object), value);
    return object;
}

/* The names without `set_` that the ELF library has as well. */
ddwaf_object *ddwaf_object_null(ddwaf_object *object)
{
    return ddwaf_object_set_null(object);
}

ddwaf_object *ddwaf_object_bool(ddwaf_object *object, bool value)
{
    return ddwaf_object_set_bool(object, value);
}

ddwaf_object *ddwaf_object_signed(ddwaf_object *object, int64_t value)
{
    return ddwaf_object_set_signed(object, value);
}

ddwaf_object *ddwaf_object_unsigned(ddwaf_object *object, uint64_t value)
{
    return ddwaf_object_set_unsigned(object, value);
}

ddwaf_object *ddwaf_object_float(ddwaf_object *object, double value)
{
    return ddwaf_object_set_float(object, value);
}

ddwaf_object *ddwaf_object_set_string(ddwaf_object *object, const char *string, uint32_t length, ddwaf_allocator alloc)
{
    if (object == NULL || alloc == NULL || (string == NULL && length > 0))
        return NULL;
    hg_value copy;
    if (hg_set_string(&copy, hg_slice_of(string, length), &alloc->memory) != HG_OK)
        return NULL;
    *value_of(object) = copy;
    return object;
}

ddwaf_object *ddwaf_object_set_string_literal(ddwaf_object *object, const char *string, uint32_t length)
{
    if (object == NULL || string == NULL)
        return NULL;
    hg_set_literal(value_of(object), hg_slice_of(string, length));
    return object;
}

static void set_owned(hg_value *v, const char *string, uint32_t length)
{
    hg_set_literal(v, hg_slice_of(string, length));
    v->str.type = HG_STRING;
}

ddwaf_object *ddwaf_object_set_string_nocopy(ddwaf_object *object, const char *string, uint32_t length)
{
    if (object == NULL || string == NULL)
        return NULL;
    set_owned(value_of(object), string, length);
    return object;
}

ddwaf_object *ddwaf_object_set_array(ddwaf_object *object, uint16_t capacity, ddwaf_allocator alloc)
{
    hg_value v;
    if (object == NULL || alloc == NULL || hg_set_array(&v, capacity, &alloc->memory) != HG_OK)
        return NULL;
    *value_of(object) = v;
    return object;
}

ddwaf_object *ddwaf_object_set_map(ddwaf_object *object, uint16_t capacity, ddwaf_allocator alloc)
{
    hg_value v;
    if (object == NULL || alloc == NULL || hg_set_map(&v, capacity, &alloc->memory) != HG_OK)
        return NULL;
    *value_of(object) = v;
    return object;
}

bool ddwaf_object_from_json(ddwaf_object *output, const char *json_str, uint32_t length, ddwaf_allocator alloc)
{
    if (output == NULL || json_str == NULL || length == 0 || alloc == NULL)
        return false;
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    return hg_json_read(hg_slice_of(json_str, length), &options, value_of(output), &alloc->memory, NULL) == HG_OK;
}

/* ---- Insertion ---- */

/* Whether one more entry may be put into a container of that type. */
static bool has_room(const ddwaf_object *container, uint8_t type, ddwaf_allocator alloc)
{
    return container != NULL && alloc != NULL && container->type == type &&
           container->via.array.size < ENTRIES_MAX;
}

ddwaf_object *ddwaf_object_insert(ddwaf_object *array, ddwaf_allocator alloc)
{
    if (!has_room(array, DDWAF_OBJ_ARRAY, alloc))
        return NULL;
    return (ddwaf_object *)hg_array_append(value_of(array), &alloc->memory);
}

ddwaf_object *ddwaf_object_insert_key(ddwaf_object *map, const char *key, uint32_t length, ddwaf_allocator alloc)
{
    if (!has_room(map, DDWAF_OBJ_MAP, alloc) || (key == NULL && length > 0))
        return NULL;
    return (ddwaf_object *)hg_map_append(value_of(map), hg_slice_of(key, length), &alloc->memory);
}

ddwaf_object *ddwaf_object_insert_literal_key(ddwaf_object *map, const char *key, uint32_t length,
                                              ddwaf_allocator alloc)
{
    if (!has_room(map, DDWAF_OBJ_MAP, alloc))
        return NULL;
    return (ddwaf_object *)hg_map_append_literal(value_of(map), hg_slice_of(key, length), &alloc->memory);
}

ddwaf_object *ddwaf_object_insert_key_nocopy(ddwaf_object *map, const char *key, uint32_t length,
                                             ddwaf_allocator alloc)
{
    ddwaf_object *slot = ddwaf_object_insert_literal_key(map, key, length, alloc);
    if (slot != NULL)
        set_owned((hg_value *)slot - 1, key, length); /* the key stands right before its value */
    return slot;
}

/* ---- Destruction and copy ---- */

void ddwaf_object_destroy(ddwaf_object *object, ddwaf_allocator alloc)
{
    if (object != NULL && alloc != NULL)
        hg_value_free(value_of(object), &alloc->memory);
}

ddwaf_object *ddwaf_object_clone(const ddwaf_object *source, ddwaf_object *destination, ddwaf_allocator alloc)
{
    hg_value copy;
    if (source == NULL || destination == NULL || alloc == NULL ||
        hg_value_clone(const_value_of(source), &copy, &alloc->memory) != HG_OK)
        return NULL;
    *value_of(destination) = copy;
    return destination;
}

/* ---- Inspection ---- */

DDWAF_OBJ_TYPE ddwaf_object_get_type(const ddwaf_object *object)
{
    return object != NULL ? (DDWAF_OBJ_TYPE)object->type : DDWAF_OBJ_INVALID;
}

size_t ddwaf_object_get_size(const ddwaf_object *object)
{
    return object != NULL ? hg_value_size(const_value_of(object)) : 0;
}

size_t ddwaf_object_get_length(const ddwaf_object *object)
{
    return object != NULL ? hg_value_string(const_value_of(object)).len : 0;
}

const char *ddwaf_object_get_string(const ddwaf_object *object, size_t *length)
{
    if (object == NULL || !hg_is_string(const_value_of(object)))
        return NULL;
    hg_slice s = hg_value_string(const_value_of(object));
    if (length != NULL)
        *length = s.len;
    return s.ptr;
}

uint64_t ddwaf_object_get_unsigned(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_UNSIGNED ? object->via.u64.val : 0;
}

int64_t ddwaf_object_get_signed(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_SIGNED ? object->via.i64.val : 0;
}

double ddwaf_object_get_float(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_FLOAT ? object->via.f64.val : 0.0;
}

bool ddwaf_object_get_bool(const ddwaf_object *object)
{
    return object != NULL && object->type == DDWAF_OBJ_BOOL && object->via.b8.val;
}

const ddwaf_object *ddwaf_object_at_key(const ddwaf_object *object, size_t index)
{
    if (object == NULL || object->type != DDWAF_OBJ_MAP || index >= object->via.map.size)
        return NULL;
    return &object->via.map.ptr[index].key;
}

const ddwaf_object *ddwaf_object_at_value(const ddwaf_object *object, size_t index)
{
    if (object == NULL || index >= hg_value_size(const_value_of(object)))
        return NULL;
    return object->type == DDWAF_OBJ_MAP ? &object->via.map.ptr[index].val : &object->via.array.ptr[index];
}

const ddwaf_object *ddwaf_object_find(const ddwaf_object *object, const char *key, size_t length)
{
    if (object == NULL || object->type != DDWAF_OBJ_MAP || key == NULL || length == 0)
        return NULL;
    return (const ddwaf_object *)hg_map_find(const_value_of(object), hg_slice_of(key, length));
}

static bool is(const ddwaf_object *object, uint8_t type)
{
    return object != NULL && object->type == type;
}

bool ddwaf_object_is_invalid(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_INVALID);
}

bool ddwaf_object_is_null(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_NULL);
}

bool ddwaf_object_is_bool(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_BOOL);
}

bool ddwaf_object_is_signed(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_SIGNED);
}

bool ddwaf_object_is_unsigned(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_UNSIGNED);
}

bool ddwaf_object_is_float(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_FLOAT);
}

bool ddwaf_object_is_string(const ddwaf_object *object)
{
    return object != NULL && hg_is_string(const_value_of(object));
}

bool ddwaf_object_is_array(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_ARRAY);
}

bool ddwaf_object_is_map(const ddwaf_object *object)
{
    return is(object, DDWAF_OBJ_MAP);
}
