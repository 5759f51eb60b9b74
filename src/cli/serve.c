/* hotgate serve: the daemon. */
#include "cli/profile.h"
#include "cli/rules.h"
#include "cli/verbs.h"

#include "base/log.h"
#include "helper/frame.h"
#include "helper/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SERVE_OK = 0, SERVE_FAILED = 1, SERVE_USAGE = 2, SERVE_RULES = 3, LIST_MAX = 16 };

static const char usage[] =
    "usage: hotgate serve [OPTION...]\n"
    "\n"
    "Judges requests for other processes. By default it speaks the helper protocol of the PHP AppSec extension, on one\n"
    "unix socket for each version and user; with --protocol json it takes a JSON object a line and answers one a line.\n"
    "\n"
    "  --rules FILE         rules (the embedded ones)\n"
    "  --base PATH          where the helper sockets are (@/ddappsec; a leading @ is the abstract namespace)\n"
    "  --version LIST       versions of the extension to listen for, e.g. 1.24.0,1.23.1\n"
    "  --uid LIST           users to listen for (the own one); others need CAP_SETUID\n"
    "  --protocol json      also listen for JSON lines on --socket\n"
    "  --socket PATH        where (@hotgate)\n"
    "  --allow-rules GLOB   rules files that clients may ask for (none)\n"
    "  --loops N            threads (one a CPU)\n"
    "  --max-connections N  a thread (10000)\n"
    "  --metrics ADDRESS    Prometheus text on unix:PATH or 127.0.0.1:PORT, path /metrics\n"
    "  --profile DIR        a profile of the CPU time every 67 s and at the end, for 'hotgate prof'; nothing is removed\n"
    "  --log LEVEL          error, warn, info, debug (info)\n"
    "\n"
    "SIGHUP reads the rules file again; SIGTERM and SIGINT stop. Sockets that systemd opened are used instead of --base\n"
    "and --socket (a name that begins with json speaks JSON lines); readiness is reported to it.\n"
    "\n"
    "Exit status: 0 stopped, 1 a socket or thread could not be had, 2 usage, 3 rules unusable.\n"
    "\n"
    "Examples:\n"
    "  hotgate serve --version 1.24.0 --uid 33\n"
    "  hotgate serve --protocol json --socket /run/hotgate.sock\n"
    "  echo '{\"id\":1,\"addresses\":{\"server.request.query\":{\"q\":\"<script>alert(1)</script>\"}}}' |\n"
    "    socat - ABSTRACT-CONNECT:hotgate\n";

typedef struct serve_options {
    const char *rules, *base, *versions, *uids, *socket, *allow, *metrics, *profile;
    bool json;
    unsigned loops;
    size_t max_connections;
    hg_log_level level;
} serve_options;

static int usage_error(const char *what, const char *value)
{
    return cli_usage_error("serve", what, value);
}

static bool parse_number(const char *text, unsigned long low, unsigned long high, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *out >= low && *out <= high;
}

static bool parse_level(const char *text, hg_log_level *out)
{
    for (hg_log_level l = HG_LOG_TRACE; l <= HG_LOG_OFF; l++)
        if (strcmp(hg_log_level_name(l), text) == 0) {
            *out = l;
            return true;
        }
    return false;
}

static int parse(int argc, char **argv, serve_options *o)
{
    enum { RULES = 256, BASE, VERSION, UID, PROTOCOL, SOCKET, ALLOW, LOOPS, MOST, METRICS, PROFILE, LOG, HELP };
    static const struct option known[] = {
        {"rules", 1, 0, RULES}, {"base", 1, 0, BASE}, {"version", 1, 0, VERSION}, {"uid", 1, 0, UID},
        {"protocol", 1, 0, PROTOCOL}, {"socket", 1, 0, SOCKET}, {"allow-rules", 1, 0, ALLOW}, {"loops", 1, 0, LOOPS},
        {"max-connections", 1, 0, MOST}, {"metrics", 1, 0, METRICS}, {"profile", 1, 0, PROFILE},
        {"log", 1, 0, LOG}, {"help", 0, 0, HELP}, {0}};
    unsigned long number;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case RULES: o->rules = optarg; break;
        case BASE: o->base = optarg; break;
        case VERSION: o->versions = optarg; break;
        case UID: o->uids = optarg; break;
        case SOCKET: o->socket = optarg; break;
        case ALLOW: o->allow = optarg; break;
        case METRICS: o->metrics = optarg; break;
        case PROFILE: o->profile = optarg; break;
        case PROTOCOL:
            if (strcmp(optarg, "json") != 0 && strcmp(optarg, "helper") != 0)
                return usage_error("unknown protocol", optarg);
            o->json = optarg[0] == 'j';
            break;
        case LOOPS:
            if (!parse_number(optarg, 1, LOOPS_MAX, &number))
                return usage_error("not a number of threads:", optarg);
            o->loops = (unsigned)number;
            break;
        case MOST:
            if (!parse_number(optarg, 1, 1 << 20, &number))
                return usage_error("not a number of connections:", optarg);
            o->max_connections = number;
            break;
        case LOG:
            if (!parse_level(optarg, &o->level))
                return usage_error("unknown level", optarg);
            break;
        case HELP:
            fputs(usage, stdout);
            return SERVE_OK;
        default:
            return SERVE_USAGE;
        }
    }
    return optind < argc ? usage_error("unexpected argument", argv[optind]) : -1;
}

