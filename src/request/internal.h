/* Shared inside the room: collecting repeated names, and the pieces of the address map. */
#ifndef REQUEST_INTERNAL_H
#define REQUEST_INTERNAL_H

#include "hotgate/request.h"

/* A map under construction in which a name that comes again turns its value into an array. Names are found by a
 * linear look while there are few and by a hash table beyond, so that hostile numbers of names stay linear. */
typedef struct request_collector {
    hg_value *map;
    hg_arena *arena;
    uint32_t *slots; /* pair index + 1, 0 = free; NULL while there are few */
    size_t slot_count;
} request_collector;

/* Makes *map an empty map with room for `expected` names. */
hg_status request_collect_start(request_collector *collector, hg_value *map, size_t expected, hg_arena *arena);

/* Adds a value under a name. Both are borrowed (short ones are stored inside). */
hg_status request_collect(request_collector *collector, hg_slice name, hg_slice value);

/* Splits headers into *headers (without Cookie) and *cookies; invalid when there are none. */
hg_status request_headers(const hg_request *request, hg_arena *arena, hg_value *headers, hg_value *cookies);

/* Adds the pairs of one Cookie header. */
hg_status request_cookies(request_collector *cookies, hg_slice header);

/* Reads name=value pairs between & (query strings and form bodies): + is a space, %XX is undone, a bad escape stays,
 * empty pairs are skipped, no = gives an empty value. */
hg_status request_form(hg_slice text, hg_arena *arena, hg_value *out);

/* Reads the body by the content type (empty: none) into *body and *filenames; invalid when there is nothing to say. */
hg_status request_body(const hg_request *request, hg_slice content_type, hg_arena *arena, hg_value *body,
                       hg_value *filenames);

#endif
