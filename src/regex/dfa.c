/* The existence automaton: its memory, states, modes and events. How a state steps is in dfa_step.c. */
#include "regex/dfa_build.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { META_UNITS = 1, CELLS_PER_UNIT = 4, MOST_MODES = 64 };

/* ---- Memory: address space reserved once, so that nothing moves ---- */

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static uint32_t table_entries(uint32_t max_rows)
{
    uint32_t entries = 2048; /* the table also covers the cells of the row numbers below RX_ROW, which are not used */
    while (entries < 2 * max_rows)
        entries *= 2;
    return entries;
}

/* Cuts a piece for n elements off the region; with no region yet it only adds up the size. */
static void *piece(rx_dfa *d, size_t *at, size_t n, size_t element)
{
    void *p = d->region != NULL ? (char *)d->region + *at : NULL;
    *at = align_up(*at + n * element, 8);
    return p;
}

/* Small pieces that every automaton touches stand together, so that small automata cost few pages. */
static size_t lay_out(rx_dfa *d, uint32_t pool_words)
{
    size_t at = 0;
    uint32_t entries = table_entries(d->max_rows);
    d->table_mask = entries - 1;
    d->table = piece(d, &at, entries, sizeof *d->table);
    d->cells = piece(d, &at, (size_t)d->max_rows * d->row_units, 8);
    at = align_up(at, 4096);
    d->start_steps = piece(d, &at, (size_t)RX_CONTEXTS * d->columns, sizeof *d->start_steps);
    d->modes = piece(d, &at, d->max_modes, sizeof *d->modes);
    d->events = piece(d, &at, d->max_events, sizeof *d->events);
    d->pool = piece(d, &at, pool_words, sizeof *d->pool);
    d->pool_size = pool_words;
    return at;
}

static bool reserve_region(rx_dfa *d, uint32_t pool_words)
{
    size_t size = align_up(lay_out(d, pool_words), 4096);
    void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return false;
    d->region = region;
    d->region_size = size;
    lay_out(d, pool_words);
    d->cells -= RX_ROW * CELLS_PER_UNIT; /* still inside the region: the table comes before */
    return true;
}

uint32_t *rx_pool_take(rx_dfa *d, uint32_t words)
{
    if (words > d->pool_size - d->pool_used)
        return NULL;
    uint32_t *at = d->pool + d->pool_used;
    d->pool_used += words;
    return at;
}

/* ---- Byte classes ---- */

/* Bytes stay together as long as every member keeps them together. */
static unsigned join_classes(const rx_dfa *d, uint8_t *class_of)
{
    memcpy(class_of, d->programs[0]->class_of, 256);
    unsigned count = d->programs[0]->class_count;
    for (uint32_t m = 1; m < d->members && count < 256; m++) {
        const rx_program *p = d->programs[m];
        uint16_t first[256]; /* of each old class: the member's class it keeps its number for */
        struct {
            uint8_t old, theirs, now;
        } split[256];
        unsigned splits = 0;
        memset(first, 0xFF, sizeof first);
        for (unsigned b = 0; b < 256; b++) {
            unsigned old = class_of[b], theirs = p->class_of[b], s = 0;
            if (first[old] == 0xFFFF)
                first[old] = (uint16_t)theirs;
            if (first[old] == theirs)
                continue;
            while (s < splits && (split[s].old != old || split[s].theirs != theirs))
                s++;
            if (s == splits) {
                split[splits].old = (uint8_t)old;
                split[splits].theirs = (uint8_t)theirs;
                split[splits++].now = (uint8_t)count++;
            }
            class_of[b] = split[s].now;
        }
    }
    return count;
}

static rx_context context_after(const rx_dfa *d, unsigned byte)
{
    if (byte == '\n' && (d->assertions & (RX_BEGIN_LINE | RX_END_LINE)))
        return RX_AFTER_NEWLINE;
    if ((d->assertions & (RX_WORD | RX_NOT_WORD)) && rx_word_byte((int)byte))
        return RX_AFTER_WORD;
    return RX_AFTER_OTHER;
}