/* ---- Rules ---- */

typedef struct rules_text {
    hg_buffer file; /* of --rules; empty: embedded */
    hg_slice text;
} rules_text;

static bool read_rules(const char *path, rules_text *out)
{
    if (path == NULL) {
        out->text = hg_slice_of(cli_embedded_rules, cli_embedded_rules_len);
        return true;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fprintf(stderr, "hotgate serve: %s: %s\n", path, strerror(errno));
        return false;
    }
    hg_buffer fresh = {0};
    char step[65536];
    for (size_t n; (n = fread(step, 1, sizeof step, file)) > 0 && !fresh.failed;)
        hg_buffer_append(&fresh, hg_slice_of(step, n));
    bool ok = !ferror(file) && !fresh.failed;
    fclose(file);
    out->file = fresh; /* an older text stays: the maintenance thread may still read it */
    out->text = hg_slice_of(fresh.ptr, fresh.len);
    return ok;
}

/* ---- Sockets ---- */

typedef struct sockets {
    listener items[LISTENERS_MAX];
    size_t count;
} sockets;

static int add_socket(sockets *s, const char *address, unsigned uid, protocol speaks)
{
    char why[256];
    if (s->count == LISTENERS_MAX)
        return usage_error("too many sockets at", address);
    const listener_options options = {.address = address, .uid = uid, .speaks = speaks};
    if (listener_open(&options, &s->items[s->count], why) != HG_OK) {
        fprintf(stderr, "hotgate serve: %s\n", why);
        return SERVE_FAILED;
    }
    HG_LOG(HG_LOG_INFO, "listening on %s for uid %u", address, uid);
    s->count++;
    return SERVE_OK;
}

/* Sockets handed over by systemd: LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES (sd_listen_fds(3)). */
static void adopt_sockets(sockets *s)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS"), *names = getenv("LISTEN_FDNAMES");
    if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid())
        return;
    long fds = strtol(count, NULL, 10);
    for (long i = 0; i < fds && s->count < LISTENERS_MAX; i++) {
        bool json = names != NULL && strncmp(names, "json", 4) == 0;
        listener_adopt((int)(3 + i), json ? PROTOCOL_JSON : PROTOCOL_HELPER, &s->items[s->count++]);
        names = names ? strchr(names, ':') : NULL;
        names = names ? names + 1 : NULL;
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
}

static int helper_sockets(const serve_options *o, sockets *s)
{
    char versions[256], own[24];
    snprintf(versions, sizeof versions, "%s", o->versions);
    snprintf(own, sizeof own, "%u", (unsigned)getuid());
    char *outer, *inner;
    for (char *v = strtok_r(versions, ",", &outer); v != NULL; v = strtok_r(NULL, ",", &outer)) {
        char uids[256];
        snprintf(uids, sizeof uids, "%s", o->uids ? o->uids : own);
        for (char *u = strtok_r(uids, ",", &inner); u != NULL; u = strtok_r(NULL, ",", &inner)) {
            unsigned long uid;
            if (!parse_number(u, 0, UINT32_MAX - 1, &uid))
                return usage_error("not a user id:", u);
            char address[512];
            bool slash = o->base[0] != '\0' && o->base[strlen(o->base) - 1] == '/';
            snprintf(address, sizeof address, "%s%sddappsec_%s_%lu.sock", o->base, slash ? "" : "/", v, uid);
            int result = add_socket(s, address, (unsigned)uid, PROTOCOL_HELPER);
            if (result != SERVE_OK)
                return result;
        }
    }
    return SERVE_OK;
}

