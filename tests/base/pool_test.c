/* Per-thread pools (marshalling M-1 to M-10) and arenas (M-11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void blocks_hold_what_was_asked_for(void **state)
{
    (void)state;
    hg_pool *pool = hg_pool_mine();
    for (size_t size = 0; size < 300000; size = size < 70 ? size + 1 : size * 5 / 4) {
        char *block = hg_pool_rent(pool, size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        assert_true(hg_pool_block_size(block) >= size);
        memset(block, 0x5C, size);
        hg_pool_return(pool, block);
    }
    void *text = hg_pool_rent(pool, 16385);
    assert_true(hg_pool_block_size(text) < 32768);
    hg_pool_return(pool, text);
    assert_null(hg_pool_rent(pool, SIZE_MAX - 8));
    hg_pool_shutdown();
}

static void a_returned_block_is_rented_again_without_malloc(void **state)
{
    (void)state;
    hg_pool_shutdown();
    void *block = hg_pool_rent(NULL, 1000);
    hg_pool_return(NULL, block);
    uint64_t misses = hg_pool_statistics().misses;
    for (int i = 0; i < 10000; i++) {
        void *again = hg_pool_rent(NULL, 1000);
        assert_ptr_equal(again, block);
        hg_pool_return(NULL, again);
    }
    assert_int_equal(hg_pool_statistics().misses, misses);
}

static void large_blocks_never_enter_a_free_list(void **state)
{
    (void)state;
    hg_pool_shutdown();
    void *block = hg_pool_rent(NULL, HG_POOL_LARGEST + 1);
    assert_int_equal(hg_pool_block_size(block), HG_POOL_LARGEST + 1);
    hg_pool_return(NULL, block);
    assert_int_equal(hg_pool_statistics().bytes_kept, 0);
    assert_int_equal(hg_pool_statistics().bytes_loaned, 0);
}

static void kept_memory_is_bounded(void **state)
{
    (void)state;
    hg_pool_shutdown();
    enum { N = 256 };
    void *blocks[N]; /* 16 MiB in all */
    for (int i = 0; i < N; i++)
        blocks[i] = hg_pool_rent(NULL, 65536);
    for (int i = 0; i < N; i++)
        hg_pool_return(NULL, blocks[i]);
    assert_int_equal(hg_pool_statistics().bytes_kept, HG_POOL_RETENTION);
    hg_pool_retain(100000);
    assert_true(hg_pool_statistics().bytes_kept <= 100000);
    hg_pool_retain(0);
    assert_int_equal(hg_pool_statistics().bytes_kept, 0);
    hg_pool_return(NULL, hg_pool_rent(NULL, 64));
    assert_int_equal(hg_pool_statistics().bytes_kept, 0);
    hg_pool_shutdown();
}

static void kept_memory_is_released_on_demand_and_kept_again_later(void **state)
{
    (void)state;
    hg_pool_shutdown();
    hg_pool_return(NULL, hg_pool_rent(NULL, 65536));
    assert_int_equal(hg_pool_statistics().bytes_kept, 65536);
    hg_pool_release();
    assert_int_equal(hg_pool_statistics().bytes_kept, 0);
    hg_pool_return(NULL, hg_pool_rent(NULL, 64));
    assert_int_equal(hg_pool_statistics().bytes_kept, 64);
    hg_pool_shutdown();
}

/* In checked builds marks of the former block must not count. */
static void memory_given_back_may_come_again_in_another_size(void **state)
{
    (void)state;
    hg_pool_shutdown();
    static const size_t sizes[] = {65536, 32768, 16384};
    for (size_t i = 0; i < 3; i++) {
        hg_pool_return(NULL, hg_pool_rent(NULL, sizes[i]));
        hg_pool_release();
    }
    hg_pool_shutdown();
}

