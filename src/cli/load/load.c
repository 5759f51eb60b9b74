/* hotgate load: the load generator. */
#include "cli/load/load.h"
#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { OK = 0, WRONG = 1, UNREACHABLE = 3 };

static const char usage[] =
    "usage: hotgate load [OPTION...] [SOCKET]\n"
    "\n"
    "Plays PHP workers in front of a daemon that speaks the helper protocol of the PHP AppSec extension: each connection\n"
    "sends client_init, then requests one after the other (request_init, perhaps RASP calls, request_shutdown). Every reply\n"
    "is held against what it must say. SOCKET is a path or, with a leading @, an abstract name; without one it is where\n"
    "'hotgate serve --version 1.24.0' listens for the caller.\n"
    "\n"
    "  --connections LIST   workers; several numbers are run one after the other (128)\n"
    "  --rate N             requests a second in all, latencies counted from when each was due; without it every worker\n"
    "                       sends its next request as soon as the last one was answered\n"
    "  --seconds N          measured time of each run (10)\n"
    "  --warmup N           seconds before it (1)\n"
    "  --attack PERCENT     requests with the user agent of a scanner; they must be reported (0)\n"
    "  --expect VERDICT     how: any, record, block, redirect (any)\n"
    "  --rasp N             RASP calls in every request (0)\n"
    "  --reload SECONDS     a SIGHUP to the daemon that often; needs --pid\n"
    "  --storm N            instead: N connections at once, the time until each client_init was answered\n"
    "  --trouble PERCENT    requests that misbehave: cut frames, vanish, pause in a frame, read slowly (0)\n"
    "  --threads N          (1)\n"
    "  --timeout SECONDS    a reply that takes longer is lost (5)\n"
    "  --pid PID            the daemon's, for its processor time and switches (who listens at SOCKET)\n"
    "  --service NAME       named in client_init (load)\n"
    "  --waf-timeout US     asked for in client_init (10000)\n"
    "  --version VERSION    of the extension that is played (1.24.0)\n"
    "  --seed N             of attacks and troubles (1)\n"
    "  --json FILE          a JSON object a run into FILE; - is standard output, behind the table\n"
    "\n"
    "The table gives requests a second, latencies of whole requests in microseconds, and the daemon's processor time and\n"
    "context switches a request.\n"
    "\n"
    "Exit status: 0 every reply was right, 1 some were wrong or lost, 2 usage, 3 the daemon cannot be reached.\n"
    "\n"
    "Examples:\n"
    "  hotgate load                                         # saturated, 128 workers\n"
    "  hotgate load --rate 1000 --seconds 25                # latency at a fixed rate\n"
    "  hotgate load --connections 1,14,28,100,128 --json -  # sweep\n"
    "  hotgate load --rate 1000 --reload 1 --pid $(pidof hotgate)\n"
    "  hotgate load --attack 10 --rasp 5 --trouble 2 --expect record\n"
    "  hotgate load --storm 1000\n";

typedef struct arguments {
    load_options load;
    size_t connections[LOAD_CASES_MAX], cases;
    unsigned long storm;
    const char *json;
    char address[160];
} arguments;

static int usage_error(const char *what, const char *value)
{
    return cli_usage_error("load", what, value);
}

static bool parse_number(const char *text, unsigned long low, unsigned long high, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] >= '0' && text[0] <= '9' && *out >= low && *out <= high;
}

static bool parse_amount(const char *text, double low, double high, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= low && *out <= high;
}

static bool parse_list(const char *text, arguments *a)
{
    char copy[256];
    char *rest;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    a->cases = 0;
    for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        unsigned long number;
        if (a->cases == LOAD_CASES_MAX || !parse_number(item, 1, LOAD_CONNECTIONS_MAX, &number))
            return false;
        a->connections[a->cases++] = number;
    }
    return a->cases > 0;
}

static bool parse_expect(const char *text, load_expect *out)
{
    static const char *const names[] = {"any", "record", "block", "redirect"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (load_expect)i;
            return true;
        }
    return false;
}

enum {
    O_CONNECTIONS = 256, O_RATE, O_SECONDS, O_WARMUP, O_ATTACK, O_EXPECT, O_RASP, O_RELOAD, O_STORM, O_TROUBLE, O_THREADS,
    O_TIMEOUT, O_PID, O_SERVICE, O_WAF_TIMEOUT, O_VERSION, O_SEED, O_JSON, O_HELP
};

static const struct option known[] = {
    {"connections", 1, 0, O_CONNECTIONS}, {"rate", 1, 0, O_RATE}, {"seconds", 1, 0, O_SECONDS},
    {"warmup", 1, 0, O_WARMUP}, {"attack", 1, 0, O_ATTACK}, {"expect", 1, 0, O_EXPECT}, {"rasp", 1, 0, O_RASP},
    {"reload", 1, 0, O_RELOAD}, {"storm", 1, 0, O_STORM}, {"trouble", 1, 0, O_TROUBLE}, {"threads", 1, 0, O_THREADS},
    {"timeout", 1, 0, O_TIMEOUT}, {"pid", 1, 0, O_PID}, {"service", 1, 0, O_SERVICE},
    {"waf-timeout", 1, 0, O_WAF_TIMEOUT}, {"version", 1, 0, O_VERSION}, {"seed", 1, 0, O_SEED}, {"json", 1, 0, O_JSON},
    {"help", 0, 0, O_HELP}, {0}};

