/* Writing protocol buffers (proto3 wire format) and the field numbers of pprof's profile.proto. */
#ifndef PROF_PROTO_H
#define PROF_PROTO_H

#include "hotgate/value.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

enum {
    PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6, PROFILE_DROP_FRAMES = 7, PROFILE_KEEP_FRAMES = 8, PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
    LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_NUM_UNIT = 4,
    MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4, MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1, LINE_LINE = 2,
    FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4, FUNCTION_START_LINE = 5
};

static inline void proto_varint(hg_buffer *b, uint64_t v)
{
    while (v >= 0x80) {
        hg_buffer_byte(b, (char)(v | 0x80));
        v >>= 7;
    }
    hg_buffer_byte(b, (char)v);
}

/* A scalar; zero is left out, as proto3 has it. */
static inline void proto_number(hg_buffer *b, unsigned field, uint64_t v)
{
    if (v == 0)
        return;
    proto_varint(b, field << 3 | WIRE_VARINT);
    proto_varint(b, v);
}

static inline void proto_bytes(hg_buffer *b, unsigned field, hg_slice s)
{
    proto_varint(b, field << 3 | WIRE_BYTES);
    proto_varint(b, s.len);
    hg_buffer_append(b, s);
}

/* A message whose content has been written to `inner`, which is emptied for the next one. */
static inline void proto_message(hg_buffer *b, unsigned field, hg_buffer *inner)
{
    proto_bytes(b, field, hg_slice_of(inner->ptr, inner->len));
    b->failed |= inner->failed;
    inner->len = 0;
}

#endif
