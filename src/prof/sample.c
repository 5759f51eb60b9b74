/* Events become samples, samples become messages. Nothing here waits; nothing allocates for a stack and labels that
 * the thread has had before. */
#include "prof/internal.h"

#include "base/clock.h"

#include <stdlib.h>

void sample_add(sample_values *v, hg_prof_type type, int64_t value)
{
    unsigned at = (unsigned)__builtin_popcount(v->mask & ((1u << type) - 1)), count = (unsigned)__builtin_popcount(v->mask);
    for (unsigned i = count; i > at; i--)
        v->values[i] = v->values[i - 1];
    v->values[at] = value;
    v->mask |= 1u << type;
}

enum { TIME_TYPES = 1u << HG_PROF_SAMPLE | 1u << HG_PROF_WALL_TIME | 1u << HG_PROF_CPU_TIME };

/* Time stays pending in the thread and goes into the next time sample; everything else is lost and counted. */
static void count_dropped(hg_prof_thread *t, const sample_values *v, hg_prof_reason reason)
{
    double weighted[VALUES_MAX];
    weigh(t->prof, v->mask, v->values, weighted);
    unsigned at = 0;
    for (uint32_t left = v->mask; left != 0; left &= left - 1, at++) {
        unsigned type = (unsigned)__builtin_ctz(left);
        if (TIME_TYPES >> type & 1) {
            count_up(&t->counters.carried[type], 1);
            continue;
        }
        count_up(&t->counters.dropped[type], 1);
        double lost = atomic_load_explicit(&t->counters.lost[type], memory_order_relaxed);
        atomic_store_explicit(&t->counters.lost[type], lost + weighted[at], memory_order_relaxed);
    }
    count_up(&t->counters.reasons[reason], 1);
}

static identity *current_identity(hg_prof_thread *t)
{
    if (t->identity == NULL)
        t->identity = identity_intern(t->prof, t->unified, t->git, t->custom);
    return t->identity;
}

hg_status sample_send(hg_prof_thread *t, const sample_values *v, stack_record *stack, labels_record *labels,
                      int64_t timestamp)
{
    hg_prof *prof = t->prof;
    for (uint32_t left = v->mask; left != 0; left &= left - 1)
        count_up(&t->counters.taken[__builtin_ctz(left)], 1);
    hg_prof_reason reason = HG_PROF_QUEUE_FULL;
    if (!atomic_load_explicit(&prof->running, memory_order_relaxed)) {
        reason = HG_PROF_OFF;
    } else if (stack == NULL || labels == NULL) {
        reason = HG_PROF_NO_MEMORY;
    } else if (current_identity(t) == NULL) {
        reason = HG_PROF_TOO_MANY;
    } else {
        message m = {.kind = MESSAGE_SAMPLE, .mask = v->mask, .identity = t->identity, .stack = stack, .labels = labels,
                     .timestamp = timestamp};
        if (queue_send(&prof->queue, &m, v->values, (size_t)__builtin_popcount(v->mask))) {
            for (uint32_t left = v->mask; left != 0; left &= left - 1)
                count_up(&t->counters.accepted[__builtin_ctz(left)], 1);
            return HG_OK;
        }
    }
    count_dropped(t, v, reason);
    return reason == HG_PROF_OFF ? HG_ERR_UNSUPPORTED : reason == HG_PROF_NO_MEMORY ? HG_ERR_NOMEM : HG_ERR_LIMIT;
}

static int64_t timestamp_of(const hg_prof *prof)
{
    return prof->types >> HG_PROF_TIMELINE & 1 ? (int64_t)hg_clock_wall_ns() : 0;
}

typedef struct clocks {
    uint64_t wall, cpu, ticks;
} clocks;

