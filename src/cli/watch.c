/* hotgate watch: traffic to flows, records and verdicts. */
#include "cli/verbs.h"
#include "cli/watch/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_CLEAN = 0, EXIT_ALERTS = 1, EXIT_TROUBLE = 2 };

volatile int watch_stop, watch_hangup;

static void on_signal(int number)
{
    if (number == SIGHUP)
        watch_hangup = 1;
    else
        watch_stop = 1;
}

static void to_log(void *state, hg_slice json)
{
    hg_netlog_line(state, "alert", json);
}

static void to_stdout(void *state, hg_slice json)
{
    (void)state;
    fwrite(json.ptr, 1, json.len, stdout);
    fputc('\n', stdout);
}

bool watch_pause(watch_run *run)
{
    const watch_options *o = run->options;
    int64_t now = hg_net_clock(run->net) / 1000000;
    if (watch_hangup) {
        watch_hangup = 0;
        hg_netlog_rotate(run->log, time(NULL));
    }
    if (o->rotate > 0 && now > 1) {
        if (run->rotate_at == 0)
            run->rotate_at = now + (int64_t)o->rotate;
        else if (now >= run->rotate_at) {
            hg_netlog_rotate(run->log, run->rotate_at);
            while (run->rotate_at <= now)
                run->rotate_at += (int64_t)o->rotate;
        }
    }
    if (o->packets > 0 && hg_net_count(run->net)->packets >= o->packets)
        watch_stop = 1;
    return watch_stop;
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool start(watch_run *run, hg_waf *waf)
{
    const watch_options *o = run->options;
    hg_net_sink sink = {0};
    run->log = hg_netlog_new(&o->log);
    hg_watch_options options = {.waf = waf, .summary = o->summary, .state = run->log,
                                .alert = o->log.dir != NULL ? to_log : o->summary ? NULL : to_stdout};
    run->watch = hg_watch_new(&options);
    if (run->log == NULL || run->watch == NULL)
        return false;
    if (o->log.dir != NULL)
        hg_netlog_sink(run->log, &sink);
    if (waf != NULL || o->summary)
        hg_watch_sink(run->watch, &sink);
    run->net = hg_net_new(&o->net, &sink);
    if (run->net == NULL) {
        fprintf(stderr, "hotgate watch: a network, port or limit cannot be understood, or memory ran out\n");
        return false;
    }
    hg_netlog_bind(run->log, run->net);
    hg_watch_bind(run->watch, run->net);
    return true;
}

static void read_all(watch_run *run)
{
    const watch_options *o = run->options;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    if (o->interface != NULL)
        watch_live(run);
    for (size_t i = 0; i < o->path_count && !watch_stop; i++)
        watch_path(run, o->paths[i]);
    hg_net_finish(run->net);
}

int cli_watch(int argc, char **argv)
{
    static watch_options options;
    cli_rules rules = {0};
    watch_run run = {.options = &options};
    int usage = watch_options_read(argc, argv, &options);
    if (usage != 0)
        return usage == 1 ? EXIT_CLEAN : EXIT_TROUBLE;
    if (!options.no_rules && cli_rules_load(options.rules, options.rule_count, stderr, &rules) != HG_OK)
        return EXIT_TROUBLE;
    double began = clock_seconds();
    bool good = start(&run, rules.waf);
    uint64_t alerts = 0;
    if (good) {
        read_all(&run);
        alerts = hg_watch_count(run.watch)->alerts;
        if (options.summary)
            hg_watch_summary(run.watch, stdout, clock_seconds() - began);
    }
    hg_net_free(run.net);
    hg_watch_free(run.watch);
    if (run.log != NULL && hg_netlog_close(run.log) != HG_OK)
        good = false;
    hg_waf_unref(rules.waf);
    if (fflush(stdout) != 0 || !good || run.trouble)
        return EXIT_TROUBLE;
    return alerts > 0 ? EXIT_ALERTS : EXIT_CLEAN;
}
