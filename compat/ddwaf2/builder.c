/* Instances and builders. */
#include "compat.h"

#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

static hg_waf *waf_of(ddwaf_handle handle)
{
    return (hg_waf *)handle;
}

static hg_builder *builder_of(ddwaf_builder builder)
{
    return (hg_builder *)builder;
}

ddwaf_builder ddwaf_builder_init(void)
{
    return (ddwaf_builder)hg_builder_new_with(&hg_profile_ddwaf2, HG_SLICE(""), HG_SLICE(""));
}

bool ddwaf_builder_add_or_update_config(ddwaf_builder builder, const char *path, uint32_t path_len,
                                        const ddwaf_object *config, ddwaf_object *diagnostics)
{
    if (builder == NULL || path == NULL || path_len == 0 || config == NULL)
        return false;
    return hg_builder_set(builder_of(builder), hg_slice_of(path, path_len), const_value_of(config),
                          value_of(diagnostics), NULL) == HG_OK;
}

bool ddwaf_builder_remove_config(ddwaf_builder builder, const char *path, uint32_t path_len)
{
    return builder != NULL && path != NULL && path_len > 0 &&
           hg_builder_remove(builder_of(builder), hg_slice_of(path, path_len)) == HG_OK;
}

ddwaf_handle ddwaf_builder_build_instance(ddwaf_builder builder)
{
    return builder != NULL ? (ddwaf_handle)hg_builder_build(builder_of(builder), NULL) : NULL;
}

uint32_t ddwaf_builder_get_config_paths(ddwaf_builder builder, ddwaf_object *paths, const char *filter,
                                        uint32_t filter_len)
{
    if (builder == NULL)
        return 0;
    hg_slice pattern = hg_slice_of(filter, filter != NULL ? filter_len : 0);
    return (uint32_t)hg_builder_paths(builder_of(builder), pattern, value_of(paths), NULL);
}

void ddwaf_builder_destroy(ddwaf_builder builder)
{
    hg_builder_free(builder_of(builder));
}

ddwaf_handle ddwaf_init(const ddwaf_object *ruleset, ddwaf_object *diagnostics)
{
    if (ruleset == NULL)
        return NULL;
    ddwaf_builder builder = ddwaf_builder_init();
    ddwaf_builder_add_or_update_config(builder, "default", 7, ruleset, diagnostics);
    ddwaf_handle handle = ddwaf_builder_build_instance(builder);
    ddwaf_builder_destroy(builder);
    return handle;
}

void ddwaf_destroy(ddwaf_handle handle)
{
    hg_waf_unref(waf_of(handle));
}

const char *const *ddwaf_known_addresses(const ddwaf_handle handle, uint32_t *size)
{
    size_t count = 0;
    const char *const *list = handle != NULL ? hg_waf_addresses(waf_of(handle), &count) : NULL;
    *size = (uint32_t)count;
    return list;
}

const char *const *ddwaf_known_actions(const ddwaf_handle handle, uint32_t *size)
{
    size_t count = 0;
    const char *const *list = handle != NULL ? hg_waf_actions(waf_of(handle), &count) : NULL;
    *size = (uint32_t)count;
    return list;
}
