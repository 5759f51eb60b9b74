/* Runs a fuzz target over every file of the folders and files named on the command line. Each input is
 * copied so that it ends at an unreadable page: an over-read crashes at once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t inputs;

static void run_guarded(const uint8_t *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (size + page - 1) / page * page;
    uint8_t *base = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + room, page, PROT_NONE) != 0) {
        perror("replay: mmap");
        exit(2);
    }
    if (size > 0)
        memcpy(base + room - size, data, size);
    LLVMFuzzerTestOneInput(base + room - size, size);
    munmap(base, room + page);
    inputs++;
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    uint8_t *data = NULL;
    size_t size = 0, cap = 0, got;
    do {
        if (size == cap) {
            cap = cap ? cap * 2 : 65536;
            data = realloc(data, cap);
            if (data == NULL)
                exit(2);
        }
        got = fread(data + size, 1, cap - size, file);
        size += got;
    } while (got > 0);
    fclose(file);
    run_guarded(data, size);
    free(data);
}

static void run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return; /* a target may have no corpus yet */
    if (!S_ISDIR(st.st_mode)) {
        run_file(path);
        return;
    }
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char child[4096];
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        run_path(child);
    }
    if (dir != NULL)
        closedir(dir);
}

int main(int argc, char **argv)
{
    run_guarded((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%zu inputs replayed\n", inputs);
    return 0;
}
