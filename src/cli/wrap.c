/* hotgate wrap: a capture inside tunnels. */
#include "cli/text.h"
#include "cli/verbs.h"
#include "hotgate/capture.h"
#include "hotgate/wrap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32, ETHERNET = 14, IP = 20, SNAPLEN = 262144 };

static const char usage[] =
    "usage: hotgate wrap IN OUT [--tunnel geneve,vxlan[,aws]] [OPTION...]\n"
    "Writes each frame of the capture IN (Ethernet, in Geneve alone also raw IP) inside tunnels to the pcap file OUT.\n\n"
    "  --tunnel LIST     geneve, vxlan or both (Geneve outside); aws adds the options of AWS gateways\n"
    "  --src ADDR --dst ADDR            outer IPv4 addresses (127.0.0.1)\n"
    "  --vni-geneve N --vni-vxlan N     (4242)\n"
    "  --udp-checksum zero|full         (zero)\n"
    "  --per-direction   each direction in an outer flow of its own\n"
    "  --fragment MTU    outer datagrams as IPv4 fragments\n"
    "  --snaplen N       cut the captured length\n\n"
    "Exit status: 0 done, 1 a file cannot be read or written, 2 wrong usage.\n\n"
    "Example:\n  hotgate wrap plain.pcap wrapped.pcap --tunnel geneve,vxlan,aws\n";

typedef struct job {
    hg_wrap_options options;
    FILE *out;
    uint32_t snaplen, mtu;
    uint16_t id;
    size_t written, left_out; /* frames */
} job;

static void put32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static bool record(job *j, const hg_net_frame *f, const uint8_t *head, size_t head_len, const uint8_t *data,
                   size_t captured, size_t wire)
{
    uint8_t header[16];
    size_t cap = head_len + captured < j->snaplen ? head_len + captured : j->snaplen;
    put32(header, (uint32_t)(f->time / 1000000));
    put32(header + 4, (uint32_t)(f->time % 1000000));
    put32(header + 8, (uint32_t)cap);
    put32(header + 12, (uint32_t)(head_len + wire));
    size_t first = cap < head_len ? cap : head_len;
    return fwrite(header, sizeof header, 1, j->out) == 1 && fwrite(head, 1, first, j->out) == first &&
           fwrite(data, 1, cap - first, j->out) == cap - first;
}

