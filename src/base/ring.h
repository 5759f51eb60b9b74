/* Bounded queue of fixed-size items: many producers, one consumer, no lock. Producers never wait: a full ring refuses. */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "hotgate/base.h"

typedef struct hg_ring hg_ring;

/* Room for `slots` items (rounded up to a power of two, at least 2). NULL when out of memory or absurd sizes. */
hg_ring *hg_ring_new(size_t slots, size_t item_size);
void hg_ring_free(hg_ring *ring);

/* Copies an item in. Any thread. False when full. One compare-and-swap. */
bool hg_ring_push(hg_ring *ring, const void *item);

/* Copies the oldest item out. One thread only. False when empty (or when the oldest is still being written). */
bool hg_ring_pop(hg_ring *ring, void *item);

/* Items inside; a moment's guess while others push. */
size_t hg_ring_count(const hg_ring *ring);
size_t hg_ring_slots(const hg_ring *ring);

#endif