static int open_sockets(const serve_options *o, sockets *s)
{
    adopt_sockets(s);
    if (s->count > 0)
        return SERVE_OK;
    int result = o->versions ? helper_sockets(o, s) : SERVE_OK;
    if (result == SERVE_OK && o->json)
        result = add_socket(s, o->socket, geteuid(), PROTOCOL_JSON);
    if (result == SERVE_OK && s->count == 0)
        return usage_error("nothing to listen on: give", "--version or --protocol json");
    return result;
}

/* sd_notify(3) without its library: a datagram to $NOTIFY_SOCKET. */
static void notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof a.sun_path)
        return;
    memcpy(a.sun_path, path, strlen(path));
    if (path[0] == '@')
        a.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
        close(fd);
    }
}

/* ---- Life ---- */

static void wait_for_the_end(const serve_options *o, manager *m, const sigset_t *signals)
{
    for (int signal; sigwait(signals, &signal) == 0;) {
        if (signal != SIGHUP)
            return;
        rules_text fresh;
        if (o->rules == NULL)
            HG_LOG(HG_LOG_INFO, "the embedded rules do not change; nothing to reload");
        else if (read_rules(o->rules, &fresh))
            manager_reload(m, &fresh.file);
    }
}

static int run(const serve_options *o, sockets *socks, hg_prof *prof, const sigset_t *signals)
{
    rules_text rules = {0};
    server *s = NULL;
    metrics *port = NULL;
    char why[256];
    if (!read_rules(o->rules, &rules))
        return SERVE_RULES;
    manager_options mo = {.rules = rules.text, .rules_version = "", .allow_rules = o->allow, .prof = prof};
    manager *m = manager_new(&mo, server_ready, &s);
    if (m == NULL || manager_prepare(m) != HG_OK) {
        fprintf(stderr, "hotgate serve: %s: no usable rules; 'hotgate check' says why\n", o->rules ? o->rules : "embedded");
        manager_free(m);
        return SERVE_RULES;
    }
    int result = open_sockets(o, socks);
    server_options so = {.manager = m, .listeners = socks->items, .listener_count = socks->count, .loops = o->loops,
                         .max_connections = o->max_connections, .max_line = 1 << 20,
                         .max_frame = FRAME_IN_MAX, .max_memory = 64 << 20, .prof = prof};
    if (result == SERVE_OK && (server_new(&so, &s) != HG_OK || manager_start(m) != HG_OK || server_start(s) != HG_OK)) {
        fprintf(stderr, "hotgate serve: the threads could not be started\n");
        result = SERVE_FAILED;
    }
    if (result == SERVE_OK && o->metrics != NULL &&
        (metrics_open(o->metrics, s, m, &port, why) != HG_OK || metrics_start(port) != HG_OK)) {
        fprintf(stderr, "hotgate serve: %s\n", why);
        result = SERVE_FAILED;
    }
    if (result == SERVE_OK) {
        notify("READY=1");
        wait_for_the_end(o, m, signals);
        notify("STOPPING=1");
    }
    metrics_close(port);
    if (s != NULL)
        server_stop(s);
    manager_stop(m);
    manager_free(m);
    server_free(s);
    hg_buffer_free(&rules.file);
    return result;
}

int cli_serve(int argc, char **argv)
{
    serve_options o = {.base = "@/ddappsec", .socket = "@hotgate", .max_connections = 10000, .level = HG_LOG_INFO};
    int early = parse(argc, argv, &o);
    if (early >= 0)
        return early;
    hg_log_to(hg_log_stderr, NULL, o.level);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* before the threads, which inherit it */
    static sockets socks;
    cli_profile profile = {0};
    if (o.profile != NULL && !cli_profile_folder(&profile, "serve", o.profile))
        return SERVE_USAGE;
    int result = run(&o, &socks, profile.prof, &signals);
    if (!cli_profile_end(&profile, "serve") && result == SERVE_OK)
        result = SERVE_FAILED;
    for (size_t i = 0; i < socks.count; i++)
        listener_close(&socks.items[i]);
    return result;
}
