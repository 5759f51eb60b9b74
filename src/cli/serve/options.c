#include "cli/serve/serve.h"

#include "cli/verbs.h"
#include "helper/frame.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

const char serve_usage[] =
    "usage: hotgate serve [OPTION...]\n"
    "\n"
    "Judges requests for other processes. By default it speaks the helper protocol of the PHP AppSec extension, on one\n"
    "unix socket for each version and user; with --protocol json it takes a JSON object a line and answers one a line.\n"
    "\n"
    "  --config FILE        options as a JSON object with these names; flags prevail\n"
    "  --rules FILE         rules (the embedded ones)\n"
    "  --base PATH          where the helper sockets are (@/ddappsec; a leading @ is the abstract namespace)\n"
    "  --version LIST       versions of the extension to listen for, e.g. 1.24.0,1.23.1\n"
    "  --uid LIST           users to listen for (the own one); others need CAP_SETUID\n"
    "  --protocol json      also listen for JSON lines on --socket\n"
    "  --socket PATH        where (@hotgate)\n"
    "  --socket-mode MODE   octal mode of that file: whom it lets in may connect (else the own user and root)\n"
    "  --allow-rules GLOB   rules files that clients may ask for (none)\n"
    "  --loops N            threads (one a CPU)\n"
    "  --max-connections N  a thread (10000)\n"
    "  --max-frame N        bytes of a message (10485760, which is also the most)\n"
    "  --max-memory N       bytes that the messages of one request may take in a connection (67108864)\n"
    "  --max-line N         bytes of a JSON line (1048576)\n"
    "  --metrics ADDRESS    Prometheus text on unix:PATH or 127.0.0.1:PORT, path /metrics; 'hotgate status' asks there\n"
    "  --events FILE        matches as JSON, one a line, appended; reopened at SIGHUP and SIGUSR1\n"
    "  --kafka SETTINGS     matches to Kafka: topic=NAME;bootstrap.servers=HOST:PORT;... (librdkafka's settings)\n"
    "  --profile DIR        a profile of the CPU time every 67 s and at the end, for 'hotgate prof'; nothing is removed\n"
    "  --log LEVEL          error, warn, info, debug (info)\n"
    "\n"
    "The rules file is read again at SIGHUP and when it changes; SIGTERM and SIGINT stop. Sockets that systemd opened are\n"
    "used instead of --base and --socket (a name that begins with json speaks JSON lines); readiness is reported to it.\n"
    "\n"
    "Exit status: 0 stopped, 1 a socket or thread could not be had, 2 usage, 3 rules unusable.\n"
    "\n"
    "Examples:\n"
    "  hotgate serve --version 1.24.0 --uid 33\n"
    "  hotgate serve --protocol json --socket /run/hotgate.sock --socket-mode 666\n"
    "  echo '{\"id\":1,\"addresses\":{\"server.request.query\":{\"q\":\"<script>alert(1)</script>\"}}}' |\n"
    "    socat - UNIX-CONNECT:/run/hotgate.sock\n";

static bool parse_number(const char *text, int base, unsigned long low, unsigned long high, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(text, &end, base);
    return errno == 0 && end != text && *end == '\0' && text[0] >= '0' && text[0] <= '9' && *out >= low && *out <= high;
}

/* ---- Setting one ---- */

typedef enum kind { TEXT, PROTOCOL, LEVEL, MODE, LOOPS, CONNECTIONS, FRAME, MEMORY, LINE } kind;

