/* The bounded channel: many producers, one consumer, fixed slots. A producer reserves a position by compare-and-swap
 * and publishes the slot when its message is complete; it never waits. The ring has more slots than the capacity, so
 * a reserved slot is always free. */
#include "prof/internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

hg_status queue_init(queue *q, size_t capacity)
{
    size_t slots = 2;
    while (slots < capacity)
        slots *= 2;
    q->slots = aligned_alloc(64, slots * sizeof *q->slots);
    if (q->slots == NULL)
        return HG_ERR_NOMEM;
    memset(q->slots, 0, slots * sizeof *q->slots);
    q->capacity = capacity;
    q->mask = slots - 1;
    atomic_init(&q->tail, 0);
    atomic_init(&q->head, 0);
    atomic_init(&q->state, QUEUE_AWAKE);
    atomic_init(&q->wakes, 0);
    return HG_OK;
}

void queue_free(queue *q)
{
    free(q->slots);
    q->slots = NULL;
}

uint64_t queue_depth(const queue *q)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    return atomic_load_explicit(&q->tail, memory_order_relaxed) - head;
}

uint64_t queue_quarter(const queue *q)
{
    return q->capacity < 8 ? 1 : q->capacity / 4;
}

/* Without a fence between the message and this look at the state a wake may be missed. The next message makes up for it,
 * and if there is none, the sleep is short anyway; a fence would make every producer wait for its cache lines. */
static void wake_if_asleep(queue *q, uint64_t depth)
{
    unsigned state = atomic_load_explicit(&q->state, memory_order_relaxed);
    if (state == QUEUE_AWAKE || (state == QUEUE_NAPPING && depth < queue_quarter(q)))
        return;
    if (atomic_compare_exchange_strong(&q->state, &state, QUEUE_AWAKE)) {
        atomic_fetch_add_explicit(&q->wakes, 1, memory_order_relaxed);
        syscall(SYS_futex, &q->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

bool queue_send(queue *q, const message *m, const int64_t *values, size_t count)
{
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed), head;
    do {
        head = atomic_load_explicit(&q->head, memory_order_acquire);
        if ((int64_t)(tail - head) >= (int64_t)q->capacity)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&q->tail, &tail, tail + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    queue_slot *slot = &q->slots[tail & q->mask];
    slot->message = *m;
    for (size_t i = 0; i < count; i++)
        slot->values[i] = values[i];
    atomic_store_explicit(&slot->ready, tail + 1, memory_order_release);
    wake_if_asleep(q, tail + 1 - head);
    return true;
}

const queue_slot *queue_peek(queue *q)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    queue_slot *slot = &q->slots[head & q->mask];
    return atomic_load_explicit(&slot->ready, memory_order_acquire) == head + 1 ? slot : NULL;
}

void queue_done(queue *q)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    atomic_store_explicit(&q->head, head + 1, memory_order_release);
}

void queue_wake(queue *q)
{
    atomic_store(&q->state, QUEUE_AWAKE);
    syscall(SYS_futex, &q->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Whether so many messages wait. */
static bool has_messages(queue *q, uint64_t count)
{
    uint64_t last = atomic_load_explicit(&q->head, memory_order_relaxed) + count - 1;
    return atomic_load_explicit(&q->slots[last & q->mask].ready, memory_order_relaxed) == last + 1;
}

void queue_sleep(queue *q, unsigned state, uint64_t ns)
{
    atomic_store(&q->state, state);
    if (!has_messages(q, state == QUEUE_NAPPING ? queue_quarter(q) : 1)) {
        struct timespec limit = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        syscall(SYS_futex, &q->state, FUTEX_WAIT_PRIVATE, state, &limit, NULL, 0);
    }
    atomic_store(&q->state, QUEUE_AWAKE);
}
