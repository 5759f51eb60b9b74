/* Hotgate: packets to flows, HTTP messages and records.
 *
 * An engine reads frames one by one (from captures or live), opens tunnels, keeps flows, reassembles fragments and
 * TCP streams, parses HTTP/1 and reports records to a sink. One engine serves one thread. Every pointer handed to a
 * sink is valid during that call only. Sources: IEEE 802, the RFCs named in src/net/layers/, Zeek's record formats. */
#ifndef HOTGATE_NET_H
#define HOTGATE_NET_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hg_net hg_net;
typedef struct hg_net_flow hg_net_flow;

/* Microseconds since 1970. */
typedef int64_t hg_net_time;

/* 16 octets in network order, IPv4 as ::ffff:a.b.c.d. */
typedef struct hg_net_endpoint {
    uint8_t addr[16];
    uint16_t port;
} hg_net_endpoint;

/* "C" and up to 17 base-62 digits: HG_NET_UID bytes with the NUL. */
enum { HG_NET_UID = 20, HG_NET_TUNNELS = 8 };

typedef enum hg_net_tunnel_type {
    HG_NET_TUNNEL_NONE,
    HG_NET_TUNNEL_IP,
    HG_NET_TUNNEL_GRE,
    HG_NET_TUNNEL_VXLAN,
    HG_NET_TUNNEL_GENEVE,
    HG_NET_TUNNEL_TEREDO,
    HG_NET_TUNNEL_AYIYA,
    HG_NET_TUNNEL_GTPV1,
    HG_NET_TUNNEL_HTTP,
} hg_net_tunnel_type;

/* "VXLAN", "GENEVE", ...; never NULL. */
HG_API const char *hg_net_tunnel_name(hg_net_tunnel_type type);

/* One layer of encapsulation around a packet. */
typedef struct hg_net_tunnel {
    hg_net_endpoint orig, resp; /* of the outer flow */
    hg_net_tunnel_type type;
    uint8_t ip_proto;       /* that carries it */
    uint64_t flow;          /* serial of the outer flow or address pair; 0 when there is none */
    uint32_t vni;           /* VXLAN, Geneve */
    const uint8_t *options; /* Geneve options, undecoded */
    size_t options_len;
} hg_net_tunnel;

/* One Geneve option (RFC 8926 3.5). */
typedef struct hg_net_geneve_option {
    uint16_t option_class;
    uint8_t type; /* without the critical bit */
    bool critical;
    hg_slice data;
} hg_net_geneve_option;

/* Takes the next option from *options (at most one layer's); false at the end or when one does not fit. O(1). */
HG_API bool hg_net_geneve_next(hg_slice *options, hg_net_geneve_option *option);

/* ---- Options ---- */

/* Every table has a limit; what happens at it is counted (hg_net_counters). Zero fields take the default. */
typedef struct hg_net_limits {
    uint32_t flows;            /* 1,048,576: at the limit an unanswered flow is dropped for a new one */
    uint32_t fragments;        /* 4,096 datagrams in reassembly: the oldest is dropped */
    uint64_t fragment_bytes;   /* 64 MiB held for them */
    uint64_t reassembly_bytes; /* 256 MiB out-of-order TCP data over all flows: new blocks are dropped */
    uint32_t http_line;        /* 1 MiB buffered of one unfinished line */
    uint32_t http_body;        /* 1 MiB of one request body kept for the rules */
    uint64_t inflate_ratio;    /* 1,000 times the compressed size may come out of gzip/deflate ... */
    uint64_t inflate_bytes;    /* ... or 64 MiB, whichever is larger; then decoding stops */
    uint32_t tunnels;          /* 65,536 address pairs and discovered tunnels each */
    uint32_t weirds;           /* 65,536 remembered (name, addresses) each */
} hg_net_limits;

