/* Fork: the helper threads stand still while the process is copied, the parent loses nothing, the child has no
 * profiler. Waiting is bounded, and whether it succeeded is remembered, so that the parent never hangs. */
#include "prof/internal.h"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static hg_prof *registry;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const uint64_t PAUSE_LIMIT_NS = 2000000000;

static bool paused_or_ended(const void *state)
{
    const hg_prof *prof = state;
    return atomic_load(&prof->paused) > 0 || atomic_load(&prof->consumer_ended);
}

static void pause_one(hg_prof *prof)
{
    uploader_pause(prof->uploader, PAUSE_LIMIT_NS); /* first: it may take longer */
    pthread_mutex_lock(&prof->lock);
    prof->fork_prepared = prof->started && !atomic_load(&prof->consumer_ended);
    if (prof->fork_prepared) {
        atomic_store(&prof->pause_wanted, true);
        queue_wake(&prof->queue);
        condition_wait(&prof->changed, &prof->lock, paused_or_ended, prof, PAUSE_LIMIT_NS);
    }
    /* the lock stays ours over the fork, so that the child does not inherit it from a thread that it lacks */
}

static void prepare(void)
{
    pthread_mutex_lock(&registry_lock);
    for (hg_prof *p = registry; p != NULL; p = p->next_forked)
        pause_one(p);
}

static void in_parent(void)
{
    for (hg_prof *p = registry; p != NULL; p = p->next_forked) {
        if (p->fork_prepared) {
            atomic_store(&p->pause_wanted, false);
            pthread_cond_broadcast(&p->changed);
        }
        pthread_mutex_unlock(&p->lock);
        uploader_resume(p->uploader);
    }
    pthread_mutex_unlock(&registry_lock);
}

/* Sends of the child are refused; what the helpers held is leaked on purpose. */
static void in_child(void)
{
    for (hg_prof *p = registry; p != NULL; p = p->next_forked) {
        atomic_store(&p->running, false);
        p->in_child = true;
        p->started = false;
        atomic_store(&p->consumer_ended, true);
        pthread_mutex_unlock(&p->lock);
        if (p->tracker != NULL)
            tracker_forget(p->tracker);
    }
    pthread_mutex_unlock(&registry_lock);
}

static void register_handlers(void)
{
    pthread_atfork(prepare, in_parent, in_child);
}

void fork_register(hg_prof *prof)
{
    pthread_once(&once, register_handlers);
    pthread_mutex_lock(&registry_lock);
    prof->next_forked = registry;
    registry = prof;
    pthread_mutex_unlock(&registry_lock);
}

void fork_forget(hg_prof *prof)
{
    pthread_mutex_lock(&registry_lock);
    for (hg_prof **at = &registry; *at != NULL; at = &(*at)->next_forked)
        if (*at == prof) {
            *at = prof->next_forked;
            break;
        }
    pthread_mutex_unlock(&registry_lock);
}
