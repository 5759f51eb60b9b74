/* Reading what a client says: positional arguments, records that may be maps or arrays, numbers of any kind. */
#ifndef HELPER_SETTINGS_H
#define HELPER_SETTINGS_H

#include "helper/service.h"

/* Argument i, or a null value. */
const hg_value *argument(const hg_value *arguments, size_t i);

/* Whether v may stand for a map: PHP writes empty ones as arrays. */
bool maplike(const hg_value *v);

hg_slice text_of(const hg_value *map, hg_slice key);
uint64_t number_of(const hg_value *v); /* NULL, negative and wrong kinds are 0 */
bool truth_of(const hg_value *v);      /* integers stand for booleans too */

/* The settings of a client_init, whose texts stay in the message. False: it is none. */
bool settings_read(const hg_value *arguments, unsigned uid, unsigned peer, service_settings *out);

/* The same with what a config_sync changes. */
bool settings_change(const hg_value *arguments, unsigned uid, service_settings *settings);

#endif
