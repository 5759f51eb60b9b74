#include "cli/scan/scan.h"

#include "cli/text.h"

#include <sys/stat.h>
#include <time.h>

static const double first_after = 0.5, every = 0.25; /* seconds */

double scan_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void scan_progress_start(scan_progress *progress, bool wanted, char *const *paths, size_t count)
{
    *progress = (scan_progress){.on = wanted, .started = scan_clock()};
    progress->last = progress->started + first_after - every;
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        if (stat(paths[i], &st) != 0 || !S_ISREG(st.st_mode)) {
            progress->files_size = 0;
            return;
        }
        progress->files_size += (uint64_t)st.st_size;
    }
}

void scan_progress_update(scan_progress *progress, const cli_input *input, const scan_totals *totals)
{
    if (!progress->on)
        return;
    double now = scan_clock();
    if (now - progress->last < every)
        return;
    progress->last = now;
    progress->shown = true;
    double elapsed = now - progress->started;
    uint64_t done = progress->files_done + input->stream.file_read;
    char number[32];
    fprintf(stderr, "\r\x1b[K%s requests, %.0f MB/s", cli_number(totals->requests, number), (double)done / 1e6 / elapsed);
    if (progress->files_size > 0 && done > 0) {
        double left = (double)(progress->files_size > done ? progress->files_size - done : 0) * elapsed / (double)done;
        fprintf(stderr, ", %.0f %%, ETA %d:%02d", 100.0 * (double)done / (double)progress->files_size, (int)left / 60,
                (int)left % 60);
    }
    fflush(stderr);
}

void scan_progress_clear(scan_progress *progress)
{
    if (progress->shown)
        fputs("\r\x1b[K", stderr);
    progress->shown = false;
}
