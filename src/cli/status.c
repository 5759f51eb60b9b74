/* hotgate status: how a running daemon is. */
#include "cli/status/status.h"
#include "cli/text.h"
#include "cli/verbs.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

enum { STATUS_OK = 0, STATUS_UNREACHED = 1 };

static const char usage[] =
    "usage: hotgate status [--json] [ADDRESS]\n"
    "\n"
    "Asks a running 'hotgate serve' how it is: rules, requests, connections, limits that were reached, services.\n"
    "ADDRESS is what its --metrics says (" STATUS_ADDRESS ").\n"
    "\n"
    "  --json   the daemon's answer as it came, for programs\n"
    "\n"
    "Exit status: 0 it answered, 1 it cannot be reached, 2 usage.\n"
    "\n"
    "Examples:\n"
    "  hotgate status\n"
    "  hotgate status --json 127.0.0.1:9464 | jq .rules_version\n";

static void put_text(hg_slice text)
{
    hg_buffer shown = {0};
    cli_text_escape(&shown, text);
    printf("%.*s", (int)shown.len, shown.ptr ? shown.ptr : "");
    hg_buffer_free(&shown);
}

static void print_rules(const hg_value *s)
{
    hg_slice version = status_text(s, "rules_version");
    printf("rules        ");
    put_text(version.len ? version : HG_SLICE("(no version)"));
    printf(": %" PRIu64 " loaded, %" PRIu64 " failed; reloads: %" PRIu64 " ok, %" PRIu64 " failed\n",
           status_number(s, "rules_loaded"), status_number(s, "rules_failed"), status_number(s, "reloads_ok"),
           status_number(s, "reloads_failed"));
}

static void print_quantile(const char *name, uint64_t us)
{
    if (us == UINT64_MAX)
        printf(", %s over 131 ms", name);
    else
        printf(", %s at most %" PRIu64 " us", name, us);
}

static void print_requests(const hg_value *s)
{
    printf("requests     %" PRIu64 ": %" PRIu64 " matched, %" PRIu64 " blocked, %" PRIu64 " out of time, %" PRIu64
           " cut by the client\n",
           status_number(s, "requests"), status_number(s, "matches"), status_number(s, "blocks"),
           status_number(s, "timeouts"), status_number(s, "truncations"));
    if (status_quantile(NULL, s, 0.5) == 0)
        return;
    printf("evaluations  half");
    uint64_t half = status_quantile(NULL, s, 0.5);
    printf(" at most %" PRIu64 " us", half == UINT64_MAX ? 131072 : half);
    print_quantile("99 %", status_quantile(NULL, s, 0.99));
    putchar('\n');
}

static void print_limits(const hg_value *s)
{
    const hg_value *limits = hg_map_find(s, HG_SLICE("limits"));
    bool any = false;
    printf("limits       ");
    for (size_t i = 0; limits != NULL && hg_is_map(limits) && i < hg_value_size(limits); i++) {
        const hg_pair *p = &hg_map_pairs(limits)[i];
        hg_slice name = hg_value_string(&p->key);
        uint64_t hits = (p->val.type == HG_SIGNED || p->val.type == HG_UNSIGNED) ? p->val.u64.val : 0;
        if (hits == 0)
            continue;
        printf("%s%.*s %" PRIu64, any ? ", " : "", (int)name.len, name.ptr, hits);
        any = true;
    }
    printf("%s\n", any ? "" : "none reached");
}

static void print_services(const hg_value *s)
{
    const hg_value *services = hg_map_find(s, HG_SLICE("services"));
    size_t count = services != NULL && hg_is_array(services) ? hg_value_size(services) : 0;
    printf("services     %zu\n", count);
    for (size_t i = 0; i < count; i++) {
        const hg_value *one = &hg_array_items(services)[i];
        hg_slice name = status_text(one, "service"), env = status_text(one, "env"), remote = status_text(one, "remote_path");
        printf("  ");
        put_text(name.len ? name : HG_SLICE("(no name)"));
        printf(" / ");
        put_text(env.len ? env : HG_SLICE("(no environment)"));
        printf(": %" PRIu64 " connections, rules ", status_number(one, "connections"));
        put_text(status_text(one, "rules_version"));
        printf(" %.*s", (int)status_text(one, "state").len, status_text(one, "state").ptr);
        if (remote.len > 0) {
            printf(", remote ");
            put_text(remote);
        }
        putchar('\n');
    }
}

static void print_status(const hg_value *s)
{
    uint64_t up = status_number(s, "uptime_s");
    hg_slice version = status_text(s, "version");
    printf("hotgate      %.*s, process %" PRIu64 ", up %" PRIu64 " h %" PRIu64 " min %" PRIu64 " s, %" PRIu64 " loops, %.1f MiB\n",
           (int)version.len, version.ptr, status_number(s, "pid"), up / 3600, up / 60 % 60, up % 60,
           status_number(s, "loops"), (double)status_number(s, "rss_bytes") / 1048576);
    print_rules(s);
    print_requests(s);
    printf("connections  %" PRIu64 " now, %" PRIu64 " accepted, %" PRIu64 " refused\n", status_number(s, "connections"),
           status_number(s, "connections_accepted"), status_number(s, "connections_refused"));
    printf("errors       %" PRIu64 " evaluations, %" PRIu64 " messages; %" PRIu64 " events lost\n", status_number(s, "waf_errors"),
           status_number(s, "protocol_errors"), status_number(s, "events_lost"));
    print_limits(s);
    print_services(s);
}

int cli_status(int argc, char **argv)
{
    static const struct option known[] = {{"json", 0, NULL, 'j'}, {"help", 0, NULL, 'h'}, {0}};
    bool json = false;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, stdout);
            return STATUS_OK;
        }
        if (option != 'j')
            return CLI_USAGE;
        json = true;
    }
    if (argc - optind > 1)
        return cli_usage_error("status", "one address at a time, not also", argv[optind + 1]);
    daemon_status status;
    char why[256];
    if (!status_fetch(optind < argc ? argv[optind] : STATUS_ADDRESS, &status, why)) {
        fprintf(stderr, "hotgate status: %s\n", why);
        return STATUS_UNREACHED;
    }
    if (json)
        fwrite(status.text.ptr, 1, status.text.len, stdout);
    else
        print_status(&status.root);
    status_free(&status);
    return STATUS_OK;
}