static uint16_t header_sum(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (int i = 0; i < IP; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* The outer datagram in pieces that fit the MTU. */
static bool fragments(job *j, const hg_net_frame *f, const uint8_t *head, size_t head_len)
{
    size_t total = head_len - ETHERNET - IP + f->captured, step = (j->mtu - IP) & ~7u;
    uint8_t *payload = malloc(total), link[ETHERNET + IP];
    if (payload == NULL)
        return false;
    memcpy(payload, head + ETHERNET + IP, head_len - ETHERNET - IP);
    memcpy(payload + head_len - ETHERNET - IP, f->data, f->captured);
    memcpy(link, head, sizeof link);
    uint8_t *ip = link + ETHERNET;
    bool good = true;
    j->id++;
    for (size_t at = 0; at < total && good; at += step) {
        size_t len = total - at < step ? total - at : step;
        unsigned bits = (unsigned)(at / 8) | (at + len < total ? 0x2000u : 0);
        ip[2] = (uint8_t)((IP + len) >> 8);
        ip[3] = (uint8_t)(IP + len);
        ip[4] = (uint8_t)(j->id >> 8);
        ip[5] = (uint8_t)j->id;
        ip[6] = (uint8_t)(bits >> 8);
        ip[7] = (uint8_t)bits;
        ip[10] = ip[11] = 0;
        uint16_t sum = header_sum(ip);
        ip[10] = (uint8_t)(sum >> 8);
        ip[11] = (uint8_t)sum;
        good = record(j, f, link, sizeof link, payload + at, len, len);
    }
    free(payload);
    return good;
}

static bool frame(job *j, const hg_net_frame *f)
{
    uint8_t head[HG_WRAP_MOST];
    size_t len = hg_wrap_frame(&j->options, f, head);
    if (len == 0) {
        j->left_out++;
        return true;
    }
    j->written++;
    if (j->mtu > 0 && len - ETHERNET + f->captured > j->mtu && f->captured == f->wire)
        return fragments(j, f, head, len);
    return record(j, f, head, len, f->data, f->captured, f->wire);
}

static void no_weird(void *state, const char *name, const char *addl)
{
    (void)state;
    (void)name;
    (void)addl;
}

static int convert(job *j, const char *in, const char *out)
{
    static const uint32_t file_header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, SNAPLEN, 1};
    hg_status status;
    hg_net_frame frames[BATCH];
    hg_capture *capture = hg_capture_open(in, &status);
    if (capture == NULL) {
        fprintf(stderr, "hotgate wrap: %s: %s\n", in, cli_capture_error(status));
        return 1;
    }
    j->out = strcmp(out, "-") == 0 ? stdout : fopen(out, "wb");
    bool good = j->out != NULL && fwrite(file_header, sizeof file_header, 1, j->out) == 1;
    for (size_t count; good && (count = hg_capture_read(capture, frames, BATCH, no_weird, NULL, &status)) > 0;)
        for (size_t i = 0; i < count && good; i++)
            good = frame(j, &frames[i]);
    hg_capture_close(capture);
    if (j->out != NULL && fclose(j->out) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "hotgate wrap: %s: %s\n", out, strerror(errno));
    else if (status != HG_OK)
        fprintf(stderr, "hotgate wrap: %s: %s\n", in, hg_strerror(status));
    if (j->left_out > 0)
        fprintf(stderr, "hotgate wrap: %s: %zu frames left out: these tunnels cannot carry their link type or length\n", in,
                j->left_out);
    return good && status == HG_OK && (j->written > 0 || j->left_out == 0) ? 0 : 1;
}

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static bool option(job *j, const char *name, const char *value)
{
    hg_wrap_options *o = &j->options;
    if (strcmp(name, "--tunnel") == 0) {
        o->geneve = has_word(value, "geneve");
        o->vxlan = has_word(value, "vxlan");
        o->aws = has_word(value, "aws");
        return o->geneve || (o->vxlan && !o->aws);
    }
    if (strcmp(name, "--src") == 0)
        return inet_pton(AF_INET, value, o->src) == 1;
    if (strcmp(name, "--dst") == 0)
        return inet_pton(AF_INET, value, o->dst) == 1;
    if (strcmp(name, "--udp-checksum") == 0) {
        o->udp_checksum = strcmp(value, "full") == 0;
        return o->udp_checksum || strcmp(value, "zero") == 0;
    }
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value == '\0' || *end != '\0' || number > UINT32_MAX)
        return false;
    if (strcmp(name, "--vni-geneve") == 0 && number < 1u << 24)
        o->vni_geneve = (uint32_t)number;
    else if (strcmp(name, "--vni-vxlan") == 0 && number < 1u << 24)
        o->vni_vxlan = (uint32_t)number;
    else if (strcmp(name, "--fragment") == 0 && number >= IP + 8 && number <= 65535)
        j->mtu = (uint32_t)number;
    else if (strcmp(name, "--snaplen") == 0 && number > 0)
        j->snaplen = (uint32_t)number;
    else
        return false;
    return true;
}

int cli_wrap(int argc, char **argv)
{
    job j = {.options = hg_wrap_defaults(), .snaplen = SNAPLEN};
    const char *paths[2];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        char *value = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (value != NULL)
            *value++ = '\0';
        if (strcmp(argv[i], "--per-direction") == 0) {
            j.options.per_direction = true;
        } else if (strncmp(argv[i], "--", 2) != 0) {
            if (count == 2)
                count = 3;
            else
                paths[count++] = argv[i];
        } else {
            const char *name = argv[i];
            if (value == NULL && i + 1 < argc)
                value = argv[++i];
            if (value == NULL || !option(&j, name, value))
                return cli_usage_error("wrap", "bad option", name);
        }
        if (count > 2)
            break;
    }
    if (count != 2)
        return cli_usage_error("wrap", "one IN and one OUT are wanted", NULL);
    return convert(&j, paths[0], paths[1]);
}
