/* Bytes of a file, pipe or gzip file through one sliding window: memory stays flat however long the input is. */
#ifndef CLI_INPUT_STREAM_H
#define CLI_INPUT_STREAM_H

#include "hotgate/base.h"

enum {
    CLI_STREAM_READ = 1 << 18,      /* bytes asked for at a time */
    CLI_STREAM_MAX = 64 * 1024 * 1024 /* the longest window: nothing that must be seen whole may exceed it */
};

typedef struct cli_stream {
    int fd;
    char *buffer;
    size_t capacity, begin, end;
    bool eof;
    bool cut;          /* a gzip stream ended too early or is broken: what was there has been given */
    uint64_t file_read; /* bytes read from the file, compressed ones if it is gzip */
    uint64_t file_size; /* 0 = not known */
    struct cli_gunzip *gunzip; /* NULL: the file is not gzip */
    char *packed;              /* CLI_STREAM_READ bytes of compressed input */
    hg_slice packed_left;      /* what of it is not inflated yet */
} cli_stream;

/* Opens a path, "-" for standard input; recognises gzip by its first bytes. HG_ERR_IO: see errno. HG_ERR_UNSUPPORTED:
 * gzip, and this build has no zlib. */
hg_status cli_stream_open(cli_stream *stream, const char *path);
void cli_stream_close(cli_stream *stream);

/* What is in the window now. Valid until cli_stream_more. */
static inline hg_slice cli_stream_window(const cli_stream *stream)
{
    return hg_slice_of(stream->buffer + stream->begin, stream->end - stream->begin);
}

/* Lets the first n bytes of the window go. */
static inline void cli_stream_skip(cli_stream *stream, size_t n)
{
    stream->begin += n;
}

/* Makes the window longer. HG_ERR_TRUNCATED: the input is at its end. HG_ERR_LIMIT: the window is as long as it may
 * get. HG_ERR_IO, HG_ERR_NOMEM. */
hg_status cli_stream_more(cli_stream *stream);

/* The next line without its end (LF or CRLF) into *line, and what cli_stream_skip has to let go into *used. At the end
 * of input HG_ERR_TRUNCATED. HG_ERR_LIMIT: the line exceeds the longest window; *used covers what is there. */
hg_status cli_stream_line(cli_stream *stream, hg_slice *line, size_t *used);

#endif
