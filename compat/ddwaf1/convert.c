/* 40-byte objects to 16-byte values and back. */
#include "compat.h"

#include <stdlib.h>
#include <string.h>

/* ---- To values ---- */

/* A container whose entries are still to be converted. */
typedef struct job {
    struct job *next;
    const ddwaf_object *from;
    hg_value *to;
} job;

typedef struct conversion {
    hg_ddwaf1_use use;
    hg_arena *arena;
    job *jobs;
    job *spare;
} conversion;

static bool push(conversion *c, const ddwaf_object *from, hg_value *to)
{
    job *j = c->spare;
    if (j != NULL)
        c->spare = j->next;
    else
        j = hg_arena_alloc(c->arena, sizeof *j, _Alignof(job));
    if (j == NULL)
        return false;
    *j = (job){c->jobs, from, to};
    c->jobs = j;
    return true;
}

static void set_string(hg_value *v, const char *bytes, uint64_t length)
{
    hg_set_literal(v, hg_slice_of(bytes, length < UINT32_MAX ? length : UINT32_MAX));
}

static bool open_container(conversion *c, const ddwaf_object *from, hg_value *to)
{
    size_t size = from->array == NULL ? 0 : from->nbEntries < HG_WIDE_MAX ? from->nbEntries : HG_WIDE_MAX;
    const hg_allocator *a = hg_arena_allocator(c->arena);
    hg_status status = from->type == DDWAF_OBJ_MAP ? hg_set_map(to, size, a) : hg_set_array(to, size, a);
    return status == HG_OK && (size == 0 || push(c, from, to));
}

static bool convert(conversion *c, const ddwaf_object *from, hg_value *to)
{
    switch ((unsigned)from->type) {
    case DDWAF_OBJ_NULL:
        hg_set_null(to);
        return true;
    case DDWAF_OBJ_BOOL:
        hg_set_bool(to, *(const unsigned char *)&from->boolean != 0);
        return true;
    case DDWAF_OBJ_SIGNED:
        hg_set_signed(to, from->intValue);
        return true;
    case DDWAF_OBJ_UNSIGNED:
        hg_set_unsigned(to, from->uintValue);
        return true;
    case DDWAF_OBJ_FLOAT:
        hg_set_float(to, from->f64);
        return true;
    case DDWAF_OBJ_STRING:
        if (from->stringValue != NULL)
            set_string(to, from->stringValue, from->nbEntries);
        else
            set_string(to, NULL, c->use == HG_DDWAF1_CONFIG);
        return true;
    case DDWAF_OBJ_ARRAY:
    case DDWAF_OBJ_MAP:
        return open_container(c, from, to);
    default:
        hg_set_invalid(to);
        return true;
    }
}

static void convert_key(const ddwaf_object *entry, hg_value *key)
{
    if (entry->parameterName == NULL)
        hg_set_null(key);
    else
        set_string(key, entry->parameterName, entry->parameterNameLength);
}

static bool convert_entries(conversion *c, const ddwaf_object *from, hg_value *to)
{
    const hg_allocator *a = hg_arena_allocator(c->arena);
    size_t size = hg_value_capacity(to);
    for (size_t i = 0; i < size; i++) {
        const ddwaf_object *entry = &from->array[i];
        hg_value *slot = hg_is_map(to) ? hg_map_append_literal(to, HG_SLICE(""), a) : hg_array_append(to, a);
        if (hg_is_map(to))
            convert_key(entry, slot - 1); /* the key stands right before its value */
        if (!convert(c, entry, slot))
            return false;
    }
    return true;
}

bool hg_ddwaf1_read(const ddwaf_object *from, hg_value *to, hg_ddwaf1_use use, hg_arena *arena)
{
    conversion c = {use, arena, NULL, NULL};
    if (!convert(&c, from, to))
        return false;
    while (c.jobs != NULL) {
        job *j = c.jobs;
        c.jobs = j->next;
        const ddwaf_object *container = j->from;
        hg_value *target = j->to;
        j->next = c.spare;
        c.spare = j;
        if (!convert_entries(&c, container, target))
            return false;
    }
    return true;
}

/* ---- To objects. The engine's trees are shallow: nothing it reports nests deeper than a JSON web token. ---- */

static char *terminated(hg_slice s)
{
    char *copy = malloc(s.len + 1);
    if (copy == NULL)
        return NULL;
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

static bool write_string(hg_slice s, ddwaf_object *to)
{
    char *copy = terminated(s);
    to->stringValue = copy;
    to->nbEntries = s.len;
    to->type = DDWAF_OBJ_STRING;
    return copy != NULL;
}

/* Clients may go on adding to what they got, so blocks have room for a multiple of 8 entries. */
static bool write_entries(const hg_value *from, ddwaf_object *to)
{
    size_t size = hg_value_size(from);
    to->type = hg_is_map(from) ? DDWAF_OBJ_MAP : DDWAF_OBJ_ARRAY;
    if (size == 0)
        return true;
    to->array = malloc((size + 7) / 8 * 8 * sizeof(ddwaf_object));
    if (to->array == NULL)
        return false;
    for (size_t i = 0; i < size; i++) {
        ddwaf_object *entry = &to->array[i];
        const hg_value *v = hg_is_map(from) ? &hg_map_pairs(from)[i].val : &hg_array_items(from)[i];
        if (!hg_ddwaf1_write(v, entry))
            return false;
        to->nbEntries++;
        if (!hg_is_map(from))
            continue;
        hg_slice key = hg_value_string(&hg_map_pairs(from)[i].key);
        entry->parameterName = terminated(key);
        entry->parameterNameLength = key.len;
        if (entry->parameterName == NULL)
            return false;
    }
    return true;
}

static bool write_value(const hg_value *from, ddwaf_object *to)
{
    if (hg_is_container(from))
        return write_entries(from, to);
    if (hg_is_string(from))
        return write_string(hg_value_string(from), to);
    switch (from->type) {
    case HG_NULL:
        ddwaf_object_null(to);
        break;
    case HG_BOOL:
        ddwaf_object_bool(to, from->b8.val);
        break;
    case HG_SIGNED:
        ddwaf_object_signed(to, from->i64.val);
        break;
    case HG_UNSIGNED:
        ddwaf_object_unsigned(to, from->u64.val);
        break;
    case HG_FLOAT:
        ddwaf_object_float(to, from->f64.val);
        break;
    default:
        break;
    }
    return true;
}

bool hg_ddwaf1_write(const hg_value *from, ddwaf_object *to)
{
    ddwaf_object_invalid(to);
    if (write_value(from, to))
        return true;
    ddwaf_object_free(to);
    return false;
}
