#include "peers/ddwaf1.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols in the order of the members of ddwaf1. */
static const char *const symbols[] = {
    "ddwaf_get_version",
    "ddwaf_object_from_json",
    "ddwaf_object_free",
    "ddwaf_init",
    "ddwaf_destroy",
    "ddwaf_known_addresses",
    "ddwaf_known_actions",
    "ddwaf_builder_init",
    "ddwaf_builder_add_or_update_config",
    "ddwaf_builder_remove_config",
    "ddwaf_builder_build_instance",
    "ddwaf_builder_get_config_paths",
    "ddwaf_builder_destroy",
    "ddwaf_context_init",
    "ddwaf_run",
    "ddwaf_context_destroy",
};

enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };
_Static_assert(sizeof(ddwaf1) == SYMBOLS * sizeof(void *), "one symbol a member");

bool ddwaf1_open_file(const char *path, ddwaf1 *lib)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    void *found[SYMBOLS];
    for (int i = 0; i < SYMBOLS; i++)
        if ((found[i] = dlsym(library, symbols[i])) == NULL) {
            fprintf(stderr, "ddwaf1: no %s\n", symbols[i]);
            dlclose(library);
            return false;
        }
    memcpy(lib, found, sizeof *lib);
    return true;
}

const ddwaf1 *ddwaf1_open(void)
{
    static const char place[] = "peers/node_modules/@datadog/native-appsec/prebuilds/linuxglibc-x64/libddwaf.so";
    static ddwaf1 lib;
    static bool open;
    if (open)
        return &lib;
    const char *named = getenv("HOTGATE_DDWAF1"), *build = getenv("HOTGATE_BUILD"), *source = getenv("HOTGATE_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", build ? build : "build", place);
    open = ddwaf1_open_file(named ? named : path, &lib);
    if (!open && named == NULL) { /* builds beside the usual one share its peers */
        snprintf(path, sizeof path, "%s/build/%s", source ? source : ".", place);
        open = ddwaf1_open_file(path, &lib);
    }
    return open ? &lib : NULL;
}

ddwaf1_handle *ddwaf1_load(const ddwaf1 *lib, const char *json, size_t len, const ddwaf1_config *config)
{
    ddwaf1_object ruleset;
    if (!lib->object_from_json(&ruleset, json, (uint32_t)len))
        return NULL;
    ddwaf1_handle *handle = lib->init(&ruleset, config, NULL);
    lib->object_free(&ruleset);
    return handle;
}

const ddwaf1_object *ddwaf1_find(const ddwaf1_object *map, const char *name)
{
    if (map == NULL || map->type != DDWAF1_MAP || map->items == NULL)
        return NULL;
    size_t len = strlen(name);
    for (uint64_t i = 0; i < map->size; i++) {
        const ddwaf1_object *entry = &map->items[i];
        if (entry->name != NULL && entry->name_len == len && memcmp(entry->name, name, len) == 0)
            return entry;
    }
    return NULL;
}
