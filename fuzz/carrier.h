/* What the fuzz targets of carriers share: read with an allocator that fails at a place the input chooses, check
 * the tree, and see that nothing leaks. */
#ifndef FUZZ_CARRIER_H
#define FUZZ_CARRIER_H

#include "failing.h"
#include "hotgate/body.h"
#include "hotgate/msgpack.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes and reads back: what any reader builds must print as JSON and MessagePack that can be read. */
static inline void carrier_check(const hg_value *v)
{
    hg_buffer json = {0}, pack = {0};
    hg_value back;
    hg_json_write(v, 0, &json);
    hg_json_options nested = {.max_depth = 2000}; /* the writer nests deeper than the strict reader by default */
    if (hg_json_read(hg_slice_of(json.ptr, json.len), &nested, &back, hg_heap(), NULL) != HG_OK)
        abort();
    hg_value_free(&back, hg_heap());
    hg_msgpack_write(v, &pack);
    hg_msgpack_options deep = {.max_nesting = HG_MSGPACK_NESTING_MAX};
    hg_status status = hg_msgpack_read(hg_slice_of(pack.ptr, pack.len), &deep, &back, NULL, hg_heap());
    if (status != HG_OK && status != HG_ERR_LIMIT)
        abort();
    hg_value_free(&back, hg_heap());
    hg_buffer_free(&json);
    hg_buffer_free(&pack);
}

/* An allocator that fails at a call number taken from the input's first byte (255: never). */
static inline void carrier_allocator(failing *f, uint8_t choice)
{
    failing_init(f, choice == 255 ? SIZE_MAX : choice);
}

/* What a reader is given: the allocator, a report and limits. */
typedef struct carrier {
    failing f;
    hg_report report;
    hg_limits tight;
    const hg_limits *limits; /* &tight, or NULL for the default */
} carrier;

/* choice: a preset, with bit 4 its limits are small enough to matter, with bit 5 the default's are used. */
static inline void carrier_begin(carrier *c, uint8_t failure, uint8_t choice)
{
    carrier_allocator(&c->f, failure);
    hg_report_init(&c->report);
    c->tight = hg_limits_of((hg_limits_preset)((choice & 15) % HG_LIMITS_PRESETS));
    if (choice & 16) {
        c->tight.max_depth = 3;
        c->tight.max_entries = 4;
        c->tight.max_string = c->tight.max_key = 1 + (choice >> 6) * 7;
        c->tight.duplicates = (uint8_t)(choice >> 6) % 3;
    }
    c->limits = choice & 32 ? NULL : &c->tight;
}

static inline void carrier_end(const failing *f)
{
    if (f->live_blocks != 0 || f->live_bytes != 0)
        abort();
}

#endif
