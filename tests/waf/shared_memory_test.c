/* Judging writes to no memory that threads share: everything that loading and learning made is read-only while another
 * thread judges, so that a write would end the test. */
#include "judge.h"

#include "waf/eval/pool.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

#if OWN_MALLOC

enum { ROOM = 512 << 20, MAPPINGS = 4096, HEADER = 16, WARM_ROUNDS = 2000, ROUNDS = 400 };

/* ---- Memory: what the loading thread allocates stands together, and its mappings are known ---- */

static __thread bool is_shared;
static char *room;
static size_t used;

typedef struct mapping {
    void *begin;
    size_t size;
} mapping;

static mapping mappings[MAPPINGS];
static size_t mapping_count;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void __libc_free(void *ptr);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);

static bool is_in_room(const void *ptr)
{
    return room != NULL && (const char *)ptr >= room && (const char *)ptr < room + ROOM;
}

static void *take(size_t alignment, size_t size)
{
    size_t begin = (used + HEADER + alignment - 1) & ~(alignment - 1);
    if (begin + size > ROOM)
        return NULL;
    memcpy(room + begin - HEADER, &size, sizeof size);
    used = begin + size;
    return room + begin;
}

void *malloc(size_t size)
{
    return is_shared ? take(16, size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!is_shared)
        return __libc_calloc(count, size);
    return count == 0 || size <= SIZE_MAX / count ? take(16, count * size) : NULL; /* nothing there is used twice */
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_shared ? take(alignment, size) : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out != NULL ? 0 : 12;
}

void *realloc(void *ptr, size_t size)
{
    if (!is_in_room(ptr))
        return is_shared && ptr == NULL ? take(16, size) : __libc_realloc(ptr, size);
    size_t old;
    memcpy(&old, (char *)ptr - HEADER, sizeof old);
    void *grown = malloc(size);
    return grown != NULL ? memcpy(grown, ptr, old < size ? old : size) : NULL;
}

void free(void *ptr)
{
    if (!is_in_room(ptr))
        __libc_free(ptr);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    void *begin = __real_mmap(at, size, protection, flags, file, offset);
    if (is_shared && begin != MAP_FAILED && mapping_count < MAPPINGS)
        mappings[mapping_count++] = (mapping){begin, size};
    return begin;
}

static void protect(int protection)
{
    mprotect(room, (used + 4095) & ~(size_t)4095, protection);
    for (size_t i = 0; i < mapping_count; i++)
        mprotect(mappings[i].begin, mappings[i].size, protection);
}

static void on_write(int signal, siginfo_t *info, void *context)
{
    char text[100];
    (void)signal;
    (void)context;
    int len = snprintf(text, sizeof text, "a judgement wrote to shared memory at %p\n", info->si_addr);
    _exit(write(2, text, (size_t)len) == len ? 1 : 2);
}

/* ---- Rules and requests ---- */

static const char rules[] =
    "{\"id\":\"r1\",\"name\":\"n\",\"tags\":{\"type\":\"t1\"},\"transformers\":[\"lowercase\"],\"conditions\":[{\"operator\":"
    "\"match_regex\",\"parameters\":{\"regex\":\"ev[a-z]+l|<script\",\"inputs\":[{\"address\":\"q\"},{\"address\":\"b\"}]}}]},"
    "{\"id\":\"r2\",\"name\":\"n\",\"tags\":{\"type\":\"t2\"},\"transformers\":[\"urlDecodeUni\",\"removeNulls\"],\"conditions\":"
    "[{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"(?:un|in)ion.{1,20}sel\",\"inputs\":[{\"address\":\"q\"},"
    "{\"address\":\"b\"}]}},{\"operator\":\"phrase_match\",\"parameters\":{\"list\":[\"passwd\",\"shadow\"],\"inputs\":["
    "{\"address\":\"q\"}]}}]},"
    "{\"id\":\"r3\",\"name\":\"n\",\"tags\":{\"type\":\"t3\"},\"conditions\":[{\"operator\":\"is_sqli\",\"parameters\":{\"inputs\":["
    "{\"address\":\"q\"},{\"address\":\"b\"}]}}]},"
    "{\"id\":\"r4\",\"name\":\"n\",\"tags\":{\"type\":\"t4\"},\"conditions\":[{\"operator\":\"is_xss\",\"parameters\":{\"inputs\":["
    "{\"address\":\"q\"},{\"address\":\"b\"}]}}]},"
    "{\"id\":\"r5\",\"name\":\"n\",\"tags\":{\"type\":\"t5\"},\"on_match\":[\"block\"],\"conditions\":[{\"operator\":\"ip_match\","
    "\"parameters\":{\"data\":\"ips\",\"inputs\":[{\"address\":\"ip\"}]}}]},"
    "{\"id\":\"r6\",\"name\":\"n\",\"tags\":{\"type\":\"t6\"},\"conditions\":[{\"operator\":\"!exact_match\",\"parameters\":{\"list\":"
    "[\"GET\",\"POST\"],\"inputs\":[{\"address\":\"m\"}]}},{\"operator\":\"lfi_detector\",\"parameters\":{\"resource\":["
    "{\"address\":\"f\"}],\"params\":[{\"address\":\"q\"}]}}]}";

