/* What the report is made of: actions of results and redacted matches. */
#ifndef WAF_EVAL_REPORT_H
#define WAF_EVAL_REPORT_H

#include "waf/eval/context.h"

/* ---- actions.c ---- */

/* Identifiers that all events and actions of one call share; made when first asked for. */
typedef struct hg_call_ids {
    hg_slice stack;
    hg_slice response;
} hg_call_ids;

hg_slice hg_call_id(hg_run *run, hg_slice *id);

/* The action ids of one hit, as its event shows them. */
typedef struct hg_hit_actions {
    const hg_slice *ids;
    uint32_t count;
    const hg_action **actions; /* those that are defined, in order */
    uint32_t action_count;
    bool stack;  /* one of them makes a stack trace */
    bool blocks; /* one of them blocks */
} hg_hit_actions;

bool hg_actions_of_hit(hg_run *run, const hg_hit *hit, hg_hit_actions *out);

/* Actions of a whole call: each once, one blocking action at most. */
typedef struct hg_action_list {
    const hg_action *blocking;
    const hg_action **others;
    uint32_t other_count;
} hg_action_list;

bool hg_action_list_make(hg_run *run, hg_action_list *list);
void hg_action_list_add(hg_run *run, hg_action_list *list, const hg_hit_actions *of_hit);
void hg_actions_put(hg_run *run, const hg_action_list *list, hg_call_ids *ids, hg_value *out);

/* ---- redact.c ---- */

typedef struct hg_redaction {
    hg_slice values[HG_ARGUMENTS_MAX]; /* to be shown for each part */
    bool highlight;                    /* highlights are hidden */
} hg_redaction;

void hg_redact(hg_run *run, const hg_match *match, hg_redaction *out);

#endif