/* Time since the last time sample that was accepted: that of dropped ones is in it. */
static clocks add_time(hg_prof_thread *t, sample_values *v, uint64_t ticks)
{
    bool cpu = t->prof->types >> HG_PROF_CPU_TIME & 1;
    clocks now = {hg_clock_monotonic_ns(), cpu ? hg_clock_thread_cpu_ns() : 0, ticks + t->carried_ticks};
    sample_add(v, HG_PROF_SAMPLE, (int64_t)now.ticks);
    sample_add(v, HG_PROF_WALL_TIME, (int64_t)(now.wall - t->last_wall));
    if (cpu)
        sample_add(v, HG_PROF_CPU_TIME, now.cpu > t->last_cpu ? (int64_t)(now.cpu - t->last_cpu) : 0);
    return now;
}

static void settle_time(hg_prof_thread *t, clocks now, hg_status status)
{
    if (status != HG_OK) {
        t->carried_ticks = now.ticks;
        return;
    }
    t->carried_ticks = 0;
    t->last_wall = now.wall;
    t->last_cpu = now.cpu;
}

static hg_status time_sample(hg_prof_thread *t, uint64_t ticks)
{
    if (!(t->prof->types >> HG_PROF_SAMPLE & 1))
        return HG_OK;
    stack_record *stack = records_stack(t);
    sample_values v = {.mask = 0};
    clocks now = add_time(t, &v, ticks);
    hg_status status = sample_send(t, &v, stack, records_labels(t, NULL, 0), timestamp_of(t->prof));
    settle_time(t, now, status);
    return status;
}

static unsigned take_ticks(hg_prof_thread *t)
{
    if (atomic_load_explicit(&t->ticks, memory_order_relaxed) == 0)
        return 0;
    return atomic_exchange_explicit(&t->ticks, 0, memory_order_relaxed);
}

hg_status hg_prof_poll(hg_prof_thread *t)
{
    if (t == NULL)
        return HG_ERR_ARGUMENT;
    unsigned ticks = take_ticks(t);
    return ticks == 0 ? HG_OK : time_sample(t, ticks);
}

hg_status hg_prof_trigger(hg_prof_thread *t)
{
    if (t == NULL)
        return HG_ERR_ARGUMENT;
    return time_sample(t, (uint64_t)take_ticks(t) + 1);
}

hg_status hg_prof_allocated(hg_prof_thread *t, void *ptr, size_t size)
{
    if (t == NULL)
        return HG_ERR_ARGUMENT;
    if (!(t->prof->types >> HG_PROF_ALLOC_SIZE & 1) || size > INT64_MAX ||
        !countdown_due(&t->allocation, (int64_t)size, &t->random))
        return HG_OK;
    stack_record *stack = records_stack(t);
    labels_record *labels = records_labels(t, NULL, 0);
    sample_values v = {.mask = 0};
    sample_add(&v, HG_PROF_ALLOC_SAMPLES, 1);
    sample_add(&v, HG_PROF_ALLOC_SIZE, (int64_t)size);
    unsigned ticks = take_ticks(t);
    clocks now = {0};
    if (ticks > 0)
        now = add_time(t, &v, ticks);
    hg_status status = sample_send(t, &v, stack, labels, ticks > 0 ? timestamp_of(t->prof) : 0);
    if (ticks > 0)
        settle_time(t, now, status);
    if (status == HG_OK && ptr != NULL && t->prof->tracker != NULL &&
        !tracker_add(t->prof->tracker, ptr, size, t->identity, stack, labels))
        count_up(&t->counters.tracker_full, 1);
    return status;
}

void hg_prof_freed(hg_prof *prof, void *ptr)
{
    if (prof != NULL && ptr != NULL && prof->tracker != NULL)
        tracker_remove(prof->tracker, ptr);
}

static hg_status io_sample(hg_prof_thread *t, hg_prof_type type, int64_t value)
{
    sample_values v = {.mask = 0};
    sample_add(&v, type, value);
    sample_add(&v, (hg_prof_type)(type + 1), 1); /* each I/O type is followed by its count */
    return sample_send(t, &v, records_stack(t), records_labels(t, NULL, 0), 0);
}

