/* The plain protocol: a JSON object a line in, one out, in order. */
#ifndef HELPER_JSON_LINE_H
#define HELPER_JSON_LINE_H

#include "helper/session.h"

/* {id?, addresses:{...}} is judged by the generation's rules in a context of its own; the answer, with its line end, is
 * {id, verdict, events, actions, duration_ns}, or {id, error} with id null when the line cannot be read. */
void json_line_answer(hg_slice line, const generation *rules, uint64_t timeout_us, helper_counters *counters,
                      hg_arena *arena, hg_buffer *out);

/* For a line that is too long to be read. */
void json_line_refuse(const char *why, hg_buffer *out);

#endif
