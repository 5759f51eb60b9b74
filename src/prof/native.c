/* The native sampler: a timer a thread sends SIGPROF, whose handler walks the stack by frame pointers into one of the
 * thread's slots and sends its address. It allocates, locks and interns nothing. */
#include "prof/internal.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { SLOTS = 8, RATE = 99, RATE_MAX = 250, CODE_MAX = 64, SCANNED = 1024 };

/* Other functions' frames are read here, their red zones too. */
#define NO_SANITIZE __attribute__((no_sanitize("address")))

typedef int unwinder(void **addresses, int count); /* libunwind's unw_backtrace */

typedef struct code_range {
    uintptr_t start, end;
} code_range;

struct native_sampler {
    code_range code[CODE_MAX]; /* executable segments when the thread began */
    size_t code_count;
    timer_t timer;
    bool armed, wall;
    uintptr_t stack_low, stack_high;
    unwinder *unwind;
    identity *identity;
    labels_record *labels;
    uint64_t last_wall, last_cpu, carried_ticks;
    native_slot slots[SLOTS];
    thread_counters counters;
};

static __thread hg_prof_thread *sampled; /* initial-exec would do; set before the timer starts */

typedef struct registers {
    uintptr_t pc, frame, stack;
} registers;

static registers registers_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    const greg_t *r = context->uc_mcontext.gregs;
    return (registers){(uintptr_t)r[REG_RIP], (uintptr_t)r[REG_RBP], (uintptr_t)r[REG_RSP]};
#elif defined(__aarch64__)
    const mcontext_t *m = &context->uc_mcontext;
    return (registers){(uintptr_t)m->pc, (uintptr_t)m->regs[29], (uintptr_t)m->sp};
#else
    (void)context;
    return (registers){0, 0, 0};
#endif
}

static bool is_frame(const native_sampler *n, uintptr_t frame)
{
    return frame >= n->stack_low && frame + 16 <= n->stack_high && frame % 8 == 0;
}

static bool is_code(const native_sampler *n, uintptr_t address)
{
    for (size_t i = 0; i < n->code_count; i++)
        if (address >= n->code[i].start && address < n->code[i].end)
            return true;
    return false;
}

/* Functions of libc use the frame pointer's register for something else. The nearest (next frame, return address) pair
 * on the stack is then where the chain goes on. */
NO_SANITIZE static uintptr_t find_frame(const native_sampler *n, registers from)
{
    if (is_frame(n, from.frame) && from.frame >= from.stack)
        return from.frame;
    for (uintptr_t at = from.stack; at < from.stack + SCANNED && is_frame(n, at); at += 8) {
        uintptr_t next = ((const uintptr_t *)at)[0], back = ((const uintptr_t *)at)[1];
        if (next > at && is_frame(n, next) && is_code(n, back))
            return at;
    }
    return 0;
}

/* Frame pointers form a chain of (next, return address) pairs that climbs the stack; anything else ends the walk. */
NO_SANITIZE static uint32_t walk(const native_sampler *n, registers from, uint64_t *out)
{
    uintptr_t frame = find_frame(n, from);
    uint32_t count = 0;
    out[count++] = from.pc;
    while (count < NATIVE_FRAMES && is_frame(n, frame)) {
        uintptr_t next = ((const uintptr_t *)frame)[0], back = ((const uintptr_t *)frame)[1];
        if (back < 4096)
            break;
        out[count++] = back - 1; /* inside the call, not behind it */
        if (next <= frame)
            break;
        frame = next;
    }
    return count;
}

/* libunwind begins in this handler: what was interrupted is where the program counter is that of the signal. */
static uint32_t walk_unwinding(const native_sampler *n, registers from, uint64_t *out)
{
    void *addresses[NATIVE_FRAMES];
    int count = n->unwind(addresses, NATIVE_FRAMES), at = 0;
    while (at < count && (uintptr_t)addresses[at] != from.pc)
        at++;
    uint32_t kept = 0;
    for (int i = at; i < count; i++)
        out[kept++] = (uintptr_t)addresses[i] - (i > at);
    return kept;
}

static native_slot *free_slot(native_sampler *n)
{
    for (int i = 0; i < SLOTS; i++)
        if (!atomic_load_explicit(&n->slots[i].busy, memory_order_acquire))
            return &n->slots[i];
    return NULL;
}

static uint32_t capture(const native_sampler *n, const ucontext_t *context, native_slot *slot)
{
    registers from = registers_of(context);
    uint32_t count = n->unwind != NULL ? walk_unwinding(n, from, slot->addresses) : 0;
    return count > 0 ? count : walk(n, from, slot->addresses);
}

