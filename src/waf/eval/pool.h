/* Each thread keeps a few shells of contexts it freed and a workspace. */
#ifndef WAF_EVAL_POOL_H
#define WAF_EVAL_POOL_H

#include "waf/eval/context.h"

/* A shell of that instance from the calling thread's pool, or NULL. Drops shells of retired instances. */
hg_context *hg_pool_take(const hg_waf *waf);

/* Keeps a shell for later. False: the pool is full or the instance is retired, the shell remains the caller's. */
bool hg_pool_give(hg_context *context);

/* Room to judge with a plan, the caller's until it gives it back; contexts of a thread take turns with one. NULL: no
 * memory. */
hg_workspace *hg_pool_take_workspace(const hg_plan *plan);
void hg_pool_give_workspace(hg_workspace *workspace);

/* context.c: a context from a pooled shell of the instance at that address, which is not looked into; NULL if this
 * thread has none. */
hg_context *hg_context_reuse(const hg_waf *waf);

/* context.c: frees a shell for good. */
void hg_shell_free(hg_context *context);

#endif
