#include "waf/eval/pool.h"

#include <pthread.h>

enum { SHELLS_USUAL = 8, SHELLS_MAX = 4096 };

typedef struct pool {
    hg_context *shells; /* newest first */
    hg_workspace *workspace; /* NULL: none yet, or in use */
    unsigned count;
    unsigned most;     /* 0: SHELLS_USUAL */
    size_t retirements; /* seen when it was last searched for shells of retired instances */
    bool registered; /* emptied when the thread ends */
} pool;

/* With TLS descriptors (cmake/options.cmake), not the initial-exec model, which musl refuses in a library that is loaded
 * late. */
static __thread pool mine;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void empty_pool(void *state)
{
    pool *p = state;
    while (p->shells != NULL) {
        hg_context *shell = p->shells;
        p->shells = shell->next;
        hg_shell_free(shell);
    }
    hg_workspace_free(p->workspace);
    p->workspace = NULL;
    p->count = 0;
    p->registered = false;
}

static void make_key(void)
{
    have_key = pthread_key_create(&at_exit, empty_pool) == 0;
}

/* Without a destructor a pool would leak with its thread, so nothing is kept then. */
HG_COLD static bool is_registered(pool *p)
{
    pthread_once(&once, make_key);
    p->registered = have_key && pthread_setspecific(at_exit, p) == 0;
    return p->registered;
}

static void drop_retired(pool *p)
{
    size_t retirements = __atomic_load_n(&hg_waf_retirements, __ATOMIC_ACQUIRE);
    if (retirements == p->retirements)
        return;
    p->retirements = retirements;
    for (hg_context **at = &p->shells; *at != NULL;) {
        hg_context *shell = *at;
        if (!hg_waf_retired(shell->waf)) {
            at = &shell->next;
            continue;
        }
        *at = shell->next;
        p->count--;
        hg_shell_free(shell);
    }
}

hg_context *hg_pool_take(const hg_waf *waf)
{
    pool *p = &mine;
    drop_retired(p);
    for (hg_context **at = &p->shells; *at != NULL; at = &(*at)->next) {
        hg_context *shell = *at;
        if (shell->waf != waf)
            continue;
        *at = shell->next;
        p->count--;
        return shell;
    }
    return NULL;
}

bool hg_pool_give(hg_context *context)
{
    pool *p = &mine;
    drop_retired(p);
    if (p->count >= (p->most > 0 ? p->most : SHELLS_USUAL) || hg_waf_retired(context->waf) || !(p->registered || is_registered(p)))
        return false;
    context->next = p->shells;
    p->shells = context;
    p->count++;
    return true;
}

hg_workspace *hg_pool_take_workspace(const hg_plan *plan)
{
    hg_workspace *workspace = mine.workspace != NULL ? mine.workspace : hg_workspace_new();
    mine.workspace = NULL;
    if (workspace == NULL || hg_workspace_fit(workspace, plan))
        return workspace;
    hg_workspace_free(workspace);
    return NULL;
}

void hg_pool_give_workspace(hg_workspace *workspace)
{
    pool *p = &mine;
    if (hg_workspace_settle(workspace) && p->workspace == NULL && (p->registered || is_registered(p)))
        p->workspace = workspace;
    else
        hg_workspace_free(workspace);
}

void hg_context_keep(unsigned count)
{
    pool *p = &mine;
    p->most = count == 0 ? 1 : count < SHELLS_MAX ? count : SHELLS_MAX;
    drop_retired(p);
    while (p->count > p->most) {
        hg_context *shell = p->shells;
        p->shells = shell->next;
        p->count--;
        hg_shell_free(shell);
    }
}
