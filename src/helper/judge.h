/* One HTTP request of a session: its context, what evaluations add to it, and what is counted at its end. */
#ifndef HELPER_JUDGE_H
#define HELPER_JUDGE_H

#include "helper/session.h"

/* Makes the context; s->context stays NULL when there is no memory. */
void request_begin(session *s);

/* Counts the request, if there was one, and forgets it. */
void request_end(session *s);

typedef struct judgement {
    const char *command; /* whose reply it is */
    hg_context *context; /* NULL: there was no memory for one */
    const hg_value *data;
    hg_slice rasp_rule, rasp_variant; /* rule empty: no RASP call */
} judgement;

/* Evaluates and replies. */
session_next request_judge(session *s, const judgement *j, hg_buffer *out);

/* Counts a request that was one evaluation outside any session's request. */
void request_count_line(session *s, const hg_result *r);

/* Whether the schema of this request is due, by its sampling key; and the data that asks the engine for it. */
bool request_wants_schema(session *s, uint64_t key);
const hg_value *request_with_schema(session *s, const hg_value *data);

#endif
