/* Values into JavaScript: what a result, diagnostics or a list of paths holds. */
#include "addon.h"

static napi_value text(napi_env env, hg_slice s)
{
    napi_value out = NULL;
    napi_create_string_utf8(env, s.ptr ? s.ptr : "", s.len, &out);
    return out;
}

static napi_value scalar(napi_env env, const hg_value *v)
{
    napi_value out = NULL;
    switch (v->type) {
    case HG_BOOL:
        napi_get_boolean(env, v->b8.val, &out);
        break;
    case HG_SIGNED:
        napi_create_int64(env, v->i64.val, &out);
        break;
    case HG_UNSIGNED:
        napi_create_double(env, (double)v->u64.val, &out);
        break;
    case HG_FLOAT:
        napi_create_double(env, v->f64.val, &out);
        break;
    case HG_NULL:
        napi_get_null(env, &out);
        break;
    default:
        napi_get_undefined(env, &out);
    }
    return out;
}

/* Results nest as deep as a JSON web token at most (64 levels). */
static napi_value convert(napi_env env, const hg_value *v, int depth)
{
    if (hg_is_string(v))
        return text(env, hg_value_string(v));
    if (!hg_is_container(v) || depth > 256)
        return scalar(env, v);
    napi_value out = NULL;
    size_t size = hg_value_size(v);
    if (hg_is_array(v)) {
        napi_create_array_with_length(env, size, &out);
        for (size_t i = 0; i < size; i++)
            napi_set_element(env, out, (uint32_t)i, convert(env, &hg_array_items(v)[i], depth + 1));
        return out;
    }
    napi_create_object(env, &out);
    for (size_t i = 0; i < size; i++) {
        const hg_pair *pair = &hg_map_pairs(v)[i];
        napi_set_property(env, out, text(env, hg_value_string(&pair->key)), convert(env, &pair->val, depth + 1));
    }
    return out;
}

napi_value to_js(napi_env env, const hg_value *v)
{
    return convert(env, v, 0);
}

napi_value strings_to_js(napi_env env, const char *const *strings, size_t count)
{
    napi_value out = NULL;
    napi_create_array_with_length(env, count, &out);
    for (size_t i = 0; i < count; i++)
        napi_set_element(env, out, (uint32_t)i, text(env, hg_slice_from(strings[i])));
    return out;
}
