/* mkcap DATA OUT.pcap mixed|mixed-300|few: a large HTTP capture made from the small ones of the data set. Copy k xors k
 * into the first 16 bits of both IPv4 addresses and corrects the checksums; copies start 997 microseconds apart in
 * waves of 64, and waves follow each other in time. */
#include "hotgate/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVE = 64, STAGGER = 997, BATCH = 64, LINK_ETHERNET = 1 };

static const char *const mixed[] = {
    "http/bro.org.pcap", "http/methods.pcap", "http/m57-long-49583-80.pcap", "http/m57-long-49600-80.pcap",
    "http/206_example_c.pcap", "http/pipelined-requests.pcap", "workshop_2011_browse.pcap", "wikipedia.pcap",
    "http/http-single-conn-22.pcap", "web.pcap", "http/get.pcap", "http/100-continue.pcap",
    "http/flash-version.pcap", "http/vnd.ms-cab-compressed-multi-conn.pcap", "tcp/reassembly.pcap", NULL};
static const char *const few[] = {"http/206_example_c.pcap", "http/m57-long-49583-80.pcap", "tcp/reassembly.pcap", NULL};

typedef struct packet {
    hg_net_time time; /* since the first packet of its capture */
    uint32_t captured, wire;
    uint8_t *data;
    size_t order;
    unsigned copy;
} packet;

typedef struct list {
    packet *items;
    size_t count, room;
    hg_net_time length;
} list;

static void no_weird(void *state, const char *name, const char *addl)
{
    (void)state;
    (void)name;
    (void)addl;
}

static void load(list *l, const char *data, const char *name)
{
    char path[4096];
    hg_status status;
    hg_net_frame frames[BATCH];
    hg_net_time start = -1;
    snprintf(path, sizeof path, "%s/captures/%s", data, name);
    hg_capture *capture = hg_capture_open(path, &status);
    if (capture == NULL) {
        fprintf(stderr, "mkcap: cannot read %s\n", path);
        exit(1);
    }
    for (size_t n; (n = hg_capture_read(capture, frames, BATCH, no_weird, NULL, &status)) > 0;)
        for (size_t i = 0; i < n; i++) {
            const hg_net_frame *f = &frames[i];
            if (f->link_type != LINK_ETHERNET || f->captured < 34 || f->data[12] != 8 || f->data[13] != 0)
                continue;
            if (start < 0)
                start = f->time;
            if (l->count == l->room) {
                l->room = l->room ? l->room * 2 : 1024;
                l->items = realloc(l->items, l->room * sizeof *l->items);
                if (l->items == NULL)
                    exit(1);
            }
            packet *p = &l->items[l->count];
            *p = (packet){.time = f->time - start, .captured = f->captured, .wire = f->wire, .order = l->count};
            p->data = malloc(f->captured);
            if (p->data == NULL)
                exit(1);
            memcpy(p->data, f->data, f->captured);
            if (p->time > l->length)
                l->length = p->time;
            l->count++;
        }
    hg_capture_close(capture);
}

/* RFC 1624: the sum after a 16-bit field changed from a to b. */
static void sum_update(uint8_t *sum, uint16_t a, uint16_t b)
{
    uint32_t v = (uint16_t)~(sum[0] << 8 | sum[1]);
    v += (uint16_t)~a;
    v += b;
    while (v >> 16)
        v = (v & 0xffff) + (v >> 16);
    sum[0] = (uint8_t)(~v >> 8);
    sum[1] = (uint8_t)~v;
}

static void address_change(uint8_t *ip, size_t at, unsigned k, uint8_t *transport_sum)
{
    uint16_t old = (uint16_t)(ip[at] << 8 | ip[at + 1]), new = (uint16_t)(old ^ k);
    ip[at] = (uint8_t)(new >> 8);
    ip[at + 1] = (uint8_t)new;
    sum_update(ip + 10, old, new);
    if (transport_sum != NULL)
        sum_update(transport_sum, old, new);
}

static void write_packet(FILE *out, const packet *p, unsigned k, hg_net_time time)
{
    static uint8_t data[65536 * 4];
    memcpy(data, p->data, p->captured);
    uint8_t *ip = data + 14, *sum = NULL;
    size_t header = (ip[0] & 15u) * 4;
    if ((ip[6] & 0x1f) == 0 && ip[7] == 0) {
        size_t at = ip[9] == 6 ? 16 : ip[9] == 17 ? 6 : 0;
        if (at != 0 && 14 + header + at + 2 <= p->captured && !(ip[9] == 17 && ip[header + at] == 0 && ip[header + at + 1] == 0))
            sum = ip + header + at;
    }
    address_change(ip, 12, k, sum);
    address_change(ip, 16, k, sum);
    uint32_t head[4] = {(uint32_t)(time / 1000000), (uint32_t)(time % 1000000), p->captured, p->wire};
    fwrite(head, sizeof head, 1, out);
    fwrite(data, 1, p->captured, out);
}

typedef struct event {
    hg_net_time time;
    uint32_t packet, copy;
} event;

static int by_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    return x->packet < y->packet ? -1 : x->packet > y->packet;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: mkcap DATA OUT.pcap mixed|mixed-300|few\n");
        return 2;
    }
    bool is_few = strcmp(argv[3], "few") == 0;
    unsigned copies = is_few ? 200 : strcmp(argv[3], "mixed-300") == 0 ? 300 : 90;
    list all = {0};
    for (const char *const *name = is_few ? few : mixed; *name != NULL; name++)
        load(&all, argv[1], *name);
    FILE *out = fopen(argv[2], "wb");
    static const uint32_t header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 262144, LINK_ETHERNET};
    if (out == NULL || fwrite(header, sizeof header, 1, out) != 1)
        return 1;
    event *events = malloc(all.count * WAVE * sizeof *events);
    if (events == NULL)
        return 1;
    hg_net_time wave_start = (hg_net_time)1500000000 * 1000000;
    for (unsigned first = 0; first < copies; first += WAVE) {
        unsigned n = copies - first < WAVE ? copies - first : WAVE;
        size_t count = 0;
        for (unsigned k = 0; k < n; k++)
            for (size_t i = 0; i < all.count; i++)
                events[count++] = (event){all.items[i].time + (hg_net_time)k * STAGGER, (uint32_t)i, first + k};
        qsort(events, count, sizeof *events, by_time);
        for (size_t i = 0; i < count; i++)
            write_packet(out, &all.items[events[i].packet], events[i].copy, wave_start + events[i].time);
        wave_start += all.length + WAVE * STAGGER + 1000000;
    }
    free(events);
    return fclose(out) == 0 ? 0 : 1;
}
