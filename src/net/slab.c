/* Fixed-size objects. */
#include "net/slab.h"

#include <stdlib.h>

void net_slab_init(net_slab *slab, size_t size, uint32_t shift)
{
    *slab = (net_slab){.size = (uint32_t)((size + 15) & ~(size_t)15), .shift = shift};
}

void net_slab_close(net_slab *slab)
{
    for (uint32_t i = 0; i < slab->block_count; i++)
        free(slab->blocks[i]);
    free(slab->blocks);
    net_slab_init(slab, slab->size, slab->shift);
}

static bool slab_grow(net_slab *slab)
{
    if (slab->block_count == slab->block_cap) {
        uint32_t cap = slab->block_cap ? slab->block_cap * 2 : 16;
        char **blocks = realloc(slab->blocks, cap * sizeof *blocks);
        if (blocks == NULL)
            return false;
        slab->blocks = blocks;
        slab->block_cap = cap;
    }
    void *block = NULL;
    if (posix_memalign(&block, 64, (size_t)slab->size << slab->shift) != 0)
        return false;
    slab->blocks[slab->block_count++] = block;
    return true;
}

void *net_slab_take(net_slab *slab, uint32_t *index)
{
    if (slab->free_head != 0) {
        *index = slab->free_head - 1;
        void *object = net_slab_at(slab, *index);
        memcpy(&slab->free_head, object, sizeof slab->free_head);
        slab->live++;
        return object;
    }
    if (slab->made >> slab->shift == slab->block_count && !slab_grow(slab))
        return NULL;
    *index = slab->made++;
    slab->live++;
    return net_slab_at(slab, *index);
}

void net_slab_give(net_slab *slab, uint32_t index)
{
    memcpy(net_slab_at(slab, index), &slab->free_head, sizeof slab->free_head);
    slab->free_head = index + 1;
    slab->live--;
}

void net_slab_fetch(const net_slab *slab, size_t octets)
{
    enum { LINE = 64 };
    const uint32_t next = slab->free_head != 0 ? slab->free_head - 1 : slab->made;
    if (next >> slab->shift >= slab->block_count)
        return;
    const char *object = net_slab_at(slab, next);
    for (size_t at = 0; at < octets; at += LINE)
        __builtin_prefetch(object + at, 1);
}
