/* hotgate serve: the daemon. */
#include "cli/profile.h"
#include "cli/rules.h"
#include "cli/serve/serve.h"
#include "cli/verbs.h"

#include "helper/event_log.h"
#include "helper/frame.h"
#include "helper/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

bool serve_read_rules(const char *path, hg_buffer *file, hg_slice *text)
{
    if (path == NULL) {
        *text = hg_slice_of(cli_embedded_rules, cli_embedded_rules_len);
        return true;
    }
    FILE *in = fopen(path, "re");
    if (in == NULL) {
        fprintf(stderr, "hotgate serve: %s: %s\n", path, strerror(errno));
        return false;
    }
    char step[65536];
    for (size_t n; (n = fread(step, 1, sizeof step, in)) > 0 && !file->failed;)
        hg_buffer_append(file, hg_slice_of(step, n));
    bool ok = !ferror(in) && !file->failed;
    if (!ok)
        fprintf(stderr, "hotgate serve: %s cannot be read\n", path);
    fclose(in);
    *text = hg_slice_of(file->ptr, file->len);
    return ok;
}

/* ---- Events ---- */

/* The folder of the program, of the installation, or of the environment: where the plugin is. */
static const char *find_plugin(const char *name, char path[512])
{
    char self[400];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    const char *const folders[] = {getenv("HOTGATE_PLUGINS"), self, HG_PLUGIN_FOLDER};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (folders[i] == NULL || snprintf(path, 512, "%s/%s", folders[i], name) >= 512)
            continue;
        if (access(path, R_OK) == 0)
            return path;
    }
    return name; /* the loader says that it is not there */
}

static int open_events(const serve_options *o, event_log **out)
{
    char why[256], path[512];
    if (o->events == NULL && o->kafka == NULL)
        return SERVE_OK;
    const event_log_options options = {.path = o->events, .settings = o->kafka,
                                       .plugin = o->kafka ? find_plugin("hotgate-kafka.so", path) : NULL};
    if (event_log_open(&options, out, why) == HG_OK)
        return SERVE_OK;
    fprintf(stderr, "hotgate serve: %s\n", why);
    return SERVE_FAILED;
}

/* ---- Life ---- */

typedef struct daemon_parts {
    manager *manager;
    server *server;
    metrics *port;
    event_log *events;
    hg_buffer rules;
} daemon_parts;

static int start_threads(const serve_options *o, sockets *socks, hg_prof *prof, daemon_parts *d)
{
    const server_options options = {
        .manager = d->manager, .listeners = socks->items, .listener_count = socks->count, .loops = o->loops,
        .max_connections = o->max_connections, .max_line = o->max_line, .max_frame = o->max_frame,
        .max_memory = o->max_memory, .events = d->events, .prof = prof};
    if (server_new(&options, &d->server) != HG_OK || manager_start(d->manager) != HG_OK ||
        server_start(d->server) != HG_OK) {
        fprintf(stderr, "hotgate serve: the threads could not be started\n");
        return SERVE_FAILED;
    }
    char why[256] = "no memory for the metrics port";
    if (o->metrics != NULL && (metrics_open(o->metrics, d->server, d->manager, &d->port, why) != HG_OK ||
                               metrics_start(d->port) != HG_OK)) {
        fprintf(stderr, "hotgate serve: %s\n", why);
        return SERVE_FAILED;
    }
    return SERVE_OK;
}

static int start(const serve_options *o, sockets *socks, hg_prof *prof, daemon_parts *d)
{
    hg_slice text;
    if (!serve_read_rules(o->rules, &d->rules, &text))
        return SERVE_RULES;
    const manager_options options = {.rules = text, .rules_version = "", .allow_rules = o->allow, .prof = prof};
    d->manager = manager_new(&options, server_ready, &d->server);
    if (d->manager == NULL || manager_prepare(d->manager) != HG_OK) {
        fprintf(stderr, "hotgate serve: %s: no usable rules; 'hotgate check' says why\n", o->rules ? o->rules : "embedded");
        return SERVE_RULES;
    }
    int result = open_events(o, &d->events);
    if (result == SERVE_OK)
        result = serve_open_sockets(o, socks);
    return result == SERVE_OK ? start_threads(o, socks, prof, d) : result;
}

static void stop(daemon_parts *d)
{
    metrics_close(d->port);
    if (d->server != NULL)
        server_stop(d->server);
    if (d->manager != NULL)
        manager_stop(d->manager);
    manager_free(d->manager);
    server_free(d->server);
    event_log_close(d->events);
    hg_buffer_free(&d->rules);
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int run(const serve_options *o, const sigset_t *signals)
{
    static sockets socks;
    daemon_parts parts = {0};
    cli_profile profile = {0};
    if (o->profile != NULL && !cli_profile_folder(&profile, "serve", o->profile))
        return SERVE_USAGE;
    int result = start(o, &socks, profile.prof, &parts);
    if (result == SERVE_OK) {
        serve_notify("READY=1");
        serve_watch(o, parts.manager, parts.events, signals);
        serve_notify("STOPPING=1");
    }
    stop(&parts);
    if (!cli_profile_end(&profile, "serve") && result == SERVE_OK)
        result = SERVE_FAILED;
    serve_close_sockets(&socks);
    return result;
}

int cli_serve(int argc, char **argv)
{
    serve_options o = {.base = "@/ddappsec", .socket = "@hotgate", .max_connections = 10000, .max_frame = FRAME_IN_MAX,
                       .max_memory = 64 << 20, .max_line = 1 << 20, .level = HG_LOG_INFO};
    hg_arena_init(&o.texts, NULL);
    int result = serve_parse(argc, argv, &o);
    if (result < 0) {
        hg_log_to(hg_log_stderr, NULL, o.level);
        sigset_t signals;
        sigemptyset(&signals);
        const int wanted[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            sigaddset(&signals, wanted[i]);
        sigprocmask(SIG_BLOCK, &signals, NULL); /* before the threads, which inherit it */
        signal(SIGPIPE, SIG_IGN); /* an event log may be a pipe whose reader goes */
        raise_descriptor_limit();
        result = run(&o, &signals);
    }
    hg_arena_close(&o.texts);
    return result;
}