static void a_quiet_pool_shrinks(void **state)
{
    (void)state;
    hg_pool_shutdown();
    hg_pool *pool = hg_pool_mine();
    void *blocks[16];
    for (int i = 0; i < 16; i++)
        blocks[i] = hg_pool_rent(pool, 65536);
    for (int i = 0; i < 16; i++)
        hg_pool_return(pool, blocks[i]);
    hg_pool_tick(pool);
    assert_int_equal(hg_pool_statistics().bytes_kept, HG_POOL_RETENTION);
    for (int i = 0; i < HG_POOL_QUIET - 1; i++)
        hg_pool_tick(pool);
    assert_int_equal(hg_pool_statistics().bytes_kept, HG_POOL_RETENTION);
    hg_pool_tick(pool);
    assert_true(hg_pool_statistics().bytes_kept <= HG_POOL_RETENTION / 2);
    for (int i = 0; i < 20 * HG_POOL_QUIET; i++)
        hg_pool_tick(pool);
    assert_true(hg_pool_statistics().bytes_kept <= 65536);
    hg_pool_shutdown();
}

/* give_back frees kept blocks in the middle of a quiet time. */
static void expect_quiet_pool_survives(void (*give_back)(void))
{
    hg_pool_shutdown();
    hg_pool *pool = hg_pool_mine();
    void *blocks[8];
    for (int i = 0; i < 8; i++)
        blocks[i] = hg_pool_rent(pool, 65536);
    for (int i = 0; i < 8; i++)
        hg_pool_return(pool, blocks[i]);
    hg_pool_tick(pool);
    hg_pool_tick(pool); /* quiet from here on, eight blocks idle */
    give_back();
    for (int i = 0; i < 8; i++)
        blocks[i] = hg_pool_rent(pool, 64);
    for (int i = 0; i < 8; i++)
        hg_pool_return(pool, blocks[i]);
    for (int i = 0; i < 2 * HG_POOL_QUIET; i++)
        hg_pool_tick(pool);
    assert_true(hg_pool_statistics().bytes_kept <= 8 * 256);
    hg_pool_shutdown();
}

static void retain_little(void)
{
    hg_pool_retain(1024);
}

static void memory_given_back_is_not_idle_any_more(void **state)
{
    (void)state;
    expect_quiet_pool_survives(hg_pool_release);
    expect_quiet_pool_survives(retain_little);
}

#if !defined(HG_CHECKED)
static void double_return_and_null_do_no_harm(void **state)
{
    (void)state;
    void *block = hg_pool_rent(NULL, 64);
    hg_pool_return(NULL, block);
    hg_pool_return(NULL, block);
    hg_pool_return(NULL, NULL);
    void *a = hg_pool_rent(NULL, 64), *b = hg_pool_rent(NULL, 64);
    assert_ptr_not_equal(a, b);
    hg_pool_return(NULL, a);
    hg_pool_return(NULL, b);
}
#endif

/* ---- threads ---- */

static void *return_it(void *block)
{
    hg_pool_return(NULL, block);
    return NULL;
}

static void a_block_returned_elsewhere_comes_home(void **state)
{
    (void)state;
    hg_pool_shutdown();
    void *block = hg_pool_rent(NULL, 4096);
    pthread_t thread;
    pthread_create(&thread, NULL, return_it, block);
    pthread_join(thread, NULL);
    assert_int_equal(hg_pool_statistics().bytes_loaned, 4096);
    assert_ptr_equal(hg_pool_rent(NULL, 4096), block);
    assert_int_equal(hg_pool_statistics().remote_returns, 1);
    hg_pool_return(NULL, block);
}

static void *rent_and_leave(void *out)
{
    void **blocks = out;
    for (int i = 0; i < 4; i++)
        blocks[i] = hg_pool_rent(NULL, 1000);
    return NULL;
}

static void blocks_outlive_their_thread(void **state)
{
    (void)state;
    void *blocks[4];
    pthread_t thread;
    pthread_create(&thread, NULL, rent_and_leave, blocks);
    pthread_join(thread, NULL);
    for (int i = 0; i < 4; i++) {
        memset(blocks[i], 1, 1000);
        hg_pool_return(NULL, blocks[i]);
    }
}

