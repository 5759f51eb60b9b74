/* RE2, loaded from build/peers/libre2_peer.so. */
#ifndef RE2_PEER_H
#define RE2_PEER_H

#include "hotgate/base.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct re2_peer {
    void *(*compile)(const char *pattern, size_t len, int insensitive, long max_mem, int *code, char *argument,
                     size_t room, size_t *argument_len);
    void (*free)(void *re);
    int (*match)(const void *re, const char *text, size_t len, size_t *spans, int count);
    void *(*set)(const char *const *patterns, const size_t *lens, const int *insensitive, size_t count, long max_mem);
    int (*set_scan)(const void *set, const char *text, size_t len);
    void (*set_free)(void *set);
} re2_peer;

/* False: the library was not built. */
static inline bool re2_peer_load(re2_peer *peer)
{
    char path[4096];
    const char *build = getenv("HOTGATE_BUILD");
    snprintf(path, sizeof path, "%s/peers/libre2_peer.so", build ? build : "build");
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        return false;
    *(void **)&peer->compile = dlsym(library, "re2_peer_compile");
    *(void **)&peer->free = dlsym(library, "re2_peer_free");
    *(void **)&peer->match = dlsym(library, "re2_peer_match");
    *(void **)&peer->set = dlsym(library, "re2_peer_set");
    *(void **)&peer->set_scan = dlsym(library, "re2_peer_set_scan");
    *(void **)&peer->set_free = dlsym(library, "re2_peer_set_free");
    return peer->compile && peer->free && peer->match && peer->set && peer->set_scan && peer->set_free;
}

#endif
