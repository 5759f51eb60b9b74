/* hotgate load: simulated PHP workers in front of a daemon that speaks the helper protocol. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/load/histogram.h"

#include "hotgate/value.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { LOAD_THREADS_MAX = 64, LOAD_CONNECTIONS_MAX = 65536, LOAD_CASES_MAX = 32 };

/* What an attack's request_init must be answered with. */
typedef enum load_expect { LOAD_EXPECT_ANY, LOAD_EXPECT_RECORD, LOAD_EXPECT_BLOCK, LOAD_EXPECT_REDIRECT } load_expect;

typedef struct load_options {
    const char *address;
    pid_t pid;          /* of the daemon; 0: unknown, nothing is said about it */
    unsigned threads;
    double rate;        /* requests a second in all; 0: as fast as answers come */
    double seconds, warmup, timeout;
    unsigned attack;    /* percent of the requests */
    unsigned calls;     /* RASP calls of a request */
    unsigned trouble;   /* percent of the requests that misbehave */
    double reload;      /* seconds between SIGHUPs to the daemon; 0: none */
    load_expect expect;
    const char *version;
    const char *service; /* named in client_init */
    uint64_t waf_timeout_us;
    uint64_t seed;
} load_options;

/* ---- Messages: whole frames, made once ---- */

typedef enum load_command { LOAD_CLIENT_INIT, LOAD_REQUEST_INIT, LOAD_REQUEST_EXEC, LOAD_REQUEST_SHUTDOWN } load_command;

typedef struct load_messages {
    hg_buffer client_init, benign, attack, call, shutdown;
} load_messages;

hg_status load_messages_make(const load_options *o, load_messages *out);
void load_messages_free(load_messages *m);

/* Whether the body of a reply is what the command must be answered with. `attack`: the command carried an attack. The
 * arena is used for reading and reset. */
bool load_reply_right(const load_options *o, load_command command, bool attack, hg_slice body, hg_arena *arena);

/* ---- Runs ---- */

typedef struct load_counts {
    uint64_t requests;            /* done in the measured time */
    uint64_t replies;             /* checked, in all */
    uint64_t wrong, lost, refused; /* replies; replies; connections */
    uint64_t troubled, reconnects;
} load_counts;

static inline void load_counts_add(load_counts *into, const load_counts *from)
{
    into->requests += from->requests;
    into->replies += from->replies;
    into->wrong += from->wrong;
    into->lost += from->lost;
    into->refused += from->refused;
    into->troubled += from->troubled;
    into->reconnects += from->reconnects;
}

/* What /proc says of the daemon. */
typedef struct load_target {
    bool known;
    uint64_t cpu_ns, voluntary, involuntary; /* sums of its threads */
    uint64_t rss_kib, descriptors;           /* now */
} load_target;

void load_target_read(pid_t pid, load_target *out);
/* The process that listens there; 0 when it cannot be reached. */
pid_t load_target_pid(const char *address);
/* A stream socket to a unix address (a leading '@' is the abstract namespace), not blocking. -1: errno says why. */
int load_connect(const char *address);

typedef struct load_result {
    size_t connections;
    double seconds;    /* measured */
    histogram latency; /* request_init sent, or due, until request_shutdown answered; of a storm: until client_init was */
    load_counts counts;
    load_target before, after;
    unsigned reloads;
} load_result;

/* Runs one case. HG_ERR_IO: the daemon cannot be reached (said on stderr). */
hg_status load_run(const load_options *o, const load_messages *m, size_t connections, load_result *out);

/* Opens that many connections at once; latencies count from the common start. */
hg_status load_storm(const load_options *o, const load_messages *m, size_t connections, load_result *out);

/* ---- Output ---- */

void load_report_table(const load_options *o, const char *kind, const load_result *r, bool head);
void load_report_json(const load_options *o, const char *kind, const load_result *r, hg_buffer *out);

#endif
