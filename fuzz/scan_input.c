/* Files as hotgate scan reads them. The first byte picks the kind (bits 0-2) and into how many pieces the rest is cut
 * (bits 3-6): a file that arrives whole and a pipe that brings it piece by piece must give the same entries. */
#include "cli/input/input.h"
#include "cli/scan/report.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void note(hg_buffer *out, hg_slice s)
{
    hg_buffer_printf(out, "%zu:", s.len);
    hg_buffer_append(out, s);
}

static void note_entry(hg_buffer *out, const cli_entry *entry)
{
    hg_buffer_printf(out, "ok %u ", entry->request.status);
    note(out, entry->text);
    note(out, entry->request.method);
    note(out, entry->request.uri);
    note(out, entry->request.body);
    note(out, entry->request.client_ip);
    hg_buffer_printf(out, "%lld ", (long long)scan_time(entry->time));
    hg_json_write(&entry->data, 0, out);
}

/* Everything a scan of the open descriptor sees. */
static void read_all(int fd, cli_kind kind, hg_buffer *out)
{
    char path[64];
    cli_input input;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    hg_status status = cli_input_open(&input, path, kind);
    hg_buffer_printf(out, "open %d %s\n", status, cli_kind_name(input.kind));
    if (status != HG_OK) {
        check(status == HG_ERR_UNSUPPORTED);
        return;
    }
    cli_entry entry;
    uint64_t last = 0;
    while ((status = cli_input_next(&input, &entry)) != HG_ERR_TRUNCATED) {
        check(status == HG_OK || status == HG_ERR_SYNTAX);
        check(entry.index > last && (status == HG_OK || input.reason != NULL));
        last = entry.index;
        hg_buffer_printf(out, "\n%llu ", (unsigned long long)entry.index);
        if (status == HG_OK)
            note_entry(out, &entry);
        else
            note(out, hg_slice_from(input.reason));
    }
    check(cli_input_next(&input, &entry) == HG_ERR_TRUNCATED);
    bool cut = input.stream.cut && input.kind != CLI_HAR; /* what follows the last entry of a HAR need not be read */
    hg_buffer_printf(out, "\nend %llu %d", (unsigned long long)input.bad, cut);
    cli_input_close(&input);
}

/* A file that holds the bytes; -1: the system has none to give. */
static int whole(hg_slice in)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, in.ptr, in.len) != (ssize_t)in.len) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A pipe that gives one piece a read, its writer gone; -1: a pipe does not hold this. */
static int pieces(hg_slice in, size_t count)
{
    int ends[2];
    size_t step = in.len / count + 1;
    if (step > PIPE_BUF || pipe2(ends, O_DIRECT | O_NONBLOCK | O_CLOEXEC) != 0)
        return -1;
    bool fits = true;
    for (hg_slice left = in; fits && left.len > 0; left = hg_slice_skip(left, step)) {
        hg_slice piece = hg_slice_take(left, step);
        fits = write(ends[1], piece.ptr, piece.len) == (ssize_t)piece.len;
    }
    close(ends[1]);
    if (fits)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* The parts that look at bytes where they are, and so must not look beyond them. */
static void in_place(hg_slice in)
{
    cli_log_line line;
    cli_kind_of(in, true);
    cli_kind_of(in, false);
    if (cli_log_split(in, &line))
        scan_time(line.time);
    scan_time(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    cli_kind kind = (data[0] & 7) <= CLI_NDJSON ? (cli_kind)(data[0] & 7) : CLI_AUTO;
    hg_slice in = hg_slice_of((const char *)data + 1, size - 1);
    in_place(in);
    hg_buffer at_once = {0}, piecemeal = {0};
    int file = whole(in), pipe = pieces(in, (data[0] >> 3 & 15) + 1u);
    if (file >= 0)
        read_all(file, kind, &at_once);
    if (file >= 0 && pipe >= 0) {
        read_all(pipe, kind, &piecemeal);
        check(at_once.len == piecemeal.len && memcmp(at_once.ptr, piecemeal.ptr, at_once.len) == 0);
    }
    if (file >= 0)
        close(file);
    if (pipe >= 0)
        close(pipe);
    hg_buffer_free(&at_once);
    hg_buffer_free(&piecemeal);
    return 0;
}
