/* mutants [--seconds N] [--seed N] [FOLDER]: captures, changed at random, through the engine, the logs and the watch. A
 * build under sanitizers fails by itself; here is checked that every flow that began is reported. Without a folder, or
 * when it has no captures, conversations made here are used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <time.h>

#include "hotgate/capture.h"
#include "hotgate/netlog.h"
#include "hotgate/watch.h"
#include "net/frames.h"
#include "waf/judge.h"

enum { FRAMES = 400, FRAME = 65536, FILES = 1024, ENGINES = 4 };

typedef struct piece {
    hg_net_time time;
    uint32_t link, captured, wire;
    uint8_t *data;
} piece;

static char *files[FILES];
static size_t file_count;
static uint64_t state = 1, conns;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static int note_file(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    if (kind == FTW_F && st->st_size < 1 << 20 && strstr(path + where->base, ".pcap") != NULL && file_count < FILES)
        files[file_count++] = strdup(path);
    return 0;
}

static void quiet(void *s, const char *name, const char *addl)
{
    (void)s;
    (void)name;
    (void)addl;
}

static void count_conn(void *s, const hg_net_conn *conn)
{
    (void)s;
    (void)conn;
    conns++;
}

static void keep(piece *p, hg_net_time time, uint32_t link, const uint8_t *data, uint32_t captured, uint32_t wire)
{
    *p = (piece){time, link, captured, wire, malloc(captured ? captured : 1)};
    memcpy(p->data, data, captured);
}

static size_t load(const char *path, piece *pieces)
{
    hg_status status;
    hg_net_frame frames[16];
    size_t count = 0;
    hg_capture *capture = hg_capture_open(path, &status);
    for (size_t n; capture != NULL && (n = hg_capture_read(capture, frames, 16, quiet, NULL, &status)) > 0;)
        for (size_t i = 0; i < n && count < FRAMES; i++)
            keep(&pieces[count++], frames[i].time, frames[i].link_type, frames[i].data, frames[i].captured,
                 frames[i].wire);
    hg_capture_close(capture);
    return count;
}

/* A request and its reply, octet by octet the same in every run, in TCP segments of random length. */
static size_t made(piece *pieces)
{
    static const char *const says[2] = {
        "POST /?a=evil HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        "Transfer-Encoding: chunked\r\n\r\n1d\r\n--b\r\nContent-Type: x/y\r\n\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"};
    size_t count = 0;
    uint32_t next[2] = {100, 900};
    for (int side = 0; side < 2; side++)
        for (size_t at = 0, len = strlen(says[side]), n; at < len; at += n) {
            frame f = {.len = 0};
            n = 1 + random_below(40);
            if (n > len - at)
                n = len - at;
            ethernet(&f, 0x0800);
            ip4(&f, 6, 1 + (unsigned)side, 2 - (unsigned)side, 20 + n);
            tcp(&f, side ? 80 : 40000, side ? 40000 : 80, next[side], next[!side], 0x18);
            add(&f, says[side] + at, n);
            next[side] += (uint32_t)n;
            keep(&pieces[count], 1000000 + (hg_net_time)count * 1000, 1, f.data, (uint32_t)f.len, (uint32_t)f.len);
            count++;
        }
    return count;
}

static void mutate(piece *pieces, size_t count)
{
    const size_t changes = 1 + random_below((uint32_t)count / 4 + 4);
    for (size_t i = 0; i < changes && count > 0; i++) {
        piece *p = &pieces[random_below((uint32_t)count)], *other = &pieces[random_below((uint32_t)count)], swap = *p;
        switch (random_below(6)) {
        case 0:
            p->captured = random_below(p->captured + 1);
            break;
        case 1:
            p->wire += random_below(2000);
            break;
        case 2:
            *p = *other;
            *other = swap;
            break;
        case 3:
            p->time += (hg_net_time)random_below(400) * 1000000;
            break;
        default:
            for (uint32_t k = random_below(4) + 1; k > 0 && p->captured > 0; k--)
                p->data[random_below(random_below(4) ? (p->captured < 120 ? p->captured : 120) : p->captured)] =
                    (uint8_t)random_below(256);
        }
    }
}

static hg_net *engine_of(unsigned kind, hg_waf *waf)
{
    static hg_net *engines[ENGINES];
    if (engines[kind] != NULL)
        return engines[kind];
    hg_net_options o = test_options();
    o.ignore_checksums = kind != 3;
    o.compat = kind & 2;
    o.limits = (hg_net_limits){.flows = 100, .fragments = 16, .reassembly_bytes = 1 << 18, .http_body = 4096};
    const hg_netlog_options format = {.dir = "", .format = kind & 1 ? HG_NETLOG_JSON : HG_NETLOG_TSV};
    const hg_watch_options how = {.waf = waf, .summary = true};
    hg_net_sink sink = {0};
    hg_netlog *log = hg_netlog_new(&format);
    hg_watch *watch = hg_watch_new(&how);
    hg_netlog_sink(log, &sink);
    hg_watch_sink(watch, &sink);
    if (kind == 0)
        sink.conn = count_conn;
    engines[kind] = hg_net_new(&o, &sink);
    hg_netlog_bind(log, engines[kind]);
    hg_watch_bind(watch, engines[kind]);
    return engines[kind];
}

static void replay(hg_net *net, piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *copy = malloc(pieces[i].captured ? pieces[i].captured : 1); /* so that its end is the end of its memory */
        memcpy(copy, pieces[i].data, pieces[i].captured);
        hg_net_packet(net, pieces[i].time, pieces[i].link, hg_slice_of(copy, pieces[i].captured), pieces[i].wire);
        free(copy);
        free(pieces[i].data);
    }
    hg_net_finish(net);
}

int main(int argc, char **argv)
{
    static piece pieces[FRAMES];
    long seconds = 20;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            seconds = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10);
        else
            nftw(argv[i], note_file, 16, FTW_PHYS);
    hg_arena_init(&judge_arena, NULL);
    hg_waf *waf = judge_load(RULE("q", "t", "server.request.query", "") "," RULE("b", "u", "server.request.body", ""), "");
    size_t rounds = 0;
    for (const time_t end = time(NULL) + seconds; time(NULL) < end; rounds++) {
        const size_t count = file_count > 0 && random_below(8) > 0 ? load(files[random_below((uint32_t)file_count)], pieces)
                                                                  : made(pieces);
        mutate(pieces, count);
        replay(engine_of(rounds % ENGINES, waf), pieces, count);
    }
    const uint64_t flows = hg_net_count(engine_of(0, waf))->flows;
    printf("%zu captures replayed, %llu flows in the first engine\n", rounds, (unsigned long long)flows);
    if (flows != conns)
        printf("FAIL %llu of them reported\n", (unsigned long long)conns);
    return flows != conns;
}
