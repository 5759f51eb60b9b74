/* Frames made in tests, and an engine that notes what it reports. */
#ifndef TESTS_NET_FRAMES_H
#define TESTS_NET_FRAMES_H

#include "guarded.h"
#include "hotgate/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame {
    uint8_t data[4096];
    size_t len;
} frame;

static inline void add(frame *f, const void *bytes, size_t len)
{
    memcpy(f->data + f->len, bytes, len);
    f->len += len;
}

static inline void add16(frame *f, unsigned v)
{
    const uint8_t b[2] = {(uint8_t)(v >> 8), (uint8_t)v};
    add(f, b, 2);
}

static inline void add32(frame *f, uint32_t v)
{
    add16(f, v >> 16);
    add16(f, v & 0xffff);
}

static inline void ethernet(frame *f, unsigned type)
{
    add(f, "\1\2\3\4\5\6\7\10\11\12\13\14", 12);
    add16(f, type);
}

/* payload: octets that will follow. Addresses are 10.0.0.SRC and 10.0.0.DST. */
static inline void ip4(frame *f, unsigned protocol, unsigned src, unsigned dst, size_t payload)
{
    add(f, "\x45\0", 2);
    add16(f, (unsigned)(20 + payload));
    add(f, "\0\0\0\0\x40", 5);
    add(f, &(uint8_t){(uint8_t)protocol}, 1);
    add16(f, 0);
    add32(f, 0x0a000000u + src);
    add32(f, 0x0a000000u + dst);
}

static inline void udp(frame *f, unsigned from, unsigned to, size_t payload)
{
    add16(f, from);
    add16(f, to);
    add16(f, (unsigned)(8 + payload));
    add16(f, 0);
}

static inline void tcp(frame *f, unsigned from, unsigned to, uint32_t seq, uint32_t ack, unsigned flags)
{
    add16(f, from);
    add16(f, to);
    add32(f, seq);
    add32(f, ack);
    add16(f, 0x5000 | flags);
    add16(f, 8192);
    add32(f, 0);
}

/* ---- An engine under observation ---- */

typedef struct seen {
    char conns[4096];   /* "proto state history service bytes/bytes;" each */
    char weirds[4096];  /* "name;" each */
    char tunnels[1024]; /* "TYPE;" each, discovered ones */
    char requests[8192];/* "METHOD uri [body];" when complete */
    char rows[4096];    /* "METHOD uri status request_body response_body;" */
    size_t heads, replies, vni, headers;
} seen;

static inline void note(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
#include <stdarg.h>
static inline void note(char *text, size_t room, const char *format, ...)
{
    va_list args;
    size_t len = strlen(text);
    va_start(args, format);
    vsnprintf(text + len, room - len, format, args);
    va_end(args);
}

static inline void on_conn(void *state, const hg_net_conn *c)
{
    static const char *const protos[] = {"tcp", "udp", "icmp", "unknown"};
    seen *s = state;
    note(s->conns, sizeof s->conns, "%s %s %s %s %llu/%llu;", protos[c->proto], c->state, c->history, c->service,
         (unsigned long long)c->side[0].bytes, (unsigned long long)c->side[1].bytes);
}

static inline void on_weird(void *state, const hg_net_weird *w)
{
    seen *s = state;
    note(s->weirds, sizeof s->weirds, "%s;", w->name);
}

static inline void on_tunnel(void *state, const hg_net_tunnel_event *e)
{
    seen *s = state;
    if (e->action == HG_NET_DISCOVER)
        note(s->tunnels, sizeof s->tunnels, "%s;", hg_net_tunnel_name(e->tunnel.type));
}

static inline void on_request(void *state, const hg_net_request *r)
{
    seen *s = state;
    s->heads += !r->complete;
    s->headers = r->header_count;
    if (r->tunnel_count > 0)
        s->vni = r->tunnels[r->tunnel_count - 1].vni;
    if (r->complete)
        note(s->requests, sizeof s->requests, "%.*s %.*s [%.*s]%s;", (int)r->method.len, r->method.ptr, (int)r->uri.len,
             r->uri.ptr, (int)r->body.len, r->body.len ? r->body.ptr : "", r->body_cut ? " cut" : "");
}

static inline void on_reply(void *state, const hg_net_reply *r)
{
    (void)r;
    ((seen *)state)->replies++;
}

static inline void on_http(void *state, const hg_net_http *h)
{
    seen *s = state;
    note(s->rows, sizeof s->rows, "%.*s %.*s %u %llu %llu;", (int)h->method.len, h->method.ptr ? h->method.ptr : "-",
         (int)h->uri.len, h->uri.ptr ? h->uri.ptr : "-", h->status, (unsigned long long)h->request_body,
         (unsigned long long)h->response_body);
}

static inline hg_net_options test_options(void)
{
    hg_net_options o = hg_net_defaults();
    o.ignore_checksums = true;
    o.hash_seed = 7;
    return o;
}

static inline hg_net *engine(seen *s, const hg_net_options *options)
{
    memset(s, 0, sizeof *s);
    hg_net_sink sink = {.state = s, .conn = on_conn, .weird = on_weird, .tunnel = on_tunnel, .http = on_http,
                        .request = on_request, .reply = on_reply};
    return hg_net_new(options, &sink);
}

/* The frame lies before an unreadable page: an over-read crashes. */
static inline void give(hg_net *net, hg_net_time time, uint32_t link, const frame *f)
{
    guarded g = guarded_new(hg_slice_of((const char *)f->data, f->len));
    hg_net_packet(net, time, link, g.bytes, (uint32_t)f->len);
    guarded_free(&g);
}

/* ---- A TCP conversation between 10.0.0.1:40000 and 10.0.0.2:port ---- */

typedef struct talk {
    hg_net *net;
    hg_net_time time;
    unsigned port;
    uint32_t next[2];
} talk;

static inline void segment_at(talk *t, int side, unsigned flags, uint32_t seq, const char *data, size_t len)
{
    frame f = {.len = 0};
    ethernet(&f, 0x0800);
    ip4(&f, 6, side ? 2 : 1, side ? 1 : 2, 20 + len);
    tcp(&f, side ? t->port : 40000, side ? 40000 : t->port, seq, t->next[!side], flags);
    add(&f, data, len);
    t->time += 1000;
    give(t->net, t->time, 1, &f);
}

static inline void say(talk *t, int side, const char *data, size_t len)
{
    segment_at(t, side, 0x18, t->next[side], data, len);
    t->next[side] += (uint32_t)len;
}

static inline void acknowledge(talk *t, int side)
{
    segment_at(t, side, 0x10, t->next[side], "", 0);
}

static inline talk open_talk(hg_net *net, unsigned port)
{
    talk t = {.net = net, .time = 1000000, .port = port, .next = {100, 900}};
    segment_at(&t, 0, 0x02, t.next[0]++, "", 0);
    segment_at(&t, 1, 0x12, t.next[1]++, "", 0);
    acknowledge(&t, 0);
    return t;
}

static inline void close_talk(talk *t)
{
    segment_at(t, 0, 0x11, t->next[0]++, "", 0);
    segment_at(t, 1, 0x11, t->next[1]++, "", 0);
    acknowledge(t, 0);
}

#define SAY(t, side, text) say((t), (side), (text), sizeof(text) - 1)

#endif