typedef struct exchange {
    void *_Atomic slots[64];
    _Atomic int stop;
} exchange;

static void *trade(void *state)
{
    exchange *x = state;
    uint32_t seed = (uint32_t)(uintptr_t)&seed | 1;
    for (int i = 0; i < 40000; i++) {
        seed = seed * 1664525u + 1013904223u;
        size_t size = 1 + (seed >> 12) % 5000;
        char *block = hg_pool_rent(NULL, size);
        block[0] = block[size - 1] = 1;
        char *other = __atomic_exchange_n((void **)&x->slots[seed >> 26], block, __ATOMIC_ACQ_REL);
        hg_pool_return(NULL, other);
    }
    return NULL;
}

static void busy_threads_trade_blocks(void **state)
{
    (void)state;
    static exchange x;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, trade, &x);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 64; i++)
        hg_pool_return(NULL, x.slots[i]);
}

static void the_child_of_a_fork_keeps_its_pool(void **state)
{
    (void)state;
    void *before = hg_pool_rent(NULL, 500);
    pid_t child = fork();
    if (child == 0) {
        hg_pool_return(NULL, before);
        void *after = hg_pool_rent(NULL, 500);
        _exit(after == before && hg_pool_statistics().pools == 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    hg_pool_return(NULL, before);
}

/* ---- arenas ---- */

static void arena_blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    char *last = NULL;
    size_t last_size = 0;
    for (size_t i = 1; i < 2000; i++) {
        size_t alignment = (size_t)1 << (i % 5), size = i * 37 % 500 + (i % 400 == 0 ? 100000 : 0);
        char *p = hg_arena_alloc(&arena, size, alignment);
        assert_int_equal((uintptr_t)p % alignment, 0);
        memset(p, (int)i, size);
        if (last != NULL && last_size > 0)
            assert_int_equal((unsigned char)last[last_size - 1], (unsigned char)(i - 1));
        last = p;
        last_size = size;
    }
    hg_arena_close(&arena);
    assert_int_equal(hg_arena_used(&arena), 0);
}

static void the_newest_arena_block_grows_in_place(void **state)
{
    (void)state;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    char *p = hg_arena_alloc(&arena, 10, 1);
    assert_ptr_equal(hg_arena_resize(&arena, p, 10, 100, 1), p);
    assert_ptr_equal(hg_arena_resize(&arena, p, 100, 5, 1), p);
    assert_int_equal(hg_arena_used(&arena), 5);
    memcpy(p, "12345", 5);
    hg_arena_alloc(&arena, 1, 1);
    char *moved = hg_arena_resize(&arena, p, 5, 50, 1);
    assert_ptr_not_equal(moved, p);
    assert_memory_equal(moved, "12345", 5);
    moved = hg_arena_resize(&arena, moved, 50, 50000, 1);
    assert_memory_equal(moved, "12345", 5);
    hg_arena_close(&arena);
}

static void a_warm_arena_calls_malloc_no_more(void **state)
{
    (void)state;
    hg_pool_shutdown();
    uint64_t misses = 0;
    for (int i = 0; i < 1000; i++) {
        hg_arena arena;
        hg_arena_init(&arena, NULL);
        for (int k = 0; k < 50; k++)
            assert_non_null(hg_arena_alloc(&arena, 300, 8));
        hg_arena_close(&arena);
        if (i == 0)
            misses = hg_pool_statistics().misses;
    }
    assert_int_equal(hg_pool_statistics().misses, misses);
    assert_int_equal(hg_pool_statistics().bytes_loaned, 0);
}

static void a_small_arena_holds_little(void **state)
{
    (void)state;
    hg_pool_shutdown();
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_arena_alloc(&arena, 4024, 1);
    assert_true(hg_pool_statistics().bytes_loaned <= 8192);
    hg_arena_alloc(&arena, 3704, 1);
    assert_true(hg_pool_statistics().bytes_loaned <= 16384);
    hg_arena_close(&arena);
}

/* ---- misuse stops the process with one line ---- */

#if defined(HG_CHECKED)
static void expect_fault(void (*misuse)(void), const char *message)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        misuse();
        _exit(0);
    }
    close(ends[1]);
    char text[4096];
    size_t used = 0;
    for (ssize_t n; used < sizeof text - 1 && (n = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (strstr(text, message) == NULL)
        fail_msg("%s instead of %s", text, message);
}

static void return_twice(void)
{
    void *block = hg_pool_rent(NULL, 64);
    hg_pool_return(NULL, block);
    hg_pool_return(NULL, block);
}

static void *pool_of_thread(void *out)
{
    *(void **)out = hg_pool_rent(NULL, 64);
    return hg_pool_mine();
}

static void return_to_another_pool(void)
{
    void *block, *pool;
    pthread_t thread;
    pthread_create(&thread, NULL, pool_of_thread, &block);
    pthread_join(thread, &pool);
    hg_pool_return(hg_pool_mine(), block);
}

static void return_something_else(void)
{
    static _Alignas(16) char memory[256];
    hg_pool_return(NULL, memory + 64);
}

static void write_past_the_end(void)
{
    char *block = hg_pool_rent(NULL, 64);
    volatile size_t at = hg_pool_block_size(block);
    block[at] = 1;
    hg_pool_return(NULL, block);
}

static void use_a_destroyed_pool(void)
{
    hg_pool *pool = hg_pool_mine();
    hg_pool_shutdown();
    hg_pool_rent(pool, 64);
}

#if !defined(__SANITIZE_ADDRESS__)
static void write_after_return(void)
{
    char *block = hg_pool_rent(NULL, 64);
    hg_pool_return(NULL, block);
    block[20] = 1;
    hg_pool_rent(NULL, 64);
}
#endif

static void each_misuse_is_named(void **state)
{
    (void)state;
    expect_fault(return_twice, "memory fault: double return");
    expect_fault(return_to_another_pool, "memory fault: return to a foreign pool");
    expect_fault(return_something_else, "memory fault: return of a non-block");
#if !defined(__SANITIZE_ADDRESS__)
    expect_fault(write_past_the_end, "memory fault: write past the end");
    expect_fault(write_after_return, "memory fault: write after return");
#else
    expect_fault(write_past_the_end, "");
#endif
    expect_fault(use_a_destroyed_pool, "memory fault: use of a destroyed pool");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_what_was_asked_for),
        cmocka_unit_test(a_returned_block_is_rented_again_without_malloc),
        cmocka_unit_test(large_blocks_never_enter_a_free_list),
        cmocka_unit_test(kept_memory_is_bounded),
        cmocka_unit_test(kept_memory_is_released_on_demand_and_kept_again_later),
        cmocka_unit_test(memory_given_back_may_come_again_in_another_size),
        cmocka_unit_test(a_quiet_pool_shrinks),
        cmocka_unit_test(memory_given_back_is_not_idle_any_more),
#if !defined(HG_CHECKED)
        cmocka_unit_test(double_return_and_null_do_no_harm),
#endif
        cmocka_unit_test(a_block_returned_elsewhere_comes_home),
        cmocka_unit_test(blocks_outlive_their_thread),
        cmocka_unit_test(busy_threads_trade_blocks),
        cmocka_unit_test(the_child_of_a_fork_keeps_its_pool),
        cmocka_unit_test(arena_blocks_are_aligned_and_apart),
        cmocka_unit_test(the_newest_arena_block_grows_in_place),
        cmocka_unit_test(a_warm_arena_calls_malloc_no_more),
        cmocka_unit_test(a_small_arena_holds_little),
#if defined(HG_CHECKED)
        cmocka_unit_test(each_misuse_is_named),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
