/* The summary for people. */
#include "watch/internal.h"

#include <inttypes.h>

enum { TOP = 5 };

static hg_slice endpoint_text(const uint8_t addr[16], char out[64])
{
    return hg_slice_of(out, hg_net_addr_text(addr, out));
}

void watch_count_conn(hg_watch *watch, const hg_net_conn *conn)
{
    char text[64];
    uint64_t bytes = conn->side[0].ip_bytes + conn->side[1].ip_bytes;
    watch->bytes += bytes;
    if (conn->start < watch->first)
        watch->first = conn->start;
    if (conn->end > watch->last)
        watch->last = conn->end;
    watch_tally_add(&watch->talkers, endpoint_text(conn->orig.addr, text), bytes);
    watch_tally_add(&watch->talkers, endpoint_text(conn->resp.addr, text), bytes);
    watch_tally_add(&watch->states, hg_slice_from(conn->state), 1);
}

void watch_count_tunnel(hg_watch *watch, const hg_net_tunnel_event *event)
{
    if (event->action == HG_NET_DISCOVER)
        watch_tally_add(&watch->tunnels, hg_slice_from(hg_net_tunnel_name(event->tunnel.type)), 1);
}

void watch_count_http(hg_watch *watch, const hg_net_http *http)
{
    if (http->method.ptr != NULL)
        watch_tally_add(&watch->methods, http->method, 1);
    if (http->host.ptr != NULL)
        watch_tally_add(&watch->hosts, http->host, 1);
}

void watch_count_weird(hg_watch *watch, const hg_net_weird *weird)
{
    watch_tally_add(&watch->weirds, hg_slice_from(weird->name), 1);
}

/* Names come from the wire: what could move a terminal's cursor is shown as a dot. */
static void print_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        fputc((unsigned char)*name < 0x20 || (unsigned char)*name == 0x7f ? '.' : *name, out);
}

static void print_tally(FILE *out, const char *title, const watch_tally *tally)
{
    const watch_entry *top[TOP];
    size_t n = watch_tally_top(tally, top, TOP);
    if (n == 0)
        return;
    fprintf(out, "%-12s", title);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_name(out, top[i]->name);
        fprintf(out, " %" PRIu64, top[i]->count);
    }
    if (tally->count > n)
        fprintf(out, ", and %zu more", (size_t)tally->count - n);
    fputc('\n', out);
}

static void print_limits(FILE *out, const hg_net_counters *c)
{
    const struct {
        const char *name;
        uint64_t count;
    } limits[] = {{"flows evicted", c->flows_evicted},
                  {"flows refused", c->flows_refused},
                  {"fragments dropped", c->fragments_dropped},
                  {"TCP blocks dropped", c->blocks_dropped},
                  {"lines cut", c->lines_cut},
                  {"headers not shown to rules", c->headers_cut},
                  {"bodies cut", c->bodies_cut},
                  {"decodings cut", c->inflate_cut},
                  {"tunnels forgotten", c->tunnels_forgotten},
                  {"weirds forgotten", c->weirds_forgotten},
                  {"layers too deep", c->layer_depth_exceeded},
                  {"tunnels too deep", c->tunnel_depth_exceeded},
                  {"frames dropped by the kernel", c->kernel_drops}};
    const char *lead = "limits      ";
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].count > 0) {
            fprintf(out, "%s%s %" PRIu64, lead, limits[i].name, limits[i].count);
            lead = ", ";
        }
    if (*lead == ',')
        fputc('\n', out);
}

void hg_watch_summary(const hg_watch *watch, FILE *out, double seconds)
{
    const hg_net_counters *c = hg_net_count(watch->net);
    double span = watch->last > watch->first ? (double)(watch->last - watch->first) / 1e6 : 0;
    fprintf(out, "packets     %" PRIu64 " (%.1f MB), %" PRIu64 " not processed, %" PRIu64 " tunnels opened\n", c->packets,
            (double)c->bytes / 1e6, c->unprocessed, c->decapsulated);
    fprintf(out, "time        %.1f s of traffic read in %.2f s", span, seconds);
    if (seconds > 0)
        fprintf(out, ": %.0f packets/s, %.2f Gbit/s", (double)c->packets / seconds, (double)c->bytes * 8 / seconds / 1e9);
    fprintf(out, "\nflows       %" PRIu64 " (%" PRIu64 " TCP, %" PRIu64 " UDP, %" PRIu64 " ICMP, %" PRIu64 " other)\n", c->flows,
            c->tcp_flows, c->udp_flows, c->icmp_flows, c->other_flows);
    print_tally(out, "states", &watch->states);
    print_tally(out, "talkers", &watch->talkers);
    print_tally(out, "tunnels", &watch->tunnels);
    fprintf(out, "http        %" PRIu64 " requests, %" PRIu64 " replies\n", c->http_requests, c->http_replies);
    print_tally(out, "methods", &watch->methods);
    print_tally(out, "hosts", &watch->hosts);
    if (watch->options.waf != NULL)
        fprintf(out, "verdicts    %" PRIu64 " requests judged, %" PRIu64 " attacked, %" PRIu64 " alerts, %" PRIu64 " timeouts\n",
                watch->counters.judged, watch->counters.attacked, watch->counters.alerts, watch->counters.timeouts);
    print_tally(out, "rules", &watch->rules);
    print_tally(out, "weirds", &watch->weirds);
    print_limits(out, c);
}
