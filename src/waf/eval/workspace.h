/* What a thread needs to judge, whatever the instance: contexts of a thread take turns with one workspace, so that a
 * context keeps only what it remembers. */
#ifndef WAF_EVAL_WORKSPACE_H
#define WAF_EVAL_WORKSPACE_H

#include "regex/memo.h"
#include "waf/plan/lanes.h"

enum { HG_SCAN_BATCH = 64 }; /* texts that go through their sets together */

/* A text to be scanned: an element's own, or what chains made of it. */
typedef struct hg_text {
    hg_slice text;
    uint32_t element;
    uint32_t chains; /* mask of the lane's chains it stands for */
    uint32_t traits; /* of the element's own text */
    uint32_t lane;
} hg_text;

typedef struct hg_text_list {
    hg_text *items;
    uint32_t room;
} hg_text_list;

typedef struct hg_workspace {
    hg_regex_scratch *regex;
    hg_memo *memo;     /* texts in which lanes found nothing; NULL: nothing is remembered */
    hg_text_list texts;
    hg_text_list raw;  /* elements' own texts of the lane at hand; chains is the kind of string */
    uint32_t *table;   /* texts by hash, + 1 */
    uint32_t table_room;
    uint64_t *job_hits;
    uint32_t job_words; /* room of each job */
    hg_regex_job jobs[HG_SCAN_BATCH];
} hg_workspace;

/* NULL: no memory. */
hg_workspace *hg_workspace_new(void);
void hg_workspace_free(hg_workspace *w); /* NULL is fine */

/* May it be used again? Not after it ran out of memory. What a huge request left is freed. */
bool hg_workspace_settle(hg_workspace *w);

/* More room; false: no memory. */
bool hg_workspace_grow_hits(hg_workspace *w, uint32_t words);
bool hg_workspace_grow_texts(hg_text_list *list);
bool hg_workspace_grow_table(hg_workspace *w, uint32_t size);

/* Makes it large enough for the plan's sets; false: no memory. */
static inline bool hg_workspace_fit(hg_workspace *w, const hg_plan *plan)
{
    uint32_t words = plan->lanes->pattern_most / 64 + 1;
    return words <= w->job_words || hg_workspace_grow_hits(w, words);
}

static inline uint64_t *hg_workspace_hits(const hg_workspace *w, size_t job)
{
    return w->job_hits + job * w->job_words;
}

#endif