hg_status hg_prof_io_done(hg_prof_thread *t, hg_prof_io class, uint64_t ns, int64_t bytes)
{
    if (t == NULL || class > HG_PROF_FILE_WRITE)
        return HG_ERR_ARGUMENT;
    if (!(t->prof->types >> HG_PROF_SOCKET_READ_TIME & 1))
        return HG_OK;
    hg_status status = HG_OK, second = HG_OK;
    if (countdown_due(&t->io_time[class], (int64_t)(ns & INT64_MAX), &t->random))
        status = io_sample(t, (hg_prof_type)(HG_PROF_SOCKET_READ_TIME + 2 * (unsigned)class), (int64_t)(ns & INT64_MAX));
    if (bytes > 0 && countdown_due(&t->io_size[class], bytes, &t->random))
        second = io_sample(t, (hg_prof_type)(HG_PROF_SOCKET_READ_SIZE + 2 * (unsigned)class), bytes);
    return status != HG_OK ? status : second;
}

hg_status hg_prof_exception(hg_prof_thread *t, hg_slice type, hg_slice text)
{
    if (t == NULL)
        return HG_ERR_ARGUMENT;
    if (!(t->prof->types >> HG_PROF_EXCEPTION_SAMPLES & 1))
        return HG_OK;
    /* a plain countdown: every distance-th exception, so the factor is the distance itself */
    if (--t->exception.left > 0)
        return HG_OK;
    t->exception.left = (int64_t)t->prof->settings.exception_distance;
    label labels[] = {{.key = HG_SLICE("exception type"), .text = type},
                      {.key = HG_SLICE("exception message"), .text = text}};
    sample_values v = {.mask = 0};
    sample_add(&v, HG_PROF_EXCEPTION_SAMPLES, 1);
    return sample_send(t, &v, records_stack(t), records_labels(t, labels, text.len > 0 ? 2 : 1),
                       timestamp_of(t->prof));
}

hg_status hg_prof_timeline(hg_prof_thread *t, hg_slice event, uint64_t duration_ns, bool with_stack)
{
    if (t == NULL || event.len == 0 || event.len > 64)
        return HG_ERR_ARGUMENT;
    if (!(t->prof->types >> HG_PROF_TIMELINE & 1))
        return HG_OK;
    char frame[80] = "[";
    memcpy(frame + 1, event.ptr, event.len);
    frame[event.len + 1] = ']';
    label labels[] = {{.key = HG_SLICE("event"), .text = event}};
    sample_values v = {.mask = 0};
    sample_add(&v, HG_PROF_TIMELINE, duration_ns ? (int64_t)(duration_ns & INT64_MAX) : 1);
    stack_record *stack = with_stack ? records_stack(t) : records_pseudo_stack(t, hg_slice_of(frame, event.len + 2));
    return sample_send(t, &v, stack, records_labels(t, labels, 1), (int64_t)hg_clock_wall_ns());
}

hg_status hg_prof_endpoint(hg_prof_thread *t, uint64_t root, hg_slice resource)
{
    if (t == NULL || root == 0 || resource.len == 0)
        return HG_ERR_ARGUMENT;
    if (!atomic_load_explicit(&t->prof->running, memory_order_relaxed))
        return HG_ERR_UNSUPPORTED;
    char *copy = strndup(resource.ptr, resource.len < TEXT_MAX ? resource.len : TEXT_MAX);
    if (copy == NULL)
        return HG_ERR_NOMEM;
    const message m = {.kind = MESSAGE_ENDPOINT, .resource = copy};
    const int64_t span = (int64_t)root;
    if (queue_send(&t->prof->queue, &m, &span, 1))
        return HG_OK;
    free(copy);
    count_up(&t->counters.reasons[HG_PROF_QUEUE_FULL], 1);
    return HG_ERR_LIMIT;
}
