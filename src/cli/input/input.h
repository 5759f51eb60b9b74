/* Where requests come from: files of several kinds, read one entry at a time. */
#ifndef CLI_INPUT_INPUT_H
#define CLI_INPUT_INPUT_H

#include "cli/input/stream.h"
#include "hotgate/request.h"

typedef enum cli_kind { CLI_AUTO, CLI_HTTP, CLI_LOG, CLI_HAR, CLI_NDJSON } cli_kind;

/* One request, valid until the next call of cli_input_next. */
typedef struct cli_entry {
    uint64_t index;    /* line number of logs and NDJSON, number of the entry else; from 1 */
    hg_value data;     /* the address map, in the input's arena */
    hg_slice text;     /* the bytes it was read from */
    hg_request request;/* its parts, as far as the kind has them */
    hg_slice time;     /* as written; empty if the kind has none */
} cli_entry;

typedef struct cli_input {
    const char *path;
    cli_kind kind;
    cli_stream stream;
    hg_arena arena;
    size_t pending;     /* bytes of the window that belong to the entry given last */
    uint64_t count;     /* lines or entries so far */
    uint64_t bad;       /* of them could not be read */
    const char *reason; /* why the last bad one could not */
    struct cli_har *har;
} cli_input;

/* Opens a path and recognises its kind from its first bytes unless one is given. HG_ERR_UNSUPPORTED: it is none of the
 * kinds (input->kind is CLI_AUTO), or gzip without zlib (kind is set). HG_ERR_IO: errno tells. */
hg_status cli_input_open(cli_input *input, const char *path, cli_kind kind);
void cli_input_close(cli_input *input);

/* Why cli_input_open or cli_input_next gave up; for HG_ERR_IO to be called while errno is that of the call. */
const char *cli_input_trouble(const cli_input *input, hg_status status);

/* The next entry. HG_OK; HG_ERR_TRUNCATED: no more; HG_ERR_SYNTAX: one that cannot be read, entry->index and
 * input->reason tell which and why, go on; other: give up. */
hg_status cli_input_next(cli_input *input, cli_entry *entry);

/* Name of a kind as --input takes it; NULL when there is no such kind. */
const char *cli_kind_name(cli_kind kind);
cli_kind cli_kind_named(const char *name, bool *known);

/* What the first bytes of an input look like; CLI_AUTO: nothing known. */
cli_kind cli_kind_of(hg_slice head, bool all);

/* ---- The kinds, one file each ---- */

hg_status cli_next_http(cli_input *input, cli_entry *entry);
hg_status cli_next_log(cli_input *input, cli_entry *entry);
hg_status cli_next_har(cli_input *input, cli_entry *entry);
hg_status cli_next_ndjson(cli_input *input, cli_entry *entry);
void cli_har_free(struct cli_har *har);

/* The line behind the one given last, its number in entry->index. HG_ERR_SYNTAX: it is too long, go on. */
hg_status cli_input_line(cli_input *input, cli_entry *entry, hg_slice *line);

/* Counts a bad entry; returns HG_ERR_SYNTAX. */
hg_status cli_input_bad(cli_input *input, const char *reason);

typedef struct cli_log_line {
    hg_slice client, time, request, status, referer, agent; /* agent and referer: empty for a dash */
    unsigned code;
    bool client_is_ip; /* else it is a name */
} cli_log_line;

/* Splits a line of the common or combined log format. False: it is neither. */
bool cli_log_split(hg_slice line, cli_log_line *out);

#endif
