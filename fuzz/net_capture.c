/* A capture file of either format, read from memory as a file. */
#include "net_frames.h"
#include "hotgate/capture.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void weird(void *net, const char *name, const char *addl)
{
    hg_net_input_weird(net, name, addl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    hg_status status;
    hg_net_frame frames[16];
    int fd = memfd_create("capture", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    hg_net *net = fuzz_net(1);
    hg_capture *capture = hg_capture_open(path, &status);
    if (capture != NULL)
        for (size_t n; (n = hg_capture_read(capture, frames, 16, weird, net, &status)) > 0;)
            for (size_t i = 0; i < n; i++)
                fuzz_frame(net, frames[i].time, frames[i].link_type, frames[i].data, frames[i].captured);
    hg_capture_close(capture);
    hg_net_finish(net);
    close(fd);
    return 0;
}
