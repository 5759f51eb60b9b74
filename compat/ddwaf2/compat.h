/* Shared by the files of the version 2 facade. A ddwaf_object is an hg_value under another name. */
#ifndef COMPAT_DDWAF2_H
#define COMPAT_DDWAF2_H

#include <ddwaf.h>

#include "hotgate/value.h"


/* What a ddwaf_allocator points to. */
struct _ddwaf_allocator {
    hg_allocator memory;
    void (*destroy)(struct _ddwaf_allocator *allocator); /* NULL: cannot be destroyed */
};

static inline hg_value *value_of(ddwaf_object *object)
{
    return (hg_value *)object;
}

static inline const hg_value *const_value_of(const ddwaf_object *object)
{
    return (const hg_value *)object;
}

/* A deep copy for the caller: every string owned, every container of the ABI's kinds. False, with nothing left
 * behind, when out of memory. */
bool hg_ddwaf2_copy(const hg_value *from, hg_value *to, const hg_allocator *a);

#endif
