/* Each cell carries a turn number: equal to the position when free, one more when full. (The bounded queue described by
 * D. Vyukov, for one consumer.) */
#include "base/ring.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct cell {
    _Atomic(uint64_t) turn;
    /* the item follows */
} cell;

struct hg_ring {
    uint64_t mask;
    size_t item_size, cell_size;
    char *cells;
    _Alignas(64) _Atomic(uint64_t) head; /* next position to write */
    _Alignas(64) _Atomic(uint64_t) tail; /* next position to read; the consumer's alone */
};

static cell *cell_at(const hg_ring *ring, uint64_t position)
{
    return (cell *)(ring->cells + (position & ring->mask) * ring->cell_size);
}

hg_ring *hg_ring_new(size_t slots, size_t item_size)
{
    const size_t absurd = (size_t)1 << 40;
    if (slots > absurd || item_size > absurd)
        return NULL;
    size_t room = 2;
    while (room < slots)
        room *= 2;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, sizeof(hg_ring)) != 0)
        return NULL;
    hg_ring *ring = memory;
    ring->mask = room - 1;
    ring->item_size = item_size;
    ring->cell_size = (sizeof(cell) + item_size + 7) / 8 * 8;
    ring->cells = ring->cell_size <= SIZE_MAX / room ? malloc(room * ring->cell_size) : NULL;
    if (ring->cells == NULL) {
        free(ring);
        return NULL;
    }
    for (uint64_t i = 0; i < room; i++)
        atomic_init(&cell_at(ring, i)->turn, i);
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    return ring;
}

void hg_ring_free(hg_ring *ring)
{
    if (ring == NULL)
        return;
    free(ring->cells);
    free(ring);
}

bool hg_ring_push(hg_ring *ring, const void *item)
{
    uint64_t position = atomic_load_explicit(&ring->head, memory_order_relaxed);
    cell *slot;
    for (;;) {
        slot = cell_at(ring, position);
        uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        if (turn == position) {
            if (atomic_compare_exchange_weak_explicit(&ring->head, &position, position + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (turn < position) {
            return false; /* a whole round behind: full */
        } else {
            position = atomic_load_explicit(&ring->head, memory_order_relaxed);
        }
    }
    memcpy(slot + 1, item, ring->item_size);
    atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
    return true;
}

bool hg_ring_pop(hg_ring *ring, void *item)
{
    uint64_t position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    cell *slot = cell_at(ring, position);
    if (atomic_load_explicit(&slot->turn, memory_order_acquire) != position + 1)
        return false;
    memcpy(item, slot + 1, ring->item_size);
    atomic_store_explicit(&slot->turn, position + ring->mask + 1, memory_order_release);
    atomic_store_explicit(&ring->tail, position + 1, memory_order_relaxed);
    return true;
}

size_t hg_ring_count(const hg_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&((hg_ring *)ring)->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&((hg_ring *)ring)->head, memory_order_relaxed);
    return head > tail ? (size_t)(head - tail) : 0;
}

size_t hg_ring_slots(const hg_ring *ring)
{
    return (size_t)ring->mask + 1;
}
