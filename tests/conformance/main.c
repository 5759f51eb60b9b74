/* conformance KIND PATH...: runs every case found in files and folders, names the failing ones and ends with
 * "N passed, N failed". Formats are recognised by content; a file that no format fits counts as a failure. */
#include "conformance/conformance.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const conformance_kind *const kinds[] = {
    &conformance_regex,
    &conformance_injection,
    &conformance_waf,
    &conformance_packets,
    NULL,
};

void conformance_pass(conformance_tally *tally)
{
    tally->passed++;
}

void conformance_fail(conformance_tally *tally, hg_slice name, const char *format, ...)
{
    va_list args;
    tally->failed++;
    printf("FAIL %s: %.*s: ", tally->path, (int)name.len, name.ptr);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

bool conformance_line(hg_slice *rest, hg_slice *line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    *line = hg_slice_take(*rest, len);
    *rest = hg_slice_skip(*rest, len + (end != NULL));
    return true;
}

bool conformance_read(const char *path, hg_slice *content)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    char *bytes = NULL;
    size_t size = 0, cap = 0, got;
    do {
        if (size == cap) {
            cap = cap ? cap * 2 : 65536;
            bytes = realloc(bytes, cap);
            if (bytes == NULL)
                abort();
        }
        got = fread(bytes + size, 1, cap - size, file);
        size += got;
    } while (got > 0);
    bool ok = !ferror(file);
    fclose(file);
    *content = hg_slice_of(bytes, size);
    return ok;
}

/* Folders of cases carry their description with them: a Markdown text that opens with a heading is no case. */
static bool is_prose(hg_slice content)
{
    return content.len > 2 && memcmp(content.ptr, "# ", 2) == 0;
}

static void run_file(const conformance_kind *kind, const char *path, bool named, conformance_tally *tally)
{
    hg_slice content;
    if (!conformance_read(path, &content)) {
        conformance_fail(tally, hg_slice_from("file"), "cannot be read");
        return;
    }
    bool known = kind->file != NULL && kind->file(content, tally);
    if (!known && (named || !is_prose(content)))
        conformance_fail(tally, hg_slice_from("file"), "no format of kind %s", kind->name);
    free((char *)content.ptr);
}

static void run_path(const conformance_kind *kind, const char *path, bool named, conformance_tally *tally)
{
    const char *outer = tally->path;
    struct stat st;
    tally->path = path;
    if (stat(path, &st) != 0) {
        conformance_fail(tally, hg_slice_from("path"), "does not exist");
    } else if (!S_ISDIR(st.st_mode)) {
        run_file(kind, path, named, tally);
    } else if (kind->folder == NULL || !kind->folder(path, tally)) {
        struct dirent **entries;
        int count = scandir(path, &entries, NULL, alphasort);
        for (int i = 0; i < count; i++) {
            char child[4096];
            snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
            if (entries[i]->d_name[0] != '.')
                run_path(kind, child, false, tally);
            free(entries[i]);
        }
        if (count >= 0)
            free(entries);
    }
    tally->path = outer;
}

int main(int argc, char **argv)
{
    const conformance_kind *kind = NULL;
    for (int i = 0; kinds[i] != NULL && argc > 1; i++)
        if (strcmp(kinds[i]->name, argv[1]) == 0)
            kind = kinds[i];
    if (kind == NULL || argc < 3) {
        fprintf(stderr, "usage: conformance KIND [--OPTION VALUE] PATH...\n");
        for (int i = 0; kinds[i] != NULL; i++)
            fprintf(stderr, "  %-10s %s\n", kinds[i]->name, kinds[i]->summary);
        return 2;
    }
    conformance_tally tally = {0};
    int first = 2;
    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        if (kind->option == NULL || !kind->option(argv[first], argv[first + 1])) {
            fprintf(stderr, "conformance %s: no option %s %s\n", kind->name, argv[first], argv[first + 1]);
            return 2;
        }
    }
    for (int i = first; i < argc; i++)
        run_path(kind, argv[i], true, &tally);
    printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