static bool set_up_columns(rx_dfa *d)
{
    uint8_t *maps = malloc(3 * 256);
    if (maps == NULL)
        return false;
    unsigned classes = join_classes(d, maps);
    d->class_of = maps;
    d->representative = maps + 256;
    d->context_of = maps + 512;
    d->columns = (uint16_t)(classes + 1);
    d->row_units = (uint16_t)((d->columns + CELLS_PER_UNIT - 1) / CELLS_PER_UNIT + META_UNITS);
    for (uint32_t m = 0; m < d->members; m++)
        d->assertions |= d->programs[m]->assertions;
    for (unsigned b = 256; b-- > 0;) {
        d->representative[maps[b]] = (uint8_t)b;
        d->context_of[maps[b]] = (uint8_t)context_after(d, b);
    }
    return true;
}

/* ---- States ---- */

rx_state *rx_state_of(const rx_dfa *d, unsigned row)
{
    return (rx_state *)(d->cells + CELLS_PER_UNIT * (size_t)(row + d->row_units - META_UNITS));
}

static uint32_t hash_state(const uint32_t *positions, uint32_t count, unsigned mode, unsigned context)
{
    uint64_t h = (uint64_t)mode * RX_CONTEXTS + context + 1;
    for (uint32_t i = 0; i < count; i++)
        h = (h ^ positions[i]) * 0x9E3779B97F4A7C15ull ^ (h >> 31);
    return (uint32_t)(h >> 32);
}

unsigned rx_state_find(rx_dfa *d, const uint32_t *positions, uint32_t count, unsigned mode, unsigned context)
{
    uint32_t at = hash_state(positions, count, mode, context) & d->table_mask;
    for (; d->table[at] != 0; at = (at + 1) & d->table_mask) {
        unsigned row = RX_ROW + (d->table[at] - 1u) * d->row_units;
        const rx_state *s = rx_state_of(d, row);
        if (s->count == count && s->mode == mode && s->context == context &&
            (count == 0 || memcmp(d->pool + s->positions, positions, count * sizeof *positions) == 0))
            return row;
    }
    uint32_t *copy = d->rows < d->max_rows && count <= UINT16_MAX ? rx_pool_take(d, count) : NULL;
    if (copy == NULL)
        return RX_STOP;
    if (count > 0)
        memcpy(copy, positions, count * sizeof *positions);
    unsigned row = RX_ROW + d->rows * d->row_units;
    *rx_state_of(d, row) = (rx_state){(uint32_t)(copy - d->pool), (uint16_t)count, (uint8_t)mode, (uint8_t)context};
    d->table[at] = (uint16_t)++d->rows;
    return row;
}

/* ---- Modes and events ---- */

bool rx_retired(const rx_dfa *d, unsigned mode, uint32_t member)
{
    return (d->pool[d->modes[mode].retired + member / 32] >> (member % 32)) & 1;
}

static bool can_restart(const rx_dfa *d, const uint32_t *retired)
{
    for (uint32_t m = 0; m < d->members; m++) {
        if (((retired[m / 32] >> (m % 32)) & 1) == 0 && !d->programs[m]->anchored)
            return true;
    }
    return false;
}

/* The mode in which, besides those of `mode`, the hit members are retired. RX_NO_MODE: no more can be made. */
unsigned rx_mode_after(rx_dfa *d, unsigned mode, const uint32_t *hits, uint32_t hit_count)
{
    uint32_t words = (d->members + 31) / 32, before = d->pool_used;
    uint32_t *retired = rx_pool_take(d, words);
    if (retired == NULL)
        return RX_NO_MODE;
    memcpy(retired, d->pool + d->modes[mode].retired, words * sizeof *retired);
    for (uint32_t i = 0; i < hit_count; i++)
        retired[hits[i] / 32] |= 1u << (hits[i] % 32);
    for (uint32_t m = 0; m < d->mode_count; m++) {
        if (memcmp(d->pool + d->modes[m].retired, retired, words * sizeof *retired) == 0) {
            d->pool_used = before;
            return m;
        }
    }
    if (d->mode_count == d->max_modes) {
        d->pool_used = before;
        return RX_NO_MODE;
    }
    d->modes[d->mode_count] = (rx_mode){before, can_restart(d, retired)};
    return d->mode_count++;
}

