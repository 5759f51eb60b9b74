/* Reads a file of results of any supported format, recognised from its content. */
#include "cli/ab/ab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static hg_status fail(read_error *error, const char *path, const char *why)
{
    snprintf(error->message, sizeof error->message, "%s: %s", path, why);
    return HG_ERR_IO;
}

/* Pipes cannot be mapped: read them whole. */
static hg_status read_all(int fd, char **data, size_t *size)
{
    size_t capacity = 0;
    *data = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            capacity = capacity ? capacity * 2 : 1 << 16;
            char *grown = realloc(*data, capacity);
            if (grown == NULL)
                return HG_ERR_NOMEM;
            *data = grown;
        }
        ssize_t got = read(fd, *data + *size, capacity - *size);
        if (got == 0)
            return HG_OK;
        if (got < 0 && errno != EINTR)
            return HG_ERR_IO;
        if (got > 0)
            *size += (size_t)got;
    }
}

static hg_slice first_line(hg_slice text)
{
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    return end ? hg_slice_take(text, (size_t)(end - text.ptr)) : text;
}

static bool is_number_line(hg_slice line)
{
    while (line.len > 0 && strchr(" \t\r,;", line.ptr[line.len - 1]) != NULL)
        line.len--;
    double ignored;
    size_t start = line.len;
    while (start > 0 && strchr(" \t,;", line.ptr[start - 1]) == NULL)
        start--;
    return number_parse(hg_slice_skip(line, start), &ignored);
}

static hg_status read_text(hg_slice text, double unit_ns, const char *path, result_set *set, read_error *error)
{
    if (text.len >= 3 && memcmp(text.ptr, "\xef\xbb\xbf", 3) == 0)
        text = hg_slice_skip(text, 3);
    size_t space = 0;
    while (space < text.len && strchr(" \t\r\n", text.ptr[space]) != NULL)
        space++;
    hg_slice body = hg_slice_skip(text, space);
    if (body.len == 0) {
        snprintf(error->message, sizeof error->message, "%s: the file is empty", path);
        return HG_ERR_SYNTAX;
    }
    if (body.ptr[0] == '{' || body.ptr[0] == '[') {
        hg_slice line = first_line(body);
        bool one_line = line.len > 0 && memchr(line.ptr, '}', line.len) != NULL && body.ptr[0] == '{' &&
                        memmem(line.ptr, line.len, "\"ns\"", 4) != NULL;
        return one_line ? read_json_lines(body, set, error) : read_json(body, set, error);
    }
    if (body.ptr[0] == '#' || is_number_line(first_line(body)))
        return read_numbers(text, unit_ns, path, set, error);
    return read_csv(body, set, error);
}

hg_status read_results(const char *path, double unit_ns, result_set *set, read_error *error)
{
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(error, path, strerror(errno));
    struct stat st;
    hg_status status;
    if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        status = fail(error, path, "not a readable file");
    } else if (S_ISREG(st.st_mode) && st.st_size > 0) {
        size_t size = (size_t)st.st_size;
        char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            status = fail(error, path, strerror(errno));
        } else {
            madvise(data, size, MADV_SEQUENTIAL);
            status = read_text(hg_slice_of(data, size), unit_ns, path, set, error);
            munmap(data, size);
        }
    } else {
        char *data;
        size_t size;
        status = read_all(fd, &data, &size);
        status = status == HG_OK ? read_text(hg_slice_of(data, size), unit_ns, path, set, error)
                                 : fail(error, path, "cannot be read");
        free(data);
    }
    close(fd);
    if (status == HG_ERR_NOMEM)
        fail(error, path, "out of memory");
    for (size_t i = 0; status == HG_OK && i < set->count; i++)
        status = series_prepare(&set->items[i]);
    return status;
}
