/* Baselines of the peer's own tests: PATH/upstream/NAME/LOG, with capture and settings from the tables of
 * PATH/INDEX.md. Times are masked there, and services and anomalies of other protocols do not count. */
#include "conformance/packets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

/* Made by analyzers or settings that are out of scope. */
static const char *const foreign[] = {
    "scripts.base.protocols.igmp.bad-checksum", "scripts.base.protocols.socks.trace3",
    "scripts.base.protocols.websocket.key-accept-wrong", "scripts.base.protocols.websocket.wstunnel-http",
    "core.pcap.read-trace-with-filter", "scripts.base.frameworks.logging.scope_sep",
};

static bool is_foreign(const char *name)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i], name) == 0)
            return true;
    return false;
}

typedef struct baseline {
    char name[256], settings[512], capture[512];
} baseline;

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static void find_log(const char *dir, const char *log, char out[PATH])
{
    snprintf(out, PATH, "%.*s/%s.log", PATH / 2, dir, log);
    if (!exists(out))
        snprintf(out, PATH, "%.*s/%s.log.cut", PATH / 2, dir, log);
}

static void judge(const baseline *b, bool good, const packets_table *expected, const packets_table *got, const char *log,
                  conformance_tally *tally)
{
    char label[PATH];
    const char *missing, *extra;
    if (good && packets_equal(expected, got, &missing, &extra)) {
        conformance_pass(tally);
        return;
    }
    snprintf(label, sizeof label, "upstream %s %s", b->name, log);
    conformance_fail(tally, hg_slice_from(label), "%s\n  expected %s\n  got      %s",
                     good ? "rows differ" : "the capture cannot be read", good && missing ? missing : "-",
                     good && extra ? extra : "-");
}

/* First to see which columns both have, then to compare those. */
static void run(const char *root, const baseline *b, conformance_tally *tally)
{
    char dir[600], path[PATH], capture[PATH];
    packets_table expected[PACKETS_LOGS] = {0}, got[PACKETS_LOGS] = {0}, ours[PACKETS_LOGS] = {0};
    packets_reading readings[PACKETS_LOGS];
    snprintf(dir, sizeof dir, "%s/upstream/%s", root, b->name);
    snprintf(capture, sizeof capture, "%s/captures/%s", root, b->capture);
    packets_run analysis = {.capture = capture, .ignore_checksums = strstr(b->settings, "checksums ignored") != NULL,
                            .all_ports = strstr(b->settings, "all default scripts") != NULL,
                            .passwords = strstr(b->settings, "default_capture_password = T") != NULL};
    for (int log = 0; log < PACKETS_LOGS; log++) {
        find_log(dir, packets_log_names[log], path);
        readings[log] = (packets_reading){.foreign = true, .known_services = true, .ignore = !exists(path)};
    }
    analysis.no_http = !analysis.all_ports && strstr(b->settings, "http") == NULL &&
                       strstr(b->settings, "websocket") == NULL && readings[PACKETS_HTTP].ignore;
    bool good = packets_analyse(&analysis, readings, ours);
    for (int log = 0; log < PACKETS_LOGS; log++) {
        find_log(dir, packets_log_names[log], path);
        readings[log].keep = &ours[log];
        packets_load(path, &readings[log], &expected[log]);
        readings[log].keep = &expected[log];
    }
    packets_canonical(expected);
    good = packets_analyse(&analysis, readings, got) && good;
    for (int log = 0; log < PACKETS_LOGS; log++)
        if (!readings[log].ignore)
            judge(b, good, &expected[log], &got[log], packets_log_names[log], tally);
    packets_free(ours);
    packets_free(got);
    packets_free(expected);
}

/* One table row: | `capture` | octets | text | `upstream/NAME/` logs (settings); ... | */
static void table_row(const char *root, char *line, conformance_tally *tally)
{
    baseline b;
    char *from = strchr(line, '`'), *to = from ? strchr(from + 1, '`') : NULL;
    if (to == NULL || to - from > (int)sizeof b.capture)
        return;
    snprintf(b.capture, sizeof b.capture, "%.*s", (int)(to - from - 1), from + 1);
    for (char *at = to; (at = strstr(at, "`upstream/")) != NULL;) {
        at += strlen("`upstream/");
        char *end = strchr(at, '/'), *open = end ? strchr(end, '(') : NULL, *close = open ? strchr(open, ')') : NULL;
        if (close == NULL)
            return;
        snprintf(b.name, sizeof b.name, "%.*s", (int)(end - at), at);
        snprintf(b.settings, sizeof b.settings, "%.*s", (int)(close - open), open);
        if (!is_foreign(b.name))
            run(root, &b, tally);
    }
}

void packets_upstream(const char *path, conformance_tally *tally)
{
    char index[PATH], line[8192];
    snprintf(index, sizeof index, "%.*s/INDEX.md", PATH / 2, path);
    FILE *file = fopen(index, "r");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] == '|' && strstr(line, "`upstream/") != NULL)
            table_row(path, line, tally);
    fclose(file);
}