/* False: the value cannot be used. */
static bool set_option(int option, const char *value, arguments *a)
{
    load_options *o = &a->load;
    unsigned long number = 0;
    bool good = true;
    switch (option) {
    case O_CONNECTIONS: return parse_list(value, a);
    case O_RATE: return parse_amount(value, 0.001, 1e7, &o->rate);
    case O_SECONDS: return parse_amount(value, 0.01, 1e6, &o->seconds);
    case O_WARMUP: return parse_amount(value, 0, 1e6, &o->warmup);
    case O_RELOAD: return parse_amount(value, 0.001, 1e6, &o->reload);
    case O_TIMEOUT: return parse_amount(value, 0.01, 1e6, &o->timeout);
    case O_EXPECT: return parse_expect(value, &o->expect);
    case O_STORM: return parse_number(value, 1, LOAD_CONNECTIONS_MAX, &a->storm);
    case O_ATTACK: good = parse_number(value, 0, 100, &number); o->attack = (unsigned)number; break;
    case O_RASP: good = parse_number(value, 0, 1000, &number); o->calls = (unsigned)number; break;
    case O_TROUBLE: good = parse_number(value, 0, 100, &number); o->trouble = (unsigned)number; break;
    case O_THREADS: good = parse_number(value, 1, LOAD_THREADS_MAX, &number); o->threads = (unsigned)number; break;
    case O_PID: good = parse_number(value, 1, INT32_MAX, &number); o->pid = (pid_t)number; break;
    case O_WAF_TIMEOUT: good = parse_number(value, 1, UINT32_MAX, &number); o->waf_timeout_us = number; break;
    case O_SEED: good = parse_number(value, 0, UINT64_MAX, &number); o->seed = number; break;
    case O_SERVICE: o->service = value; break;
    case O_VERSION: o->version = value; break;
    default: a->json = value; break;
    }
    return good;
}

static int parse(int argc, char **argv, arguments *a)
{
    optind = 1;
    for (int option, at; (option = getopt_long(argc, argv, "", known, &at)) != -1;) {
        if (option == O_HELP) {
            fputs(usage, stdout);
            return OK;
        }
        if (option == '?')
            return CLI_USAGE;
        if (!set_option(option, optarg, a))
            return usage_error("not usable here:", optarg);
    }
    if (optind + 1 < argc)
        return usage_error("unexpected argument", argv[optind + 1]);
    if (a->load.reload > 0 && a->load.pid == 0)
        return usage_error("a signal needs a process, give --pid;", "--reload");
    snprintf(a->address, sizeof a->address, "@/ddappsec/ddappsec_%s_%u.sock", a->load.version, (unsigned)getuid());
    a->load.address = optind < argc ? argv[optind] : a->address;
    return -1;
}

static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int write_json(const char *path, const hg_buffer *text)
{
    bool to_stdout = strcmp(path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(path, "we");
    bool written = file != NULL && fwrite(text->ptr, 1, text->len, file) == text->len && fflush(file) == 0;
    if (!written)
        fprintf(stderr, "hotgate load: %s: %s\n", path, strerror(errno));
    if (file != NULL && !to_stdout)
        fclose(file);
    return written ? OK : UNREACHABLE;
}

static int run(arguments *a, const load_messages *m)
{
    static load_result result; /* a histogram is large */
    hg_buffer json = {0};
    const load_options *o = &a->load;
    const char *kind = a->storm > 0 ? "storm" : o->rate > 0 ? "fixed" : "saturated";
    int answer = OK;
    if (a->storm > 0) {
        a->cases = 1;
        a->connections[0] = a->storm;
    }
    for (size_t i = 0; i < a->cases; i++) {
        hg_status status = a->storm > 0 ? load_storm(o, m, a->connections[i], &result) : load_run(o, m, a->connections[i], &result);
        if (status != HG_OK) {
            fprintf(stderr, "hotgate load: %s\n", hg_strerror(status));
            hg_buffer_free(&json);
            return UNREACHABLE;
        }
        load_report_table(o, kind, &result, i == 0);
        load_report_json(o, kind, &result, &json);
        if (result.counts.wrong > 0 || result.counts.lost > 0 || result.counts.requests == 0)
            answer = WRONG;
    }
    if (a->json != NULL && answer <= WRONG) {
        int written = write_json(a->json, &json);
        answer = written != OK ? written : answer;
    }
    hg_buffer_free(&json);
    return answer;
}

int cli_load(int argc, char **argv)
{
    static arguments a;
    a = (arguments){.connections = {128}, .cases = 1};
    a.load = (load_options){.threads = 1, .seconds = 10, .warmup = 1, .timeout = 5, .version = "1.24.0", .service = "load",
                            .waf_timeout_us = 10000, .seed = 1};
    int early = parse(argc, argv, &a);
    if (early >= 0)
        return early;
    raise_descriptors();
    load_messages messages;
    if (load_messages_make(&a.load, &messages) != HG_OK) {
        fprintf(stderr, "hotgate load: %s\n", hg_strerror(HG_ERR_NOMEM));
        return UNREACHABLE;
    }
    if (a.load.pid == 0)
        a.load.pid = load_target_pid(a.load.address);
    int answer = run(&a, &messages);
    load_messages_free(&messages);
    return answer;
}
