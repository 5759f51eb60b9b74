/* hotgate top: what a running daemon does, second by second. */
#include "cli/status/status.h"
#include "cli/text.h"
#include "cli/verbs.h"

#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { TOP_OK = 0, TOP_UNREACHED = 1, HISTORY = 120 };

static const char usage[] =
    "usage: hotgate top [--interval SECONDS] [--count N] [ADDRESS]\n"
    "\n"
    "Shows what a running 'hotgate serve' does, as a table that is drawn anew every second; q ends it. When standard\n"
    "output is no terminal, a line is printed for each interval. ADDRESS is what its --metrics says\n"
    "(" STATUS_ADDRESS ").\n"
    "\n"
    "  --interval SECONDS   between looks, 0.1 to 60 (1)\n"
    "  --count N            ends after so many (0: never)\n"
    "\n"
    "Exit status: 0 ended, 1 the daemon cannot be reached, 2 usage.\n"
    "\n"
    "Examples:\n"
    "  hotgate top\n"
    "  hotgate top --count 10 127.0.0.1:9464 > load.txt\n";

typedef struct rates {
    double seconds, requests, matches, blocks, in, out, mean_us, cpu;
    uint64_t half, most; /* quantiles */
} rates;

typedef struct view {
    const char *address;
    bool terminal;
    double history[HISTORY]; /* requests a second, newest last */
    uint64_t cpu_ticks;
} view;

/* ---- Measuring ---- */

