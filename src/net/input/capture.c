/* The capture reader: a buffer that records are read out of in place. */
#include "net/input/input.h"
#include "net/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum { GZIP = 0x1f8b, PCAPNG = 0x0a0d0d0a };

static bool has_prefix(const char **path, const char *prefix)
{
    size_t len = strlen(prefix);
    if (strncmp(*path, prefix, len) != 0)
        return false;
    *path += len;
    return true;
}

/* Moves what is left to the front and reads until `need` octets are there. False: the end came first. */
static bool refill(hg_capture *c, size_t need)
{
    size_t left = c->len - c->at;
    memmove(c->buffer, c->buffer + c->at, left);
    c->at = 0;
    c->len = left;
    if (need > c->room) {
        uint8_t *grown = realloc(c->buffer, need);
        if (grown == NULL)
            return false;
        c->buffer = grown;
        c->room = need;
    }
    while (c->len < need) {
        size_t got = input_fill(&c->source, c->buffer + c->len, c->room - c->len);
        if (got == 0)
            return false;
        c->len += got;
    }
    return true;
}

static hg_status start(hg_capture *c, bool pcap, bool pcapng)
{
    if (!refill(c, 4))
        return c->source.failed ? HG_ERR_IO : c->len == 0 ? HG_ERR_UNSUPPORTED : HG_ERR_TRUNCATED;
    if (net_be16(c->buffer) == GZIP) {
        hg_status status = input_unpack(&c->source, c->buffer, c->len < 65536 ? c->len : 65536);
        if (status != HG_OK)
            return status;
        c->len = 0;
        if (!refill(c, 4))
            return HG_ERR_TRUNCATED;
    }
    if (!pcap && (pcapng || net_be32(c->buffer) == PCAPNG)) {
        c->record = input_pcapng;
        return HG_OK;
    }
    if (!input_is_pcap(c->buffer))
        return HG_ERR_UNSUPPORTED;
    c->record = input_pcap;
    refill(c, 24);
    return input_pcap_start(c, c->buffer, c->len, &c->at);
}

hg_capture *hg_capture_open(const char *path, hg_status *status)
{
    bool pcapng = has_prefix(&path, "pcapng::"), pcap = !pcapng && has_prefix(&path, "pcap::");
    hg_capture *c = calloc(1, sizeof *c);
    *status = HG_ERR_NOMEM;
    if (c == NULL)
        return NULL;
    c->source.fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    c->room = INPUT_BUFFER;
    c->buffer = malloc(c->room);
    if (c->source.fd < 0)
        *status = HG_ERR_IO;
    else if (c->buffer != NULL)
        *status = start(c, pcap, pcapng);
    if (*status == HG_OK)
        return c;
    int saved = errno;
    hg_capture_close(c);
    errno = saved;
    return NULL;
}

void hg_capture_follow(hg_capture *capture, bool follow)
{
    capture->follow = follow;
}

input_result input_raise(hg_capture *capture, const char *name, const char *addl)
{
    capture->has_weird = true;
    capture->weird.name = name;
    size_t len = strlen(addl);
    memcpy(capture->weird.addl, addl, len + 1);
    return INPUT_WEIRD;
}

static hg_status ending(const hg_capture *c)
{
    if (c->source.failed)
        return HG_ERR_IO;
    if (c->follow)
        return HG_NEED_MORE;
    return c->at == c->len ? HG_OK : HG_ERR_TRUNCATED;
}

size_t hg_capture_read(hg_capture *c, hg_net_frame *frames, size_t room,
                       void (*weird)(void *state, const char *name, const char *addl), void *state, hg_status *status)
{
    size_t count = 0, need;
    *status = HG_OK;
    while (count < room) {
        if (c->has_weird) {
            if (count > 0)
                return count; /* the frames before it go first */
            c->has_weird = false;
            weird(state, c->weird.name, c->weird.addl);
        }
        input_result result = c->record(c, c->buffer + c->at, c->len - c->at, &need, &frames[count]);
        if (result == INPUT_MORE) {
            if (count > 0)
                return count; /* refilling moves their data */
            if (!refill(c, need)) {
                *status = ending(c);
                return 0;
            }
            continue;
        }
        if (result == INPUT_BAD) {
            *status = count > 0 ? HG_OK : HG_ERR_SYNTAX;
            return count;
        }
        c->at += need;
        if (result == INPUT_FRAME)
            count++;
    }
    return count;
}

void hg_capture_close(hg_capture *capture)
{
    if (capture == NULL)
        return;
    input_close(&capture->source);
    free(capture->buffer);
    free(capture->interfaces);
    free(capture);
}
