/* The plain protocol: a JSON object a line in, one out, in order. */
#ifndef HELPER_JSON_LINE_H
#define HELPER_JSON_LINE_H

#include "helper/session.h"

/* {id?, addresses:{...}} is judged by the session's rules in a context of its own; the answer, with its line end, is
 * {id, verdict, events, actions, duration_ns}, or {"id":null, error} when the line is not such an object. */
void json_line_answer(hg_slice line, session *s, const hg_obfuscator *obfuscator, hg_buffer *out);

/* For a line that is too long to be read. */
void json_line_refuse(const char *why, hg_buffer *out);

#endif