static const struct {
    const char *name;
    kind kind;
    size_t offset; /* of a text */
} known[] = {
    {"config", TEXT, offsetof(serve_options, config)},   {"rules", TEXT, offsetof(serve_options, rules)},
    {"base", TEXT, offsetof(serve_options, base)},       {"version", TEXT, offsetof(serve_options, versions)},
    {"uid", TEXT, offsetof(serve_options, uids)},        {"socket", TEXT, offsetof(serve_options, socket)},
    {"allow-rules", TEXT, offsetof(serve_options, allow)}, {"metrics", TEXT, offsetof(serve_options, metrics)},
    {"events", TEXT, offsetof(serve_options, events)},   {"kafka", TEXT, offsetof(serve_options, kafka)},
    {"profile", TEXT, offsetof(serve_options, profile)}, {"protocol", PROTOCOL, 0},
    {"log", LEVEL, 0},             {"socket-mode", MODE, 0}, {"loops", LOOPS, 0},
    {"max-connections", CONNECTIONS, 0}, {"max-frame", FRAME, 0}, {"max-memory", MEMORY, 0},
    {"max-line", LINE, 0},
};
enum { KNOWN = sizeof known / sizeof *known };

static const char *set_number(const char *value, unsigned long low, unsigned long high, size_t *out)
{
    unsigned long number;
    if (!parse_number(value, 10, low, high, &number))
        return "not a number in range:";
    *out = number;
    return NULL;
}

static const char *set_level(serve_options *o, const char *value)
{
    for (hg_log_level l = HG_LOG_TRACE; l <= HG_LOG_OFF; l++)
        if (strcmp(hg_log_level_name(l), value) == 0) {
            o->level = l;
            return NULL;
        }
    return "unknown level";
}

static const char *set_kind(serve_options *o, kind k, const char *value)
{
    unsigned long number;
    size_t loops = 0;
    const char *wrong = NULL;
    switch (k) {
    case PROTOCOL:
        o->json = strcmp(value, "json") == 0;
        return o->json || strcmp(value, "helper") == 0 ? NULL : "unknown protocol";
    case LEVEL:
        return set_level(o, value);
    case MODE:
        if (!parse_number(value, 8, 1, 0777, &number))
            return "not a file mode:";
        o->socket_mode = (unsigned)number;
        return NULL;
    case LOOPS:
        wrong = set_number(value, 1, LOOPS_MAX, &loops);
        o->loops = (unsigned)loops;
        return wrong;
    case CONNECTIONS:
        return set_number(value, 1, 1 << 20, &o->max_connections);
    case FRAME:
        return set_number(value, 1024, FRAME_IN_MAX, &o->max_frame);
    case MEMORY:
        return set_number(value, 65536, (size_t)1 << 32, &o->max_memory);
    case LINE:
        return set_number(value, 1024, 64 << 20, &o->max_line);
    case TEXT:
        break;
    }
    return NULL;
}

const char *serve_set(serve_options *o, const char *name, const char *value, bool *found)
{
    *found = false;
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        *found = true;
        if (known[i].kind != TEXT)
            return set_kind(o, known[i].kind, value);
        memcpy((char *)o + known[i].offset, &value, sizeof value);
        return NULL;
    }
    return NULL;
}

/* ---- Flags ---- */

enum { FIRST = 256, HELP = FIRST + KNOWN };

/* One pass over the flags; only_config: to find the file that comes before them. */
static int parse_flags(int argc, char **argv, bool only_config, serve_options *o)
{
    struct option options[KNOWN + 2] = {{0}};
    for (int i = 0; i < KNOWN; i++)
        options[i] = (struct option){known[i].name, 1, NULL, FIRST + i};
    options[KNOWN] = (struct option){"help", 0, NULL, HELP};
    optind = 0; /* starts anew */
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == HELP) {
            fputs(serve_usage, stdout);
            return SERVE_OK;
        }
        if (option < FIRST)
            return CLI_USAGE;
        bool found;
        const char *name = known[option - FIRST].name;
        if (only_config && strcmp(name, "config") != 0)
            continue;
        const char *wrong = serve_set(o, name, optarg, &found);
        if (wrong != NULL)
            return cli_usage_error("serve", wrong, optarg);
    }
    return optind < argc ? cli_usage_error("serve", "unexpected argument", argv[optind]) : -1;
}

int serve_parse(int argc, char **argv, serve_options *o)
{
    int early = parse_flags(argc, argv, true, o);
    if (early >= 0)
        return early;
    if (o->config != NULL && !serve_read_config(o->config, o))
        return SERVE_USAGE;
    return parse_flags(argc, argv, false, o);
}
