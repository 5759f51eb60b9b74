/* The inside of the capture reader. */
#ifndef NET_INPUT_H
#define NET_INPUT_H

#include "hotgate/capture.h"

enum {
    INPUT_BUFFER = 32 * 1024, /* small: what was read is still in the nearest caches when it is looked at */
    INPUT_RECORD_MOST = 64 * 1024 * 1024, /* a larger record is damage */
};

/* Octets from a file: plain or compressed. */
typedef struct input_source {
    int fd;
    void *inflate; /* NULL: plain */
    uint8_t *packed;
    size_t packed_len, packed_at;
    bool ended;
    bool failed;
} input_source;

/* Up to room octets; 0 at the end. */
size_t input_fill(input_source *source, uint8_t *to, size_t room);
hg_status input_unpack(input_source *source, const uint8_t *first, size_t len);
void input_close(input_source *source);

typedef struct input_weird {
    const char *name;
    char addl[32];
} input_weird;

typedef struct input_interface {
    uint32_t link_type;
    uint64_t units;      /* a second */
    int64_t offset;      /* seconds */
} input_interface;

/* Reads one record at data (len octets are there). */
typedef enum input_result {
    INPUT_FRAME, /* *frame is set */
    INPUT_SKIP,  /* a record without a frame */
    INPUT_WEIRD, /* capture->weird is set */
    INPUT_MORE,  /* *need octets are wanted */
    INPUT_BAD,
} input_result;

typedef input_result input_record(hg_capture *capture, const uint8_t *data, size_t len, size_t *need,
                                  hg_net_frame *frame);

struct hg_capture {
    input_source source;
    input_record *record;
    uint8_t *buffer;
    size_t room, at, len;
    bool follow;
    bool has_weird;
    input_weird weird;
    bool swapped, nanoseconds, modified; /* pcap */
    uint32_t link_type;
    input_interface *interfaces; /* pcapng */
    size_t interface_count, interface_room;
};

input_record input_pcap, input_pcapng;

/* Looks at the file header; *used octets of it. */
hg_status input_pcap_start(hg_capture *capture, const uint8_t *data, size_t len, size_t *used);
bool input_is_pcap(const uint8_t *data);

input_result input_raise(hg_capture *capture, const char *name, const char *addl);

#endif