static const char sections[] =
    ",\"rules_data\":[{\"id\":\"ips\",\"type\":\"ip_with_expiration\",\"data\":[{\"value\":\"10.0.0.0/8\"}]}],"
    "\"exclusions\":[{\"id\":\"x\",\"inputs\":[{\"address\":\"q\",\"key_path\":[\"skip\"]}],\"rules_target\":[{\"rule_id\":\"r1\"}]}],"
    "\"processors\":[{\"id\":\"p\",\"generator\":\"extract_schema\",\"evaluate\":false,\"output\":true,\"parameters\":{\"mappings\":["
    "{\"inputs\":[{\"address\":\"b\"}],\"output\":\"schema\"}]}},{\"id\":\"h\",\"generator\":\"http_header_fingerprint\",\"evaluate\":"
    "false,\"output\":true,\"parameters\":{\"mappings\":[{\"headers\":[{\"address\":\"h\"}],\"output\":\"fp\"}]}}]";

static const char *const requests[] = {
    "{\"m\":\"GET\",\"ip\":\"192.0.2.1\",\"q\":{\"a\":\"red shoes\",\"page\":\"2\"},\"h\":{\"host\":\"x\",\"accept\":\"*/*\"}}",
    "{\"m\":\"PUT\",\"ip\":\"192.0.2.1\",\"q\":{\"a\":\"1' or 1=1 union%20select passwd from x--\",\"f\":\"../../etc/passwd\"},"
    "\"f\":\"/x/../../etc/passwd\"}",
    "{\"m\":\"POST\",\"b\":[\"<script>alert(1)</script>\",{\"k\":[\"EVIIL\",\"some longer text, one that has no attack in it\","
    "1,true,null]}],\"q\":{\"skip\":\"evil\"}}",
    "{\"m\":\"GET\",\"ip\":\"10.1.2.3\",\"q\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"a\",\"b\"]}",
};

enum { REQUESTS = sizeof requests / sizeof *requests };

typedef struct work {
    hg_waf *waf;
    const hg_value *values[REQUESTS];
    pthread_barrier_t barrier;
    size_t matches;
} work;

static size_t judge_all(const work *w, size_t rounds)
{
    size_t matches = 0;
    for (size_t i = 0; i < rounds * REQUESTS; i++) {
        const hg_result *result;
        hg_context *context = hg_context_new(w->waf);
        if (hg_context_eval(context, w->values[i % REQUESTS], 10000000, &result) != HG_OK)
            abort();
        matches += result->events;
        hg_context_free(context);
    }
    return matches;
}

/* Without a memo the thread scans every text every time. */
static void remember_nothing(const hg_waf *waf)
{
    hg_workspace *workspace = hg_pool_take_workspace(&waf->plan);
    assert_non_null(workspace);
    free(workspace->memo);
    workspace->memo = NULL;
    hg_pool_give_workspace(workspace);
}

/* One round makes what the thread keeps; the others must write to nothing else. */
static void *work_alone(void *argument)
{
    work *w = argument;
    remember_nothing(w->waf);
    judge_all(w, 2);
    pthread_barrier_wait(&w->barrier); /* now it is protected */
    pthread_barrier_wait(&w->barrier);
    w->matches = judge_all(w, ROUNDS);
    pthread_barrier_wait(&w->barrier);
    pthread_barrier_wait(&w->barrier); /* a thread's end may write again */
    return NULL;
}

/* Initialised and other global data of the program, all rooms included. */
extern char __data_start[], _end[];

static void judging_writes_to_nothing_that_threads_share(void **state)
{
    (void)state;
    static work w;
    room = __real_mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    is_shared = true;
    w.waf = judge_load(rules, sections);
    for (int i = 0; i < REQUESTS; i++)
        w.values[i] = judge_value(requests[i]);
    remember_nothing(w.waf);
    size_t expected = judge_all(&w, WARM_ROUNDS) / WARM_ROUNDS;
    is_shared = false;
    struct sigaction caught = {.sa_sigaction = on_write, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &caught, NULL);
    pthread_t thread;
    pthread_barrier_init(&w.barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, work_alone, &w), 0);
    pthread_barrier_wait(&w.barrier);
    protect(PROT_READ);
    size_t size = (size_t)(_end - __data_start);
    char *before = __libc_malloc(size);
    memcpy(before, __data_start, size);
    pthread_barrier_wait(&w.barrier);
    pthread_barrier_wait(&w.barrier);
    size_t changed = 0;
    for (size_t i = 0; i < size; i++) /* but for the barrier and the count of matches, which are the test's */
        changed += before[i] != __data_start[i] && (__data_start + i < (char *)&w || __data_start + i >= (char *)(&w + 1));
    protect(PROT_READ | PROT_WRITE);
    pthread_barrier_wait(&w.barrier);
    pthread_join(thread, NULL);
    __libc_free(before);
    assert_int_equal(expected, 5);
    assert_int_equal(w.matches, expected * ROUNDS);
    assert_int_equal(changed, 0);
    hg_waf_unref(w.waf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {JUDGE_TEST(judging_writes_to_nothing_that_threads_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("skipped: needs glibc's allocator, without sanitizers\n");
    return 77;
}

#endif
