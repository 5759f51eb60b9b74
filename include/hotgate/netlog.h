/* Hotgate: records as Zeek-style logs, in tab-separated values or JSON lines. */
#ifndef HOTGATE_NETLOG_H
#define HOTGATE_NETLOG_H

#include "hotgate/net.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hg_netlog_format { HG_NETLOG_TSV, HG_NETLOG_JSON } hg_netlog_format;
typedef enum hg_netlog_time { HG_NETLOG_EPOCH, HG_NETLOG_ISO, HG_NETLOG_MILLIS } hg_netlog_time;

typedef struct hg_netlog_options {
    const char *dir; /* files NAME.log are made in it; NULL: the working directory; "-": everything to stdout; "": rows are
                      * made and dropped */
    hg_netlog_format format;
    hg_netlog_time time; /* JSON only */
    bool vlan, mac, community_id, pppoe; /* optional columns of conn */
    bool tunnel_columns; /* VNIs and AWS endpoint, attachment and flow cookie, in conn */
    const char *peer;    /* of weird; NULL: "hotgate" */
} hg_netlog_options;

typedef struct hg_netlog hg_netlog;

/* A set of logs for one engine; options are copied, strings too. A log's file is made with its first row. NULL when
 * out of memory. */
HG_API hg_netlog *hg_netlog_new(const hg_netlog_options *options);

/* The callbacks that write; other members of *sink stay. Call hg_netlog_bind before the first frame. */
HG_API void hg_netlog_sink(hg_netlog *log, hg_net_sink *sink);
HG_API void hg_netlog_bind(hg_netlog *log, const hg_net *net);

/* One finished JSON object as a row of NAME.log ("alert"), whatever the format of the other logs. */
HG_API void hg_netlog_line(hg_netlog *log, const char *name, hg_slice json);

/* Writes out what is buffered. */
HG_API void hg_netlog_flush(hg_netlog *log);

/* Ends the current files, renames them NAME.YYYY-mm-ddTHH-MM-SSZ.log by `when` (seconds since 1970) and goes on with
 * fresh ones. */
HG_API void hg_netlog_rotate(hg_netlog *log, int64_t when);

/* Ends all files and frees the set. HG_ERR_IO when any write failed. */
HG_API hg_status hg_netlog_close(hg_netlog *log);

#ifdef __cplusplus
}
#endif
#endif
