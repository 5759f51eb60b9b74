#include "helper/remote_memory.h"

#include "base/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES_MAX = 100, HEAD = 16 };

/* generation (odd while it is written), size of what follows including a NUL */
typedef struct head {
    uint64_t generation, size;
} head;

static int open_object(const char *name, unsigned owner, struct stat *st)
{
    int fd = shm_open(name, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == owner)
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

static bool read_head(int fd, head *out)
{
    return pread(fd, out, HEAD, 0) == HEAD;
}

/* One try under the writer's sequence lock: the payload counts when the generation is even and the same afterwards. */
static bool read_once(int fd, head *first, hg_buffer *text)
{
    head after;
    text->len = 0;
    if (!read_head(fd, first) || first->generation % 2 != 0 || first->size > REMOTE_DIRECTORY_MAX)
        return false;
    char piece[4096];
    for (size_t at = 0; at < first->size;) {
        size_t want = first->size - at < sizeof piece ? first->size - at : sizeof piece;
        ssize_t got = pread(fd, piece, want, (off_t)(HEAD + at));
        if (got <= 0)
            return false;
        hg_buffer_append(text, hg_slice_of(piece, (size_t)got));
        at += (size_t)got;
    }
    return read_head(fd, &after) && after.generation == first->generation && !text->failed;
}

remote_state remote_directory_read(const char *name, unsigned owner, uint64_t *generation, hg_buffer *text)
{
    struct stat st;
    int fd = open_object(name, owner, &st);
    if (fd < 0)
        return errno == ENOENT ? REMOTE_SAME : REMOTE_BROKEN;
    head first = {0};
    remote_state state = REMOTE_BROKEN;
    for (int i = 0; i < TRIES_MAX && state == REMOTE_BROKEN; i++) {
        if (read_head(fd, &first) && first.generation == *generation) {
            state = REMOTE_SAME;
        } else if (read_once(fd, &first, text)) {
            *generation = first.generation;
            text->len -= text->len > 0; /* the NUL */
            state = REMOTE_NEW;
        } else {
            usleep(1000);
        }
    }
    close(fd);
    return state;
}

hg_status remote_object_read(const char *name, unsigned owner, hg_arena *arena, hg_slice *out)
{
    struct stat st;
    int fd = open_object(name, owner, &st);
    if (fd < 0)
        return HG_ERR_IO;
    hg_status status = HG_ERR_IO;
    if (st.st_size > 0 && st.st_size <= REMOTE_FILE_MAX) {
        size_t size = (size_t)st.st_size;
        char *bytes = hg_arena_alloc(arena, size, 1);
        if (bytes != NULL && pread(fd, bytes, size, 0) == st.st_size) {
            while (size > 0 && bytes[size - 1] == '\0') /* objects may be padded to pages */
                size--;
            *out = hg_slice_of(bytes, size);
            status = HG_OK;
        }
    }
    close(fd);
    return status;
}

bool remote_line_read(hg_slice line, char name[REMOTE_NAME_SIZE], char path[REMOTE_PATH_SIZE])
{
    const char *first = line.len ? memchr(line.ptr, ':', line.len) : NULL;
    const char *second = first ? memchr(first + 1, ':', (size_t)(line.ptr + line.len - first - 1)) : NULL;
    if (second == NULL || (size_t)(first - line.ptr) >= REMOTE_NAME_SIZE)
        return false;
    snprintf(name, REMOTE_NAME_SIZE, "%.*s", (int)(first - line.ptr), line.ptr);
    hg_slice code = hg_slice_of(second + 1, (size_t)(line.ptr + line.len - second - 1));
    if (code.len / 4 * 3 + 3 > REMOTE_PATH_SIZE)
        return false;
    ptrdiff_t size = hg_b64_decode(code, HG_BASE64_URL, path);
    if (size <= 0)
        return false;
    path[size] = '\0';
    return strlen(path) == (size_t)size;
}
