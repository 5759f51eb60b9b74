/* HG_MEM modes and the checks of HG_CHECKED builds. */
#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>

pool_debug_modes pool_debug;

enum { FILL_RENTED = 0xA5, FILL_RETURNED = 0xDD };

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p != NULL; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, word, n) == 0 && (p[n] == ',' || p[n] == 0))
            return true;
    }
    return false;
}

void pool_debug_read(void)
{
    const char *modes = getenv("HG_MEM");
    if (modes == NULL)
        return;
    pool_debug.poison = has_word(modes, "poison");
    pool_debug.nocache = has_word(modes, "nocache");
    const char *fail = strstr(modes, "fail=");
    pool_debug.fail_one_of = fail ? (uint32_t)strtoul(fail + 5, NULL, 10) : 0;
    pool_debug.any = pool_debug.poison || pool_debug.nocache || pool_debug.fail_one_of > 0;
}

bool pool_debug_fails(void)
{
    static _Atomic(uint32_t) sequence = 1;
    if (pool_debug.fail_one_of == 0)
        return false;
    uint32_t x = atomic_fetch_add(&sequence, 1) * 2654435761u; /* Knuth's multiplicative hash */
    return (x >> 8) % pool_debug.fail_one_of == 0;
}

#if defined(HG_CHECKED)

enum { POOL_NEW = 0, POOL_RENTED = 0x5EED, POOL_FREE = 0xF4EE };
static const char canary[POOL_TRAILER] = {(char)0xCA, (char)0x4A, (char)0x7E, (char)0xC4,
                                          (char)0xCA, (char)0x4A, (char)0x7E, (char)0xC4};

static void stop_with(const char *fault)
{
    fprintf(stderr, "hotgate: memory fault: %s\n", fault);
    abort();
}

static char *trailer_of(const pool_header *header)
{
    return (char *)(header + 1) + header->size;
}

void pool_mark_fresh(pool_header *header)
{
    header->state = POOL_NEW; /* the system may give what was a free block of ours */
    memcpy(trailer_of(header), canary, sizeof canary);
}

void pool_mark_rented(pool_header *header, hg_pool *pool)
{
    const unsigned char *bytes = (const unsigned char *)(header + 1);
    for (size_t i = sizeof(void *); header->state == POOL_FREE && i < header->size; i++) {
        if (bytes[i] != FILL_RETURNED)
            stop_with("write after return");
    }
    header->owner = pool;
    header->state = POOL_RENTED;
    memset(header + 1, FILL_RENTED, header->size);
}

void pool_mark_returned(pool_header *header)
{
    header->state = POOL_FREE;
    memset(header + 1, FILL_RETURNED, header->size);
}

void pool_check_return(const pool_header *header, const hg_pool *pool)
{
    if (header->state == POOL_FREE)
        stop_with("double return");
    if (header->state != POOL_RENTED)
        stop_with("return of a non-block");
    if (memcmp(trailer_of(header), canary, sizeof canary) != 0)
        stop_with("write past the end");
    if (pool != NULL && pool != header->owner)
        stop_with("return to a foreign pool");
}

void pool_check_alive(uint32_t magic)
{
    if (magic != POOL_ALIVE)
        stop_with("use of a destroyed pool");
}

#else

void pool_mark_fresh(pool_header *header)
{
    (void)header;
}

void pool_mark_rented(pool_header *header, hg_pool *pool)
{
    (void)pool;
    if (pool_debug.poison)
        memset(header + 1, FILL_RENTED, header->size);
}

void pool_mark_returned(pool_header *header)
{
    if (pool_debug.poison)
        memset(header + 1, FILL_RETURNED, header->size);
}

void pool_check_return(const pool_header *header, const hg_pool *pool)
{
    (void)header;
    (void)pool;
}

void pool_check_alive(uint32_t magic)
{
    (void)magic;
}

#endif
