/* A place that holds the current instance. Reading it is one load; only a thread that meets an instance for the first
 * time takes the lock, to be sure that the instance stays until it has a shell of its own. */
#include "waf/eval/pool.h"

#include <pthread.h>
#include <stdlib.h>

struct hg_waf_cell {
    hg_waf *current; /* written under the lock, read without */
    pthread_mutex_t lock;
};

hg_waf_cell *hg_waf_cell_new(hg_waf *waf)
{
    hg_waf_cell *cell = malloc(sizeof *cell);
    if (cell == NULL)
        return NULL;
    if (pthread_mutex_init(&cell->lock, NULL) != 0) {
        free(cell);
        return NULL;
    }
    cell->current = waf != NULL ? hg_waf_ref(waf) : NULL;
    return cell;
}

void hg_waf_cell_free(hg_waf_cell *cell)
{
    if (cell == NULL)
        return;
    hg_waf_unref(cell->current);
    pthread_mutex_destroy(&cell->lock);
    free(cell);
}

void hg_waf_cell_set(hg_waf_cell *cell, hg_waf *waf)
{
    hg_waf *fresh = waf != NULL ? hg_waf_ref(waf) : NULL;
    pthread_mutex_lock(&cell->lock);
    hg_waf *old = cell->current;
    __atomic_store_n(&cell->current, fresh, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&cell->lock);
    hg_waf_unref(old);
}

hg_context *hg_context_of(hg_waf_cell *cell)
{
    /* A shell in this thread's pool keeps its instance, so an equal address is the same instance. */
    hg_context *context = hg_context_reuse(__atomic_load_n(&cell->current, __ATOMIC_ACQUIRE));
    if (context != NULL)
        return context;
    pthread_mutex_lock(&cell->lock);
    hg_waf *waf = cell->current != NULL ? hg_waf_ref(cell->current) : NULL;
    pthread_mutex_unlock(&cell->lock);
    context = hg_context_new(waf);
    hg_waf_unref(waf);
    return context;
}
