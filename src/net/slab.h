/* Fixed-size objects from blocks that are never given back: a freed object is the next one handed out. Objects are
 * numbered, so that tables can hold 32-bit indexes. */
#ifndef NET_SLAB_H
#define NET_SLAB_H

#include "hotgate/base.h"

typedef struct net_slab {
    char **blocks;
    uint32_t block_count, block_cap;
    uint32_t size;       /* of one object */
    uint32_t shift;      /* log2 of objects a block */
    uint32_t made;       /* objects ever handed out: indexes are below this */
    uint32_t free_head;  /* index + 1 */
    uint32_t live;
} net_slab;

/* size is rounded up to 16, blocks are aligned to 64; objects hold at least a uint32_t that is overwritten when free. */
void net_slab_init(net_slab *slab, size_t size, uint32_t shift);
void net_slab_close(net_slab *slab);

/* An uninitialised object and its index; NULL when out of memory. O(1), allocates only beyond the peak. */
void *net_slab_take(net_slab *slab, uint32_t *index);
void net_slab_give(net_slab *slab, uint32_t index);

/* Fetches the first octets of the object that net_slab_take will hand out next. */
void net_slab_fetch(const net_slab *slab, size_t octets);

static inline void *net_slab_at(const net_slab *slab, uint32_t index)
{
    return slab->blocks[index >> slab->shift] + (size_t)(index & ((1u << slab->shift) - 1)) * slab->size;
}

#endif