static void account(native_sampler *n, uint32_t mask, bool sent, hg_prof_reason reason)
{
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        unsigned type = (unsigned)__builtin_ctz(left);
        count_up(&n->counters.taken[type], 1);
        count_up(sent ? &n->counters.accepted[type] : &n->counters.carried[type], 1);
    }
    if (!sent)
        count_up(&n->counters.reasons[reason], 1);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    int saved = errno;
    hg_prof_thread *t = sampled;
    native_sampler *n = t ? t->native : NULL;
    if (n == NULL || !n->armed) {
        errno = saved;
        return;
    }
    uint64_t ticks = n->carried_ticks + 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
    uint64_t wall = hg_clock_monotonic_ns(), cpu = hg_clock_thread_cpu_ns();
    sample_values v = {0};
    sample_add(&v, HG_PROF_SAMPLE, (int64_t)ticks);
    sample_add(&v, HG_PROF_WALL_TIME, (int64_t)(wall - n->last_wall));
    if (t->prof->types >> HG_PROF_CPU_TIME & 1)
        sample_add(&v, HG_PROF_CPU_TIME, cpu > n->last_cpu ? (int64_t)(cpu - n->last_cpu) : 0);
    native_slot *slot = free_slot(n);
    bool sent = false;
    if (slot != NULL && atomic_load_explicit(&t->prof->running, memory_order_relaxed)) {
        slot->count = capture(n, context, slot);
        atomic_store_explicit(&slot->busy, true, memory_order_release);
        message m = {.kind = MESSAGE_NATIVE, .mask = v.mask, .identity = n->identity, .native = slot,
                     .labels = n->labels};
        sent = queue_send(&t->prof->queue, &m, v.values, (size_t)__builtin_popcount(v.mask));
        if (!sent)
            atomic_store_explicit(&slot->busy, false, memory_order_release);
    }
    account(n, v.mask, sent, slot ? HG_PROF_QUEUE_FULL : HG_PROF_REENTRANT);
    n->carried_ticks = sent ? 0 : ticks;
    if (sent) {
        n->last_wall = wall;
        n->last_cpu = cpu;
    }
    errno = saved;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
}

static bool stack_bounds(native_sampler *n)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return false;
    bool ok = pthread_attr_getstack(&attr, &low, &size) == 0;
    pthread_attr_destroy(&attr);
    n->stack_low = (uintptr_t)low;
    n->stack_high = (uintptr_t)low + size;
    return ok;
}

static int note_code(struct dl_phdr_info *info, size_t size, void *state)
{
    (void)size;
    native_sampler *n = state;
    for (int i = 0; i < info->dlpi_phnum && n->code_count < CODE_MAX; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
            n->code[n->code_count++] = (code_range){start, start + info->dlpi_phdr[i].p_memsz};
    }
    return 0;
}

/* The first call sets things up that a signal handler should not. */
static unwinder *load_unwinder(void)
{
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_GLOBAL), *addresses[4];
    unwinder *unwind = library ? (unwinder *)dlsym(library, "unw_backtrace") : NULL;
    if (unwind != NULL)
        unwind(addresses, 4);
    return unwind;
}

bool hg_prof_native_can_unwind(void)
{
    return load_unwinder() != NULL;
}

static bool arm(native_sampler *n, unsigned rate)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(n->wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &event, &n->timer) != 0)
        return false;
    long interval = 1000000000L / (long)rate;
    struct itimerspec spec = {{0, interval}, {0, interval}};
    n->armed = true;
    if (timer_settime(n->timer, 0, &spec, NULL) == 0)
        return true;
    n->armed = false;
    timer_delete(n->timer);
    return false;
}

static void no_ticks(hg_prof_thread *t)
{
    pthread_mutex_lock(&t->prof->lock);
    atomic_fetch_sub(&t->prof->ticking, t->ticking);
    t->ticking = false;
    pthread_mutex_unlock(&t->prof->lock);
    atomic_store(&t->ticks, 0);
}

hg_status hg_prof_native_start(hg_prof_thread *t, const hg_prof_native_settings *settings)
{
    if (t == NULL || t->native != NULL || (settings != NULL && settings->rate > RATE_MAX))
        return HG_ERR_ARGUMENT;
    native_sampler *n = calloc(1, sizeof *n);
    if (n == NULL)
        return HG_ERR_NOMEM;
    n->wall = settings && settings->wall;
    dl_iterate_phdr(note_code, n);
    n->labels = records_labels(t, NULL, 0);
    n->identity = identity_intern(t->prof, t->unified, t->git, t->custom);
    bool wants_unwinder = settings && settings->unwinder;
    if (n->labels == NULL || n->identity == NULL || !stack_bounds(n) ||
        (wants_unwinder && (n->unwind = load_unwinder()) == NULL)) {
        free(n);
        return wants_unwinder ? HG_ERR_UNSUPPORTED : HG_ERR_NOMEM;
    }
    pthread_once(&once, install);
    n->last_wall = hg_clock_monotonic_ns();
    n->last_cpu = hg_clock_thread_cpu_ns();
    t->native = n;
    sampled = t;
    if (arm(n, settings && settings->rate ? settings->rate : RATE)) {
        no_ticks(t);
        return HG_OK;
    }
    t->native = NULL;
    sampled = NULL;
    free(n);
    return HG_ERR_UNSUPPORTED;
}

hg_status hg_prof_native_attach(hg_prof *prof, const char *name, const hg_prof_native_settings *settings,
                                hg_prof_thread **out)
{
    if (out == NULL)
        return HG_ERR_ARGUMENT;
    *out = NULL;
    hg_status status = hg_prof_attach(prof, name, out);
    if (status == HG_OK && (status = hg_prof_native_start(*out, settings)) != HG_OK) {
        hg_prof_detach(*out);
        *out = NULL;
    }
    return status;
}

/* After this no signal is pending for the thread, and the consumer holds none of its slots. */
void native_stop(hg_prof_thread *t)
{
    native_sampler *n = t->native;
    if (n == NULL)
        return;
    timer_delete(n->timer);
    n->armed = false;
    sampled = NULL;
    for (int i = 0; i < SLOTS; i++)
        while (atomic_load_explicit(&n->slots[i].busy, memory_order_acquire) &&
               !atomic_load(&t->prof->consumer_ended)) {
            queue_wake(&t->prof->queue);
            struct timespec brief = {0, 100000};
            nanosleep(&brief, NULL);
        }
}

const thread_counters *native_counters(const hg_prof_thread *t)
{
    return t->native ? &t->native->counters : NULL;
}

void native_free(hg_prof_thread *t)
{
    free(t->native);
    t->native = NULL;
}
