/* Shared by the files of the version 1 facade. */
#ifndef COMPAT_DDWAF1_H
#define COMPAT_DDWAF1_H

#include <ddwaf.h>

#include "hotgate/value.h"


/* ---- convert.c: objects as values. Strings are borrowed. ---- */

typedef enum hg_ddwaf1_use {
    HG_DDWAF1_DATA,  /* a string without bytes is empty */
    HG_DDWAF1_CONFIG /* a string without bytes is none: {NULL, 1} */
} hg_ddwaf1_use;

/* Converts the tree with memory of the arena. Not recursive: any depth. Entries without a key get a null key. False
 * when out of memory. */
bool hg_ddwaf1_read(const ddwaf_object *from, hg_value *to, hg_ddwaf1_use use, hg_arena *arena);

/* A value as an object on the heap. False, with nothing left behind, when out of memory. */
bool hg_ddwaf1_write(const hg_value *from, ddwaf_object *to);

/* Whether the object has entries that can be looked at. */
static inline bool hg_ddwaf1_has_entries(const ddwaf_object *o)
{
    return (o->type == DDWAF_OBJ_ARRAY || o->type == DDWAF_OBJ_MAP) && o->array != NULL;
}

/* ---- builder.c ---- */

/* The instance behind a handle. */
struct hg_waf *hg_ddwaf1_engine(ddwaf_handle handle);

/* How contexts of an instance free their input; NULL: not at all. */
ddwaf_object_free_fn hg_ddwaf1_free_fn(ddwaf_handle handle);

#endif
