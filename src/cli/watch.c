/* hotgate watch: captures to flows, records and verdicts. */
#include "cli/verbs.h"
#include "hotgate/capture.h"
#include "hotgate/netlog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 32 };

static void weird(void *net, const char *name, const char *addl)
{
    hg_net_input_weird(net, name, addl);
}

static int run(hg_net *net, const char *path)
{
    hg_status status;
    hg_net_frame frames[BATCH];
    hg_capture *capture = hg_capture_open(path, &status);
    if (capture == NULL) {
        fprintf(stderr, "hotgate watch: %s: %s\n", path, status == HG_ERR_IO ? strerror(errno) : hg_strerror(status));
        return 1;
    }
    for (;;) {
        size_t count = hg_capture_read(capture, frames, BATCH, weird, net, &status);
        if (count == 0)
            break;
        hg_net_batch(net, frames, count);
    }
    hg_capture_close(capture);
    if (status == HG_OK)
        return 0;
    fprintf(stderr, "hotgate watch: %s: %s\n", path, hg_strerror(status));
    return 1;
}

int cli_watch(int argc, char **argv)
{
    hg_net_options options = hg_net_defaults();
    hg_netlog_options log_options = {0};
    const char *paths[64];
    int count = 0;
    bool logs = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-C") == 0)
            options.ignore_checksums = true;
        else if (strcmp(argv[i], "--zeek-compat") == 0) {
            options.compat = true;
            log_options.peer = "zeek";
            log_options.vlan = log_options.mac = log_options.community_id = true;
        } else if (strcmp(argv[i], "--json") == 0)
            log_options.format = HG_NETLOG_JSON;
        else if (strcmp(argv[i], "--log") == 0 && i + 1 < argc) {
            log_options.dir = argv[++i];
            logs = true;
        } else if (strcmp(argv[i], "-r") == 0 && i + 1 < argc)
            paths[count++] = argv[++i];
    }
    hg_netlog *log = hg_netlog_new(&log_options);
    hg_net_sink sink = {0};
    if (logs)
        hg_netlog_sink(log, &sink);
    hg_net *net = hg_net_new(&options, &sink);
    hg_netlog_bind(log, net);
    int result = 0;
    for (int i = 0; i < count; i++)
        result |= run(net, paths[i]);
    hg_net_finish(net);
    hg_net_free(net);
    return hg_netlog_close(log) == HG_OK ? result : 1;
}
