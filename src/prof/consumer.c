/* The consumer: the one thread that receives samples, owns the epoch, raises ticks and decides when to export. */
#include "prof/internal.h"

#include "base/clock.h"
#include "base/log.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { NAP_NS = 100000, NAP_DOUBLINGS = 7, IDLE_NS = 100000000 };

/* A handler of the application must never run on a thread of ours; faults still reach it. */
void block_signals(void)
{
    sigset_t set;
    sigfillset(&set);
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&set, synchronous[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void count_lost(hg_prof *prof, uint32_t mask, const double *weighted, hg_prof_reason reason)
{
    unsigned at = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1, at++) {
        unsigned type = (unsigned)__builtin_ctz(left);
        count_up(&prof->consumer_dropped[type], 1);
        double lost = atomic_load_explicit(&prof->consumer_lost[type], memory_order_relaxed);
        atomic_store_explicit(&prof->consumer_lost[type], lost + weighted[at], memory_order_relaxed);
    }
    count_up(&prof->consumer_reasons[reason], 1);
}

static void take_sample(hg_prof *prof, const queue_slot *slot, stack_record *stack)
{
    const message *m = &slot->message;
    double weighted[VALUES_MAX];
    weigh(prof, m->mask, slot->values, weighted);
    if (prof->epoch == NULL && (prof->epoch = epoch_new(++prof->epoch_number, prof->types)) == NULL) {
        count_lost(prof, m->mask, weighted, HG_PROF_NO_MEMORY);
    } else if (prof->epoch->bytes > EPOCH_HARD_MAX) {
        count_lost(prof, m->mask, weighted, HG_PROF_UPLOAD_FULL);
    } else if (epoch_add(prof->epoch, m->identity, stack, m->labels, m->timestamp, m->mask, weighted) != HG_OK) {
        count_lost(prof, m->mask, weighted, HG_PROF_NO_MEMORY);
    }
}

/* Addresses from a signal handler become a stack record that lives only here: the epoch copies what it needs. */
static void take_native(hg_prof *prof, const queue_slot *received)
{
    native_slot *slot = received->message.native;
    _Alignas(stack_record) char local[sizeof(stack_record) + NATIVE_FRAMES * sizeof(frame_record)];
    stack_record *stack = (stack_record *)local;
    *stack = (stack_record){.count = slot->count};
    for (uint32_t i = 0; i < slot->count; i++)
        stack->frames[i] = (frame_record){NULL, slot->addresses[i], 0};
    take_sample(prof, received, stack);
    atomic_store_explicit(&slot->busy, false, memory_order_release);
}

static void take_message(hg_prof *prof, const queue_slot *slot)
{
    switch (slot->message.kind) {
    case MESSAGE_SAMPLE:
        take_sample(prof, slot, slot->message.stack);
        break;
    case MESSAGE_NATIVE:
        take_native(prof, slot);
        break;
    case MESSAGE_ENDPOINT:
        if (prof->epoch != NULL)
            epoch_endpoint(prof->epoch, slot->values[0], hg_slice_from(slot->message.resource));
        free(slot->message.resource);
        break;
    }
}

/* Up to a channelful, so that a flood delays the timers by no more than that. */
static size_t drain(hg_prof *prof)
{
    size_t taken = 0;
    for (const queue_slot *slot; taken < prof->queue.capacity && (slot = queue_peek(&prof->queue)) != NULL; taken++) {
        take_message(prof, slot);
        queue_done(&prof->queue);
    }
    return taken;
}

/* Missed ticks count too, but none from before a thread was attached. */
static void raise_ticks(hg_prof *prof, uint64_t count, uint64_t now)
{
    pthread_mutex_lock(&prof->lock);
    for (hg_prof_thread *t = prof->threads; t != NULL; t = t->next) {
        uint64_t most = (now - t->attached_at) / prof->settings.tick_ns + 1, due = count < most ? count : most;
        if (t->ticking)
            atomic_fetch_add_explicit(&t->ticks, (unsigned)due, memory_order_relaxed);
    }
    pthread_mutex_unlock(&prof->lock);
}

/* Records whose thread has let go of them, once nothing in the channel points into them. */
static void free_retired(hg_prof *prof)
{
    uint64_t head = atomic_load(&prof->queue.head);
    pthread_mutex_lock(&prof->lock);
    for (retired_arena **at = &prof->retired; *at != NULL;) {
        retired_arena *old = *at;
        if (old->ticket > head) {
            at = &old->next;
            continue;
        }
        *at = old->next;
        hg_arena_close(&old->arena);
        free(old);
    }
    pthread_mutex_unlock(&prof->lock);
}

/* Hands the epoch to the uploader. A full uploader costs nothing: the epoch goes on and is offered again later. */
static bool export_epoch(hg_prof *prof)
{
    if (prof->tracker != NULL) {
        if (prof->epoch == NULL)
            prof->epoch = epoch_new(++prof->epoch_number, prof->types);
        if (prof->epoch != NULL)
            tracker_emit(prof->tracker, prof, prof->epoch);
    }
    if (prof->epoch == NULL || prof->epoch->profiles == NULL)
        return true;
    prof->epoch->start_wall = prof->last_export_wall;
    prof->epoch->start_monotonic = prof->last_export_monotonic;
    prof->epoch->end_wall = hg_clock_wall_ns();
    prof->epoch->end_monotonic = hg_clock_monotonic_ns();
    uint64_t wall = prof->epoch->end_wall, monotonic = prof->epoch->end_monotonic;
    if (!uploader_offer(prof->uploader, prof->epoch))
        return false;
    prof->epoch = NULL;
    prof->last_export_wall = wall;
    prof->last_export_monotonic = monotonic;
    return true;
}

static void log_export(hg_prof *prof)
{
    hg_prof_counters c;
    hg_prof_count(prof, &c);
    uint64_t dropped = 0;
    for (int i = 0; i < HG_PROF_REASONS; i++)
        dropped += c.dropped_by_reason[i];
    HG_LOG(HG_LOG_INFO, "profiler: export %llu, %llu samples dropped so far", (unsigned long long)c.exports,
           (unsigned long long)dropped);
}

typedef struct timers {
    uint64_t next_tick, next_export;
    uint64_t looked, looked_before; /* the last looks at the clock */
} timers;

/* The channel was full since the last look, or just before it: whatever was dropped, was dropped in this time. */
static void note_stall(hg_prof *prof, uint64_t start, uint64_t end)
{
    uint64_t count = atomic_load_explicit(&prof->stalls, memory_order_relaxed);
    prof->stall_log[count % STALLS_KEPT] = (stall){start, end};
    count_up(&prof->stalls, 1);
}

static void look_at_clock(hg_prof *prof, timers *t, size_t taken)
{
    uint64_t now = hg_clock_monotonic_ns();
    if (taken >= prof->queue.capacity)
        note_stall(prof, t->looked_before, now);
    t->looked_before = t->looked;
    t->looked = now;
    if (now >= t->next_tick) {
        uint64_t missed = (now - t->next_tick) / prof->settings.tick_ns + 1;
        raise_ticks(prof, missed < UINT32_MAX ? missed : UINT32_MAX, now);
        t->next_tick += missed * prof->settings.tick_ns;
    }
    bool large = prof->epoch != NULL && prof->epoch->bytes > EPOCH_MAX;
    if (now >= t->next_export || (large && uploader_has_room(prof->uploader))) {
        if (export_epoch(prof)) {
            log_export(prof);
            t->next_export = now + prof->settings.export_ns;
        }
        free_retired(prof);
    }
    atomic_store_explicit(&prof->consumer_cpu, hg_clock_thread_cpu_ns(), memory_order_relaxed);
}

/* Fork: stand still while the process is copied. */
static void pause_if_wanted(hg_prof *prof)
{
    pthread_mutex_lock(&prof->lock);
    if (atomic_load(&prof->pause_wanted)) {
        atomic_fetch_add(&prof->paused, 1);
        pthread_cond_broadcast(&prof->changed);
        while (atomic_load(&prof->pause_wanted))
            pthread_cond_wait(&prof->changed, &prof->lock);
        atomic_fetch_sub(&prof->paused, 1);
    }
    pthread_mutex_unlock(&prof->lock);
}

/* After a drain, which took at least what had been sent before the flush was wanted. */
static void flush(hg_prof *prof)
{
    if (!export_epoch(prof))
        return; /* the uploader is full: again at the next round */
    pthread_mutex_lock(&prof->lock);
    atomic_store(&prof->flush_wanted, false);
    prof->flushes_done++;
    pthread_cond_broadcast(&prof->changed);
    pthread_mutex_unlock(&prof->lock);
}

/* Sleeps until a quarter of the channel is full, a timer is due, or the nap is over. Samples gather meanwhile, so that
 * one wake serves many; naps grow while few come. */
static void rest(hg_prof *prof, const timers *t, unsigned quiet)
{
    bool anybody = atomic_load_explicit(&prof->attached, memory_order_relaxed) > 0;
    bool ticking = atomic_load_explicit(&prof->ticking, memory_order_relaxed) > 0;
    uint64_t nap = anybody ? (uint64_t)NAP_NS << (quiet < NAP_DOUBLINGS ? quiet : NAP_DOUBLINGS) : IDLE_NS;
    uint64_t now = hg_clock_monotonic_ns(), until = now + nap;
    until = t->next_export < until ? t->next_export : until;
    until = ticking && t->next_tick < until ? t->next_tick : until;
    queue_sleep(&prof->queue, anybody ? QUEUE_NAPPING : QUEUE_ASLEEP, until > now ? until - now : 1);
}

static void final_export(hg_prof *prof)
{
    while (drain(prof) > 0)
        ;
    for (int attempt = 0; !export_epoch(prof) && attempt < 1000; attempt++)
        queue_sleep(&prof->queue, QUEUE_ASLEEP, 1000000);
    free_retired(prof);
}

void *consumer_main(void *argument)
{
    hg_prof *prof = argument;
    block_signals();
    prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul); /* naps are short */
    prctl(PR_SET_NAME, "hg_prof", 0ul, 0ul, 0ul);
    uint64_t now = hg_clock_monotonic_ns();
    timers t = {now + prof->settings.tick_ns, now + prof->settings.export_ns, now, now};
    unsigned quiet = 0; /* rounds in a row that brought little */
    while (!atomic_load(&prof->stopping)) {
        bool flush_wanted = atomic_load(&prof->flush_wanted);
        size_t taken = drain(prof);
        quiet = taken >= queue_quarter(&prof->queue) ? 0 : quiet + 1;
        look_at_clock(prof, &t, taken);
        if (flush_wanted)
            flush(prof);
        if (atomic_load(&prof->pause_wanted))
            pause_if_wanted(prof);
        if (queue_peek(&prof->queue) == NULL && !atomic_load(&prof->stopping) && !atomic_load(&prof->flush_wanted))
            rest(prof, &t, quiet);
    }
    final_export(prof);
    pthread_mutex_lock(&prof->lock);
    atomic_store(&prof->consumer_ended, true);
    pthread_cond_broadcast(&prof->changed);
    pthread_mutex_unlock(&prof->lock);
    return NULL;
}
