/* Which vector kernels may run. Chosen once; the environment variable HG_CPU=scalar|ssse3|avx2 lowers it. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

typedef enum hg_cpu_level { HG_CPU_SCALAR, HG_CPU_SSSE3, HG_CPU_AVX2 } hg_cpu_level;

/* The level of this process. After the first call: one plain load. Thread-safe. */
hg_cpu_level hg_cpu(void);

/* Whether the SHA extensions may be used (never with HG_CPU=scalar). */
int hg_cpu_has_sha(void);

/* Overrides the level for tests and benchmarks; a level that the CPU lacks is lowered to what it has. */
void hg_cpu_force(hg_cpu_level level);

#endif
