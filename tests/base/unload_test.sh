#!/usr/bin/env bash
# Threads that die, libraries that are unloaded and processes that end or fork while pools hold blocks on loan.
set -eu
[ "${HOTGATE_BUILD_TYPE:-}" != Debug ] || { echo "skipped: says something of optimised builds only"; exit 77; }
library=$(ls "$HOTGATE_BUILD"/libhotgate.so 2>/dev/null) || { echo "skipped: this build has no shared library"; exit 77; }
! nm -D "$library" | grep -q -e __asan_ -e __tsan_ || { echo "skipped: says something of plain builds only"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/unload.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *(*rent)(void *pool, size_t size);
static void (*give_back)(void *pool, void *block);
static sem_t ready, go;

static void *hold(void *state)
{
    void *block = rent(NULL, 100), *other = rent(NULL, 5000);
    memset(block, 1, 100);
    give_back(NULL, other);
    sem_post(&ready);
    sem_wait(&go);
    (void)state;
    return NULL; /* with a block on loan; the library may be gone */
}

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return puts(dlerror()), 2;
    *(void **)&rent = dlsym(library, "hg_pool_rent");
    *(void **)&give_back = dlsym(library, "hg_pool_return");
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, hold, NULL);
    for (int i = 0; i < 4; i++)
        sem_wait(&ready);
    rent(NULL, 64);
    if (strcmp(argv[2], "exit") == 0)
        exit(0); /* other threads live and hold blocks */
    if (strcmp(argv[2], "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 1000; i++)
                give_back(NULL, rent(NULL, 64 << i % 12));
            exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status != 0)
            return 3;
    }
    if (strcmp(argv[2], "unload") == 0)
        dlclose(library);
    for (int i = 0; i < 4; i++)
        sem_post(&go);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    (void)argc;
    return 0;
}
C
cc -pthread -o "$work/unload" "$work/unload.c" -ldl
for how in exit unload fork threads; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$work/unload" "$library" $how || { echo "$how: status $?"; exit 1; }
  done
done
