/* Opening the libddwaf.so of this build. */
#ifndef CONFORMANCE_WAF_LIBRARY_H
#define CONFORMANCE_WAF_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BUILD/ddwaf<abi>/libddwaf.so, found from BUILD/tests/<this program>; exits with a message when it cannot be loaded. */
static inline void *waf_library_open(int abi)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    path[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    snprintf(path + strlen(path), 64, "/ddwaf%d/libddwaf.so", abi);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return library;
}

static inline void *waf_library_symbol(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "no symbol %s\n", name);
        exit(3);
    }
    return symbol;
}

#endif