/* User and system time of a process on this machine; 0 when it is not ours to see. */
static uint64_t ticks_of(uint64_t pid)
{
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    FILE *file = fopen(path, "re");
    size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[size] = '\0';
    const char *after_name = strrchr(text, ')');
    if (after_name == NULL ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        return 0;
    return user + system;
}

static double change(const hg_value *before, const hg_value *now, const char *name)
{
    uint64_t a = status_number(before, name), b = status_number(now, name);
    return b > a ? (double)(b - a) : 0;
}

static rates measure(view *v, const hg_value *before, const hg_value *now)
{
    rates r = {.seconds = change(before, now, "time_ns") / 1e9};
    double seconds = r.seconds > 0 ? r.seconds : 1, evaluations = 0;
    uint64_t ticks = ticks_of(status_number(now, "pid"));
    r.requests = change(before, now, "requests") / seconds;
    r.matches = change(before, now, "matches") / seconds;
    r.blocks = change(before, now, "blocks") / seconds;
    r.in = change(before, now, "bytes_in") / seconds;
    r.out = change(before, now, "bytes_out") / seconds;
    r.half = status_quantile(before, now, 0.5);
    r.most = status_quantile(before, now, 0.99);
    const hg_value *list = hg_map_find(now, HG_SLICE("evaluation_us")), *old = hg_map_find(before, HG_SLICE("evaluation_us"));
    for (size_t i = 0; list != NULL && old != NULL && i < hg_value_size(list) && i < hg_value_size(old); i++)
        evaluations += change(&hg_array_items(old)[i], &hg_array_items(list)[i], "count");
    r.mean_us = evaluations > 0 ? change(before, now, "evaluation_ns") / evaluations / 1000 : 0;
    r.cpu = v->cpu_ticks > 0 && ticks > v->cpu_ticks
                ? 100 * (double)(ticks - v->cpu_ticks) / (double)sysconf(_SC_CLK_TCK) / seconds : 0;
    v->cpu_ticks = ticks;
    memmove(v->history, v->history + 1, (HISTORY - 1) * sizeof *v->history);
    v->history[HISTORY - 1] = r.requests;
    return r;
}

/* ---- Showing ---- */

static unsigned width_now(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* The last minutes as a row of bars. */
static void draw_history(const view *v, unsigned width)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    unsigned shown = width - 2 < HISTORY ? width - 2 : HISTORY;
    double most = 0;
    for (unsigned i = HISTORY - shown; i < HISTORY; i++)
        most = v->history[i] > most ? v->history[i] : most;
    printf("  ");
    for (unsigned i = HISTORY - shown; i < HISTORY; i++)
        fputs(bars[most > 0 ? (unsigned)(v->history[i] / most * 8 + 0.5) : 0], stdout);
    printf("\x1b[K\r\n  up to %.0f requests a second\x1b[K\r\n\x1b[K\r\n", most);
}

static void put_quantile(const char *name, uint64_t us)
{
    if (us == UINT64_MAX)
        printf("  %s > 131 ms", name);
    else
        printf("  %s <= %" PRIu64 " us", name, us);
}

static void draw_services(const hg_value *now)
{
    const hg_value *services = hg_map_find(now, HG_SLICE("services"));
    printf("\x1b[7m  %-28s %-14s %11s  %-16s %-9s\x1b[K\x1b[0m\r\n", "SERVICE", "ENVIRONMENT", "CONNECTIONS", "RULES", "STATE");
    for (size_t i = 0; services != NULL && hg_is_array(services) && i < hg_value_size(services) && i < 20; i++) {
        const hg_value *one = &hg_array_items(services)[i];
        hg_buffer name = {0}, env = {0}, rules = {0};
        cli_text_escape(&name, status_text(one, "service"));
        cli_text_escape(&env, status_text(one, "env"));
        cli_text_escape(&rules, status_text(one, "rules_version"));
        printf("  %-28.*s %-14.*s %11" PRIu64 "  %-16.*s %-9.*s\x1b[K\r\n", (int)(name.len < 28 ? name.len : 28), name.ptr ? name.ptr : "",
               (int)(env.len < 14 ? env.len : 14), env.ptr ? env.ptr : "", status_number(one, "connections"),
               (int)(rules.len < 16 ? rules.len : 16), rules.ptr ? rules.ptr : "", (int)status_text(one, "state").len,
               status_text(one, "state").ptr);
        hg_buffer_free(&name);
        hg_buffer_free(&env);
        hg_buffer_free(&rules);
    }
}

static void draw(const view *v, const hg_value *now, const rates *r)
{
    unsigned width = width_now();
    hg_slice version = status_text(now, "rules_version");
    printf("\x1b[H  hotgate at %s   rules %.*s   %" PRIu64 " connections   %.1f MiB   CPU %.0f %%\x1b[K\r\n\x1b[K\r\n", v->address,
           (int)version.len, version.ptr, status_number(now, "connections"), (double)status_number(now, "rss_bytes") / 1048576,
           r->cpu);
    printf("  requests %8.0f /s   matched %7.0f /s   blocked %7.0f /s   in %7.1f KiB/s   out %7.1f KiB/s\x1b[K\r\n",
           r->requests, r->matches, r->blocks, r->in / 1024, r->out / 1024);
    printf("  evaluation  mean %.1f us", r->mean_us);
    put_quantile("half", r->half);
    put_quantile("99 %", r->most);
    printf("\x1b[K\r\n\x1b[K\r\n");
    draw_history(v, width);
    draw_services(now);
    printf("\x1b[J");
    fflush(stdout);
}

static void print_line(const rates *r, bool heading)
{
    if (heading)
        printf("%10s %10s %10s %12s %12s %9s %7s\n", "requests/s", "matched/s", "blocked/s", "in_bytes/s", "out_bytes/s", "mean_us",
               "cpu_%");
    printf("%10.1f %10.1f %10.1f %12.0f %12.0f %9.1f %7.1f\n", r->requests, r->matches, r->blocks, r->in, r->out, r->mean_us,
           r->cpu);
    fflush(stdout);
}

/* ---- Looking ---- */

/* False: q was pressed, or the terminal is gone. */
static bool pause_for(const view *v, double seconds)
{
    struct pollfd p = {v->terminal ? STDIN_FILENO : -1, POLLIN, 0};
    char key;
    if (poll(&p, 1, (int)(seconds * 1000)) <= 0)
        return true;
    return read(STDIN_FILENO, &key, 1) == 1 && key != 'q' && key != 3;
}

static int look(view *v, double interval, unsigned long count)
{
    daemon_status before, now;
    char why[256];
    bool reached = status_fetch(v->address, &before, why);
    if (reached) {
        v->cpu_ticks = ticks_of(status_number(&before.root, "pid"));
        for (unsigned long i = 0; (count == 0 || i < count) && pause_for(v, interval); i++) {
            reached = status_fetch(v->address, &now, why);
            if (!reached)
                break;
            rates r = measure(v, &before.root, &now.root);
            if (v->terminal)
                draw(v, &now.root, &r);
            else
                print_line(&r, i % 20 == 0);
            status_free(&before);
            before = now;
        }
        status_free(&before);
    }
    if (v->terminal)
        printf("\x1b[?7h\x1b[?25h\x1b[?1049l");
    fflush(stdout);
    if (!reached)
        fprintf(stderr, "hotgate top: %s\n", why);
    return reached ? TOP_OK : TOP_UNREACHED;
}

static int look_on_terminal(view *v, double interval, unsigned long count)
{
    struct termios old, raw;
    bool typed = tcgetattr(STDIN_FILENO, &old) == 0;
    if (typed) {
        raw = old;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    v->terminal = typed;
    if (typed)
        printf("\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"); /* lines that are too long are cut */
    int result = look(v, interval, count);
    if (typed)
        tcsetattr(STDIN_FILENO, TCSANOW, &old);
    return result;
}

int cli_top(int argc, char **argv)
{
    static const struct option known[] = {
        {"interval", 1, NULL, 'i'}, {"count", 1, NULL, 'c'}, {"help", 0, NULL, 'h'}, {0}};
    double interval = 1;
    unsigned long count = 0;
    char *end;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'h':
            fputs(usage, stdout);
            return TOP_OK;
        case 'i':
            interval = strtod(optarg, &end);
            if (*end != '\0' || !(interval >= 0.1 && interval <= 60))
                return cli_usage_error("top", "not an interval:", optarg);
            break;
        case 'c':
            count = strtoul(optarg, &end, 10);
            if (*end != '\0' || optarg[0] < '0' || optarg[0] > '9')
                return cli_usage_error("top", "not a number:", optarg);
            break;
        default:
            return CLI_USAGE;
        }
    }
    if (argc - optind > 1)
        return cli_usage_error("top", "one address at a time, not also", argv[optind + 1]);
    view v = {.address = optind < argc ? argv[optind] : STATUS_ADDRESS};
    return isatty(STDOUT_FILENO) ? look_on_terminal(&v, interval, count) : look(&v, interval, count);
}
