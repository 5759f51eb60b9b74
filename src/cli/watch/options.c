/* The options of `hotgate watch`. */
#include "cli/watch/watch.h"

#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: hotgate watch [OPTION...] [FILE|FOLDER...]\n"
    "Follows the traffic of captures or of an interface: opens tunnels, keeps flows, reads HTTP, judges each request.\n"
    "Alerts go to stdout as lines of JSON, or to alert.log with --log.\n\n"
    "input\n"
    "  -r FILE           a capture (also without -r): pcap, pcapng, gzipped; - is stdin; may be repeated\n"
    "  -i INTERFACE      live capture (needs CAP_NET_RAW)\n"
    "  --filter EXPR     only frames that pass (libpcap's language)\n"
    "  --follow          wait for more at the end of files and for new files in folders\n"
    "  --packets N       stop after N frames\n"
    "  --snaplen N       octets of a live frame (9216);  --promiscuous  frames for others too\n"
    "output\n"
    "  --log DIR         conn, tunnel, weird, http, unknown_protocols and alert logs in DIR; - is stdout\n"
    "  --json            logs as JSON instead of TSV;  --time epoch|iso|millis  its time stamps\n"
    "  --columns LIST    more columns of conn: vlan,mac,community-id,pppoe\n"
    "  --rotate N        fresh log files every N seconds of traffic (and on SIGHUP)\n"
    "  --summary         what was seen, for people\n"
    "rules\n"
    "  --rules FILE      a ruleset instead of the built-in one; may be repeated\n"
    "  --no-rules        judge nothing\n"
    "analysis\n"
    "  -C                do not verify checksums;  --unchecked NET  not those from NET\n"
    "  --no-http         flows only\n"
    "  --zeek-compat     exactly the records of Zeek: no extension, its column set\n"
    "  --tunnel-depth N (4)  --layer-depth N (25)  --tunnel-changes N (5)\n"
    "  --port NAME=PORT  one more UDP port of vxlan, geneve, teredo, gtpv1, gre, ayiya or vxlan_gpe\n"
    "  --local NET       a local network, instead of the special-purpose ranges; may be repeated\n"
    "  --vlan-key  --all-server-ports  --eager-teredo  --patient-gtp  --ignore-vxlan-checksums\n"
    "  --capture-passwords  --community-seed N  --uid-seed N\n"
    "  --limit NAME=N    flows, fragments, fragment-bytes, reassembly-bytes, http-line, http-body, inflate-ratio,\n"
    "                    inflate-bytes, tunnels or weirds\n\n"
    "Exit status: 0 clean, 1 alerts were raised, 2 usage or something could not be read.\n\n"
    "Examples:\n"
    "  hotgate watch --summary mirror.pcap\n"
    "  hotgate watch -i eth0 --log /var/log/hotgate --json\n";

static bool number(const char *text, uint64_t *out)
{
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool columns(hg_netlog_options *log, const char *list)
{
    char copy[256], *state = NULL;
    if (strlen(list) >= sizeof copy)
        return false;
    strcpy(copy, list);
    const struct {
        const char *name;
        bool *flag;
    } known[] = {{"vlan", &log->vlan}, {"mac", &log->mac}, {"community-id", &log->community_id}, {"pppoe", &log->pppoe}};
    for (char *word = strtok_r(copy, ",", &state); word != NULL; word = strtok_r(NULL, ",", &state)) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(word, known[i].name) == 0)
                *known[i].flag = found = true;
        if (!found)
            return false;
    }
    return true;
}

static bool limit(hg_net_limits *l, const char *text)
{
    const char *equals = strchr(text, '=');
    uint64_t value;
    if (equals == NULL || !number(equals + 1, &value) || value == 0)
        return false;
    const struct {
        const char *name;
        uint32_t *small;
        uint64_t *large;
    } known[] = {
        {"flows", &l->flows, NULL},
        {"fragments", &l->fragments, NULL},
        {"fragment-bytes", NULL, &l->fragment_bytes},
        {"reassembly-bytes", NULL, &l->reassembly_bytes},
        {"http-line", &l->http_line, NULL},
        {"http-body", &l->http_body, NULL},
        {"inflate-ratio", NULL, &l->inflate_ratio},
        {"inflate-bytes", NULL, &l->inflate_bytes},
        {"tunnels", &l->tunnels, NULL},
        {"weirds", &l->weirds, NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != (size_t)(equals - text) || strncmp(known[i].name, text, (size_t)(equals - text)) != 0)
            continue;
        if (known[i].large != NULL)
            *known[i].large = value;
        else if (value <= UINT32_MAX)
            *known[i].small = (uint32_t)value;
        return known[i].large != NULL || value <= UINT32_MAX;
    }
    return false;
}

static bool list_add(const char **list, const char *value)
{
    size_t n = 0;
    while (list[n] != NULL)
        n++;
    if (n == WATCH_LIST)
        return false;
    list[n] = value;
    return true;
}

