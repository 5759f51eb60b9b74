/* Instances and builders. */
#include "compat.h"

#include <stdlib.h>
#include <string.h>

#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

struct _ddwaf_builder {
    hg_builder *engine;
    ddwaf_object_free_fn free_fn;
};

struct _ddwaf_handle {
    hg_waf *engine;
    ddwaf_object_free_fn free_fn;
};

hg_waf *hg_ddwaf1_engine(ddwaf_handle handle)
{
    return handle->engine;
}

ddwaf_object_free_fn hg_ddwaf1_free_fn(ddwaf_handle handle)
{
    return handle->free_fn;
}

/* The numbers of a version text such as 1.30.1. */
static void read_version(const char *text, uint16_t version[3])
{
    for (int i = 0; i < 3; i++) {
        version[i] = (uint16_t)strtoul(text, (char **)&text, 10);
        text += *text == '.';
    }
}

/* Up to 1.30.0 the addresses of output attributes were not known to the engine. */
static bool knows_attributes(const uint16_t version[3])
{
    return version[0] * 1000000u + version[1] * 1000u + version[2] >= 1030001u;
}

static hg_profile profile_of(const ddwaf_config *config)
{
    hg_profile profile = hg_profile_ddwaf1;
    read_version(HG_DDWAF_VERSION, profile.version);
    profile.attribute_addresses = knows_attributes(profile.version);
    if (config == NULL)
        return profile;
    if (config->limits.max_container_size != 0)
        profile.max_container_size = config->limits.max_container_size;
    if (config->limits.max_container_depth != 0)
        profile.max_container_depth = config->limits.max_container_depth;
    if (config->limits.max_string_length != 0)
        profile.max_string_length = config->limits.max_string_length;
    return profile;
}

ddwaf_builder ddwaf_builder_init(const ddwaf_config *config)
{
    ddwaf_builder builder = malloc(sizeof *builder);
    if (builder == NULL)
        return NULL;
    hg_profile profile = profile_of(config);
    builder->engine =
        hg_builder_new_with(&profile, hg_slice_from(config != NULL ? config->obfuscator.key_regex : NULL),
                            hg_slice_from(config != NULL ? config->obfuscator.value_regex : NULL));
    builder->free_fn = config != NULL ? config->free_fn : ddwaf_object_free;
    if (builder->engine != NULL)
        return builder;
    free(builder);
    return NULL;
}

static bool add(ddwaf_builder builder, hg_slice path, const ddwaf_object *config, ddwaf_object *diagnostics)
{
    hg_arena arena;
    hg_value root;
    hg_value report = {.type = HG_INVALID};
    hg_arena_init(&arena, NULL);
    const hg_allocator *a = hg_arena_allocator(&arena);
    bool ok = hg_ddwaf1_read(config, &root, HG_DDWAF1_CONFIG, &arena) &&
              hg_builder_set(builder->engine, path, &root, diagnostics != NULL ? &report : NULL, a) == HG_OK;
    if (diagnostics != NULL)
        hg_ddwaf1_write(&report, diagnostics);
    hg_arena_close(&arena);
    return ok;
}

bool ddwaf_builder_add_or_update_config(ddwaf_builder builder, const char *path, uint32_t path_len,
                                        const ddwaf_object *config, ddwaf_object *diagnostics)
{
    if (builder == NULL || path == NULL || path_len == 0 || config == NULL)
        return false;
    return add(builder, hg_slice_of(path, path_len), config, diagnostics);
}

bool ddwaf_builder_remove_config(ddwaf_builder builder, const char *path, uint32_t path_len)
{
    return builder != NULL && path != NULL && path_len > 0 &&
           hg_builder_remove(builder->engine, hg_slice_of(path, path_len)) == HG_OK;
}

ddwaf_handle ddwaf_builder_build_instance(ddwaf_builder builder)
{
    ddwaf_handle handle = builder != NULL ? malloc(sizeof *handle) : NULL;
    if (handle == NULL)
        return NULL;
    *handle = (struct _ddwaf_handle){hg_builder_build(builder->engine, NULL), builder->free_fn};
    if (handle->engine != NULL)
        return handle;
    free(handle);
    return NULL;
}

uint32_t ddwaf_builder_get_config_paths(ddwaf_builder builder, ddwaf_object *paths, const char *filter,
                                        uint32_t filter_len)
{
    if (builder == NULL)
        return 0;
    hg_arena arena;
    hg_value list;
    hg_arena_init(&arena, NULL);
    size_t count = hg_builder_paths(builder->engine, hg_slice_of(filter, filter != NULL ? filter_len : 0), &list,
                                    hg_arena_allocator(&arena));
    if (paths != NULL && !hg_ddwaf1_write(&list, paths))
        count = 0;
    hg_arena_close(&arena);
    return (uint32_t)count;
}

void ddwaf_builder_destroy(ddwaf_builder builder)
{
    if (builder == NULL)
        return;
    hg_builder_free(builder->engine);
    free(builder);
}

ddwaf_handle ddwaf_init(const ddwaf_object *ruleset, const ddwaf_config *config, ddwaf_object *diagnostics)
{
    if (ruleset == NULL)
        return NULL;
    ddwaf_builder builder = ddwaf_builder_init(config);
    ddwaf_builder_add_or_update_config(builder, "default", 7, ruleset, diagnostics);
    ddwaf_handle handle = ddwaf_builder_build_instance(builder);
    ddwaf_builder_destroy(builder);
    return handle;
}

void ddwaf_destroy(ddwaf_handle handle)
{
    if (handle == NULL)
        return;
    hg_waf_unref(handle->engine);
    free(handle);
}

const char *const *ddwaf_known_addresses(const ddwaf_handle handle, uint32_t *size)
{
    size_t count = 0;
    const char *const *list = handle != NULL ? hg_waf_addresses(handle->engine, &count) : NULL;
    *size = (uint32_t)count;
    return list;
}

const char *const *ddwaf_known_actions(const ddwaf_handle handle, uint32_t *size)
{
    size_t count = 0;
    const char *const *list = handle != NULL ? hg_waf_actions(handle->engine, &count) : NULL;
    *size = (uint32_t)count;
    return list;
}