unsigned rx_event_find(rx_dfa *d, const uint32_t *hits, uint32_t count, unsigned next)
{
    for (uint32_t e = RX_EVENT; e < d->event_count; e++) {
        const rx_event *old = &d->events[e];
        if (old->next == next && old->count == count && memcmp(d->pool + old->hits, hits, count * sizeof *hits) == 0)
            return e;
    }
    uint32_t *copy = d->event_count < d->max_events ? rx_pool_take(d, count) : NULL;
    if (copy == NULL)
        return RX_STOP;
    memcpy(copy, hits, count * sizeof *hits);
    d->events[d->event_count] = (rx_event){(uint32_t)(copy - d->pool), (uint16_t)count, (uint16_t)next};
    return d->event_count++;
}

/* ---- Life ---- */

static void set_up_parked_row(rx_dfa *d)
{
    for (unsigned c = 0; c < d->columns; c++)
        d->cells[CELLS_PER_UNIT * (size_t)RX_PARKED + c] = RX_PARKED;
    d->rows = 1;
}

static bool set_up_first_mode(rx_dfa *d, const uint64_t *always)
{
    uint32_t *retired = rx_pool_take(d, (d->members + 31) / 32);
    if (retired == NULL)
        return false;
    for (uint32_t m = 0; always != NULL && m < d->members; m++) {
        if ((always[m / 64] >> (m % 64)) & 1)
            retired[m / 32] |= 1u << (m % 32);
    }
    d->modes[0] = (rx_mode){(uint32_t)(retired - d->pool), can_restart(d, retired)};
    d->mode_count = 1;
    set_up_parked_row(d);
    d->event_count = RX_EVENT;
    for (unsigned context = RX_AT_START; context < RX_CONTEXTS; context++) {
        bool live = context == RX_AT_START || d->modes[0].alive;
        d->restart[context] = (uint16_t)(live ? rx_state_find(d, NULL, 0, 0, context) : RX_DEAD);
        if (d->restart[context] == RX_STOP)
            return false;
    }
    return true;
}

bool rx_dfa_open(rx_dfa *d, rx_work *w, const rx_program *const *programs, const uint32_t *bases, uint32_t members,
                 const uint64_t *always, uint32_t max_rows, size_t memory)
{
    *d = (rx_dfa){.programs = programs, .bases = bases, .members = members};
    atomic_flag_clear(&d->building);
    d->max_modes = members > 1 ? MOST_MODES : 2;
    d->max_events = members > 1 ? RX_ROW : RX_EVENT + 4;
    if (!set_up_columns(d))
        return false;
    size_t most = (65536 - RX_ROW) / d->row_units, affordable = memory / 2 / (d->row_units * 8u);
    most = affordable < most ? affordable : most;
    d->max_rows = max_rows < most ? max_rows : (uint32_t)most;
    size_t pool_words = memory / 2 / sizeof *d->pool;
    if (reserve_region(d, pool_words < UINT32_MAX ? (uint32_t)pool_words : UINT32_MAX) && set_up_first_mode(d, always) && rx_starts_open(d, w))
        return true;
    rx_dfa_close(d);
    return false;
}

void rx_dfa_close(rx_dfa *d)
{
    if (d->region != NULL)
        munmap(d->region, d->region_size);
    free((uint8_t *)d->class_of);
    *d = (rx_dfa){0};
}