static bool path_add(watch_options *o, const char *path)
{
    if (o->path_count == WATCH_PATHS)
        return false;
    o->paths[o->path_count++] = path;
    return true;
}

static bool time_format(hg_netlog_options *log, const char *value)
{
    static const char *const names[] = {"epoch", "iso", "millis"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            log->time = (hg_netlog_time)i;
            return true;
        }
    return false;
}

static bool flag(watch_options *o, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"-C", &o->net.ignore_checksums},
        {"--follow", &o->follow},
        {"--summary", &o->summary},
        {"--no-rules", &o->no_rules},
        {"--no-http", &o->no_http},
        {"--zeek-compat", &o->net.compat},
        {"--vlan-key", &o->net.vlan_in_key},
        {"--all-server-ports", &o->net.all_server_ports},
        {"--eager-teredo", &o->net.eager_teredo},
        {"--patient-gtp", &o->net.patient_gtp},
        {"--ignore-vxlan-checksums", &o->net.ignore_vxlan_checksums},
        {"--capture-passwords", &o->net.capture_passwords},
        {"--promiscuous", &o->live.promiscuous},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    if (strcmp(name, "--json") != 0)
        return false;
    o->log.format = HG_NETLOG_JSON;
    return true;
}

static bool numeric(watch_options *o, const char *name, const char *value)
{
    uint64_t n;
    if (!number(value, &n))
        return false;
    if (strcmp(name, "--rotate") == 0)
        o->rotate = n;
    else if (strcmp(name, "--packets") == 0)
        o->packets = n;
    else if (strcmp(name, "--snaplen") == 0 && n > 0 && n <= 262144)
        o->live.snaplen = (uint32_t)n;
    else if (strcmp(name, "--tunnel-depth") == 0 && n <= HG_NET_TUNNELS)
        o->net.tunnel_depth = (int)n;
    else if (strcmp(name, "--layer-depth") == 0 && n <= 1024)
        o->net.layer_depth = (int)n;
    else if (strcmp(name, "--tunnel-changes") == 0 && n <= INT32_MAX)
        o->net.tunnel_changes = (int)n;
    else if (strcmp(name, "--community-seed") == 0 && n <= UINT16_MAX)
        o->net.community_id_seed = (uint16_t)n;
    else if (strcmp(name, "--uid-seed") == 0)
        o->net.uid_seed = n;
    else
        return false;
    return true;
}

static bool valued(watch_options *o, const char *name, const char *value)
{
    if (value == NULL)
        return false;
    if (strcmp(name, "-r") == 0)
        return path_add(o, value);
    if (strcmp(name, "-i") == 0)
        o->interface = value;
    else if (strcmp(name, "--filter") == 0)
        o->filter = value;
    else if (strcmp(name, "--log") == 0)
        o->log.dir = value;
    else if (strcmp(name, "--columns") == 0)
        return columns(&o->log, value);
    else if (strcmp(name, "--time") == 0)
        return time_format(&o->log, value);
    else if (strcmp(name, "--limit") == 0)
        return limit(&o->net.limits, value);
    else if (strcmp(name, "--port") == 0)
        return list_add(o->ports, value);
    else if (strcmp(name, "--local") == 0)
        return list_add(o->local, value);
    else if (strcmp(name, "--unchecked") == 0)
        return list_add(o->unchecked, value);
    else if (strcmp(name, "--rules") == 0 && o->rule_count < WATCH_LIST)
        o->rules[o->rule_count++] = value;
    else
        return numeric(o, name, value);
    return true;
}

static void settle(watch_options *o)
{
    o->net.ports = o->ports;
    o->net.local = o->local[0] != NULL ? o->local : NULL;
    o->net.unchecked = o->unchecked;
    o->net.http = !o->no_http;
    o->live.filter = o->filter;
    if (o->no_http)
        o->no_rules = true;
    if (o->net.compat) {
        o->log.peer = "zeek";
        o->log.vlan = o->log.mac = o->log.community_id = true;
    }
}

int watch_options_read(int argc, char **argv, watch_options *o)
{
    o->net = hg_net_defaults();
    for (int i = 1; i < argc; i++) {
        char *name = argv[i], *value = strncmp(name, "--", 2) == 0 ? strchr(name, '=') : NULL;
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
            fputs(usage, stdout);
            return 1;
        }
        if (name[0] != '-' || name[1] == '\0') {
            if (!path_add(o, name))
                return cli_usage_error("watch", "too many captures at", name);
            continue;
        }
        if (flag(o, name))
            continue;
        if (value != NULL)
            *value++ = '\0';
        else if (i + 1 < argc)
            value = argv[++i];
        if (!valued(o, name, value)) {
            fprintf(stderr, "hotgate watch: bad option %s%s%s; try 'hotgate help watch'\n", name, value ? " " : "",
                    value ? value : "");
            return 2;
        }
    }
    if ((o->path_count == 0) == (o->interface == NULL))
        return cli_usage_error("watch", "captures or an interface (-i) are wanted, not both", NULL);
    settle(o);
    return 0;
}
