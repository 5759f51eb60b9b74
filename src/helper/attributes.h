/* Span tags at the end of a request: what the engine found out about it, and what the evaluations cost. */
#ifndef HELPER_ATTRIBUTES_H
#define HELPER_ATTRIBUTES_H

#include "helper/session.h"

/* Remembers the attributes of one evaluation in the request's arena. A key that is there already stays: the client stops
 * at a key that comes twice. */
hg_status attributes_add(session *s, const hg_value *result);

/* Two maps: meta (strings), metrics (numbers). */
void attributes_put(const session *s, hg_buffer *out);

#endif
