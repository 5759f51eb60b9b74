/* Which routes get their schema extracted: each key once a period. Look-ups are lock-free; when more than 4,096 keys are
 * known, whoever notices fills the other of two tables with the most recently asked ones. */
#ifndef HELPER_SAMPLER_H
#define HELPER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sampler sampler;

/* period in whole seconds, at least 1. NULL when out of memory. */
sampler *sampler_new(uint32_t period);
void sampler_free(sampler *s); /* NULL is fine */

/* Whether this key is due at this time (seconds). Key 0 never is. Any thread. */
bool sampler_hit(sampler *s, uint64_t key, uint32_t now);

#endif
