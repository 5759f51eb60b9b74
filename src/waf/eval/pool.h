/* Each thread keeps a few shells of contexts it freed, a memo, and what patterns need to run. */
#ifndef WAF_EVAL_POOL_H
#define WAF_EVAL_POOL_H

#include "regex/memo.h"
#include "waf/eval/context.h"

/* A shell of that instance from the calling thread's pool, or NULL. Drops shells of retired instances. */
hg_context *hg_pool_take(const hg_waf *waf);

/* Keeps a shell for later. False: the pool is full or the instance is retired, the shell remains the caller's. */
bool hg_pool_give(hg_context *context);

/* What the calling thread remembers of texts in which lanes found nothing; NULL when there is no memory. */
hg_memo *hg_pool_memo(void);

/* Working memory for patterns, the caller's until it gives it back; contexts of a thread take turns with one. NULL: no
 * memory. */
hg_regex_scratch *hg_pool_take_scratch(void);
void hg_pool_give_scratch(hg_regex_scratch *scratch);

/* context.c: a context from a pooled shell of the instance at that address, which is not looked into; NULL if this
 * thread has none. */
hg_context *hg_context_reuse(const hg_waf *waf);

/* context.c: frees a shell for good. */
void hg_shell_free(hg_context *context);

#endif
