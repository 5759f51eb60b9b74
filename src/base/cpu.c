#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1 };

static _Atomic int chosen = UNKNOWN;

static hg_cpu_level supported(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        return HG_CPU_AVX2;
    if (__builtin_cpu_supports("ssse3"))
        return HG_CPU_SSSE3;
#endif
    return HG_CPU_SCALAR;
}

static hg_cpu_level lower_of(hg_cpu_level a, hg_cpu_level b)
{
    return a < b ? a : b;
}

static hg_cpu_level choose(void)
{
    const char *wanted = getenv("HG_CPU");
    if (wanted == NULL)
        return supported();
    if (strcmp(wanted, "scalar") == 0)
        return HG_CPU_SCALAR;
    if (strcmp(wanted, "ssse3") == 0)
        return lower_of(HG_CPU_SSSE3, supported());
    return supported();
}

hg_cpu_level hg_cpu(void)
{
    int level = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (level == UNKNOWN) {
        level = (int)choose();
        atomic_store_explicit(&chosen, level, memory_order_relaxed);
    }
    return (hg_cpu_level)level;
}

void hg_cpu_force(hg_cpu_level level)
{
    atomic_store_explicit(&chosen, (int)lower_of(level, supported()), memory_order_relaxed);
}

#if defined(__x86_64__)
#include <cpuid.h>

/* Asked once: the instruction is slow, in virtual machines very slow. */
static int detect_sha(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29)) != 0;
}

int hg_cpu_has_sha(void)
{
    static _Atomic int known = UNKNOWN;
    if (hg_cpu() == HG_CPU_SCALAR)
        return 0;
    int sha = atomic_load_explicit(&known, memory_order_relaxed);
    if (sha == UNKNOWN) {
        sha = detect_sha();
        atomic_store_explicit(&known, sha, memory_order_relaxed);
    }
    return sha;
}
#else
int hg_cpu_has_sha(void)
{
    return 0;
}
#endif