typedef struct hg_net_options {
    bool ignore_checksums;
    bool vlan_in_key;             /* flows on different VLANs are different flows */
    bool eager_teredo;            /* confirm Teredo at the first packet, not after both directions */
    bool patient_gtp;             /* confirm GTP only after both directions */
    bool ignore_vxlan_checksums;
    bool compat;                  /* no extension beyond the peer's behaviour */
    bool no_tcp_reassembly;
    bool http;                    /* parse HTTP */
    bool all_server_ports;        /* the long list of likely server ports (every protocol loaded) */
    bool capture_passwords;
    int tunnel_depth;             /* layers of encapsulation; -1: the default 4; 0: none is opened; at most 8 */
    int layer_depth;              /* handlers a frame may enter; -1: the default 25; 0: no limit */
    int tunnel_changes;           /* per flow; -1: the default 5; 0: no limit */
    uint16_t community_id_seed;
    uint64_t uid_seed;            /* the same seed gives the same uids */
    uint64_t hash_seed;           /* of the tables; 0: from the system */
    const char *const *unchecked; /* prefixes whose packets' checksums are not verified, ends with NULL */
    const char *const *ports;     /* "NAME=PORT": UDP ports added to a tunnel, ends with NULL */
    const char *const *local;     /* local networks instead of the special-purpose ranges, ends with NULL */
    hg_net_limits limits;
} hg_net_options;

/* The defaults: extensions on, HTTP on, checksums verified. */
HG_API hg_net_options hg_net_defaults(void);

/* ---- Records ---- */

typedef enum hg_net_proto { HG_NET_TCP, HG_NET_UDP, HG_NET_ICMP, HG_NET_UNKNOWN } hg_net_proto;

/* A finished flow. */
typedef struct hg_net_conn {
    hg_net_time start, end;
    uint64_t serial; /* of the flow, for hg_net_uid */
    hg_net_endpoint orig, resp;
    hg_net_proto proto;
    uint8_t ip_proto;
    const char *service; /* comma-joined; "" if none */
    const char *state;   /* S0, SF, ... */
    const char *history; /* "" if none */
    bool local_orig, local_resp;
    uint64_t missed_bytes;
    struct {
        uint64_t packets, ip_bytes, bytes;
        const uint8_t *mac; /* 6 octets, NULL if unknown */
    } side[2]; /* originator, responder */
    const uint64_t *tunnel_parents; /* serials */
    size_t tunnel_parent_count;
    int vlan, inner_vlan; /* -1: none */
    int pppoe_session;    /* -1: none */
    char community_id[32];
} hg_net_conn;

typedef struct hg_net_tunnel_event {
    hg_net_time time;
    hg_net_tunnel tunnel;
    enum { HG_NET_DISCOVER, HG_NET_CLOSE, HG_NET_EXPIRE } action;
} hg_net_tunnel_event;

/* An anomaly. */
typedef struct hg_net_weird {
    hg_net_time time;
    enum { HG_NET_WEIRD_BARE, HG_NET_WEIRD_PAIR, HG_NET_WEIRD_FLOW } kind;
    const hg_net_flow *flow; /* kind FLOW */
    uint64_t serial;         /* kind FLOW */
    hg_net_endpoint orig, resp;
    const char *name;
    const char *addl;   /* "" if none */
    const char *source; /* "" if none */
    bool notice;
} hg_net_weird;

typedef struct hg_net_unknown {
    hg_net_time time;
    const char *analyzer;
    uint64_t protocol_id;
    hg_slice first_bytes;
    const char *const *history;
    size_t history_count;
} hg_net_unknown;

/* An HTTP transaction: a request, its reply, or both. */
typedef struct hg_net_http {
    hg_net_time time;
    uint64_t serial;
    hg_net_endpoint orig, resp;
    uint32_t depth;
    bool has_request, has_reply;
    hg_slice method, host, uri, referrer, user_agent, origin, username, password; /* ptr NULL: unset */
    const hg_slice *proxied;
    size_t proxied_count;
    uint64_t request_body, response_body;
    uint8_t version_major, version_minor; /* of the reply */
    uint32_t status;
    hg_slice status_text;
    uint32_t info_status; /* 0: none */
    hg_slice info_text;
} hg_net_http;

typedef struct hg_net_header {
    hg_slice name, value;
} hg_net_header;

/* A request at the moment it can be judged. */
typedef struct hg_net_request {
    hg_net_time time;
    uint64_t serial; /* flow */
    uint32_t number; /* of the request in its flow, from 1 */
    hg_net_endpoint orig, resp;
    const hg_net_tunnel *tunnels; /* outermost first */
    size_t tunnel_count;
    hg_slice method, raw_uri, uri; /* uri: unescaped */
    uint8_t version_major, version_minor;
    const hg_net_header *headers;
    size_t header_count;
    bool complete;    /* false: the head only; true: with body */
    hg_slice body;    /* decoded, as far as kept */
    bool body_cut;    /* the limit was reached or the stream has a gap */
    void **user;      /* the sink's own, NULL at first, the same for one transaction until reply or drop */
} hg_net_request;

