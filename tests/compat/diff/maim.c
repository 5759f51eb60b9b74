/* Objects as careless bindings make them: without type, without key, strings without bytes. */
#include "diff.h"

#include <stdlib.h>

static void maim_one(rng *r, ddwaf1_object *o)
{
    switch (rng_below(r, 3)) {
    case 0:
        if (o->type != DDWAF1_ARRAY && o->type != DDWAF1_MAP && o->type != DDWAF1_STRING)
            o->type = DDWAF1_INVALID;
        break;
    case 1:
        free((char *)o->name);
        o->name = NULL;
        o->name_len = 0;
        break;
    default:
        if (o->type == DDWAF1_STRING) {
            free((char *)o->string);
            o->string = NULL;
            o->size = 0; /* with a length the official library crashes */
        }
    }
}

void maim(rng *r, ddwaf1_object *o)
{
    if (o->type != DDWAF1_ARRAY && o->type != DDWAF1_MAP)
        return;
    for (uint64_t i = 0; i < o->size; i++) {
        maim(r, &o->items[i]);
        if (rng_percent(r, 10))
            maim_one(r, &o->items[i]);
    }
}
