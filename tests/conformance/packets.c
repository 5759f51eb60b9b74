/* Kind "packets": a folder with captures/ or flows/ and expected/MODE/CAPTURE/LOG.log. A case is one log of one
 * capture in one mode. Modes: C checksums ignored, V verified (where there is no V folder the C one counts), both
 * tab-separated; J checksums ignored, JSON. A folder without logs says that nothing may be logged. */
#include "conformance/packets.h"
#include "hotgate/capture.h"
#include "hotgate/netlog.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096, NAME = 1024, BATCH = 32 };

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void input_weird(void *net, const char *name, const char *addl)
{
    hg_net_input_weird(net, name, addl);
}

static bool feed(hg_net *net, const char *path)
{
    hg_status status;
    hg_net_frame frames[BATCH];
    hg_capture *capture = hg_capture_open(path, &status);
    if (capture == NULL)
        return false;
    for (size_t count; (count = hg_capture_read(capture, frames, BATCH, input_weird, net, &status)) > 0;)
        hg_net_batch(net, frames, count);
    hg_capture_close(capture);
    return status == HG_OK || status == HG_ERR_TRUNCATED;
}

static bool write_logs(const packets_run *run, const char *dir)
{
    hg_net_options options = hg_net_defaults();
    hg_netlog_options log_options = {.dir = dir, .format = run->json ? HG_NETLOG_JSON : HG_NETLOG_TSV, .vlan = true,
                                     .mac = true, .community_id = true, .peer = "zeek"};
    options.compat = true;
    options.ignore_checksums = run->ignore_checksums;
    options.all_server_ports = run->all_ports;
    options.http = !run->no_http;
    options.capture_passwords = run->passwords;
    hg_net_sink sink = {0};
    hg_netlog *log = hg_netlog_new(&log_options);
    if (log == NULL)
        return false;
    hg_netlog_sink(log, &sink);
    hg_net *net = hg_net_new(&options, &sink);
    bool good = net != NULL;
    if (good) {
        hg_netlog_bind(log, net);
        good = feed(net, run->capture);
        hg_net_finish(net);
        hg_net_free(net);
    }
    return hg_netlog_close(log) == HG_OK && good;
}

bool packets_analyse(const packets_run *run, const packets_reading readings[PACKETS_LOGS],
                     packets_table tables[PACKETS_LOGS])
{
    char dir[] = "/tmp/packets-XXXXXX", path[PATH];
    if (mkdtemp(dir) == NULL)
        return false;
    bool good = write_logs(run, dir);
    for (int log = 0; log < PACKETS_LOGS; log++) {
        snprintf(path, sizeof path, "%s/%s.log", dir, packets_log_names[log]);
        good = packets_load(path, &readings[log], &tables[log]) && good;
        unlink(path);
    }
    rmdir(dir);
    packets_canonical(tables);
    return good;
}

static void run_case(const char *capture, const char *name, const char *expected_dir, char mode,
                     conformance_tally *tally)
{
    packets_table expected[PACKETS_LOGS] = {0}, got[PACKETS_LOGS] = {0};
    packets_reading readings[PACKETS_LOGS] = {0};
    packets_run run = {.capture = capture, .ignore_checksums = mode != 'V', .json = mode == 'J'};
    char label[2 * NAME], path[PATH];
    for (int log = 0; log < PACKETS_LOGS; log++) {
        snprintf(path, sizeof path, "%.*s/%s.log", PATH / 2, expected_dir, packets_log_names[log]);
        packets_load(path, &readings[log], &expected[log]);
    }
    packets_canonical(expected);
    bool good = packets_analyse(&run, readings, got);
    int cases = 0;
    for (int log = 0; log < PACKETS_LOGS; log++) {
        const char *missing = NULL, *extra = NULL;
        if (expected[log].count == 0 && got[log].count == 0)
            continue;
        cases++;
        snprintf(label, sizeof label, "%c %.*s %s", mode, NAME, name, packets_log_names[log]);
        if (good && packets_equal(&expected[log], &got[log], &missing, &extra))
            conformance_pass(tally);
        else
            conformance_fail(tally, hg_slice_from(label), "%s\n  expected %s\n  got      %s",
                             good ? "rows differ" : "the capture cannot be read", missing ? missing : "-",
                             extra ? extra : "-");
    }
    if (cases == 0)
        conformance_pass(tally); /* nothing expected, nothing logged */
    packets_free(expected);
    packets_free(got);
}

static void run_capture(const char *root, const char *capture, const char *name, conformance_tally *tally)
{
    char expected[PATH];
    for (const char *mode = "CVJ"; *mode != '\0'; mode++) {
        snprintf(expected, sizeof expected, "%.*s/expected/%c/%.*s", NAME, root, *mode, NAME, name);
        if (*mode == 'V' && !is_folder(expected))
            snprintf(expected, sizeof expected, "%.*s/expected/C/%.*s", NAME, root, NAME, name);
        if (is_folder(expected))
            run_case(capture, name, expected, *mode, tally);
    }
}

static void walk(const char *root, const char *base, const char *below, conformance_tally *tally)
{
    char path[PATH];
    struct dirent **entries;
    snprintf(path, sizeof path, "%.*s%s%.*s", NAME, base, *below ? "/" : "", NAME, below);
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char child[PATH], name[PATH];
        if (entries[i]->d_name[0] != '.') {
            snprintf(name, sizeof name, "%.*s%s%s", NAME, below, *below ? "/" : "", entries[i]->d_name);
            snprintf(child, sizeof child, "%.*s/%.*s", NAME, base, 2 * NAME, name);
            if (is_folder(child))
                walk(root, base, name, tally);
            else
                run_capture(root, child, name, tally);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static bool folder(const char *path, conformance_tally *tally)
{
    static const char *const bases[] = {"captures", "flows"};
    char child[PATH];
    snprintf(child, sizeof child, "%.*s/expected", NAME, path);
    if (!is_folder(child))
        return false;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        snprintf(child, sizeof child, "%.*s/%s", NAME, path, bases[i]);
        if (is_folder(child))
            walk(path, child, "", tally);
    }
    packets_upstream(path, tally);
    return true;
}

const conformance_kind conformance_packets = {
    "packets", "captures against expected flow, tunnel, HTTP and anomaly logs", NULL, folder, NULL};