typedef struct hg_net_reply {
    hg_net_time time;
    uint64_t serial;
    uint32_t number;
    unsigned status;
    hg_slice reason;
    const hg_net_header *headers;
    size_t header_count;
    void **user;
} hg_net_reply;

/* Callbacks; any may be NULL. */
typedef struct hg_net_sink {
    void *state;
    void (*conn)(void *state, const hg_net_conn *conn);
    void (*tunnel)(void *state, const hg_net_tunnel_event *event);
    void (*weird)(void *state, const hg_net_weird *weird);
    void (*unknown)(void *state, const hg_net_unknown *unknown);
    void (*http)(void *state, const hg_net_http *http);
    void (*request)(void *state, const hg_net_request *request);
    void (*reply)(void *state, const hg_net_reply *reply);
    void (*forget)(void *state, void *user); /* the transaction that user belongs to is over */
} hg_net_sink;

/* ---- Counters ---- */

typedef struct hg_net_counters {
    uint64_t packets, bytes, processed, unprocessed;
    uint64_t flows, tcp_flows, udp_flows, icmp_flows, other_flows;
    uint64_t flows_evicted, flows_refused; /* limit on flows */
    uint64_t fragments, fragments_dropped; /* limit on fragments */
    uint64_t blocks_dropped;               /* limit on reassembly bytes */
    uint64_t lines_cut, headers_cut, bodies_cut, inflate_cut;
    uint64_t tunnels_forgotten, weirds_forgotten;
    uint64_t layer_depth_exceeded, tunnel_depth_exceeded;
    uint64_t decapsulated;
    uint64_t http_requests, http_replies;
    uint64_t kernel_drops; /* live: frames that the kernel dropped */
    uint64_t flow_slots;   /* flow objects ever made: the peak of concurrent flows */
} hg_net_counters;

/* ---- Engine ---- */

/* A fresh engine; options and sink are copied (not what they point to, which must outlive the call). NULL when out
 * of memory or when an option is malformed. */
HG_API hg_net *hg_net_new(const hg_net_options *options, const hg_net_sink *sink);

/* One frame: captured bytes, length on the wire (at least captured), link type (LINKTYPE_* of tcpdump.org), time.
 * Constant work but for the callbacks; no allocation in the steady state. */
HG_API void hg_net_packet(hg_net *net, hg_net_time time, uint32_t link_type, hg_slice captured, uint32_t wire_len);

typedef struct hg_net_frame {
    hg_net_time time;
    const uint8_t *data;
    uint32_t captured, wire;
    uint32_t link_type;
    bool checked; /* the capture source verified the checksums */
    int vlan;     /* tag that the kernel took off, -1: none */
} hg_net_frame;

/* As hg_net_packet for each of count frames in order, with table entries fetched ahead. */
HG_API void hg_net_batch(hg_net *net, const hg_net_frame *frames, size_t count);

/* Runs timers as if a frame came at `time`; for live use when nothing arrives. */
HG_API void hg_net_advance(hg_net *net, hg_net_time time);

/* Network time: that of the newest frame, 1 s after 1970 before any. */
HG_API hg_net_time hg_net_clock(const hg_net *net);

/* Frames lost before they came here, for the counters. */
HG_API void hg_net_note_drops(hg_net *net, uint64_t drops);

/* Ends and reports all flows. The engine can go on afterwards with fresh state. */
HG_API void hg_net_finish(hg_net *net);

/* Reports a capture-level weird ("empty_pcap_header" etc.). */
HG_API void hg_net_input_weird(hg_net *net, const char *name, const char *addl);

HG_API const hg_net_counters *hg_net_count(const hg_net *net);

/* Frees the engine without reporting. NULL is fine. */
HG_API void hg_net_free(hg_net *net);

/* The uid text of a serial: the same serial and seed give the same text. Returns its length. */
HG_API size_t hg_net_uid(const hg_net *net, uint64_t serial, char out[HG_NET_UID]);

/* Text of an address; out holds 48 bytes. Returns its length. */
HG_API size_t hg_net_addr_text(const uint8_t addr[16], char *out);

/* The Community ID (version 1) of a five-tuple as text with NUL. icmp ports are type and code. */
HG_API void hg_net_community_id(const hg_net_endpoint *orig, const hg_net_endpoint *resp, uint8_t ip_proto,
                                bool one_way, uint16_t seed, char out[32]);

#ifdef __cplusplus
}
#endif
#endif
