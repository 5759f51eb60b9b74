#include "helper/remote_features.h"

#include <strings.h>

static const hg_value *at(const hg_value *map, hg_slice key)
{
    return map != NULL ? hg_map_find(map, key) : NULL;
}

static bool says(hg_slice text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

static bool read_enabled(const hg_value *v, remote_features *out)
{
    if (v == NULL || v->type == HG_NULL)
        return true;
    out->has_enabled = true;
    if (v->type == HG_BOOL) {
        out->enabled = v->b8.val;
        return true;
    }
    hg_slice text = hg_is_string(v) ? hg_value_string(v) : HG_SLICE("");
    out->enabled = says(text, "true");
    return out->enabled || says(text, "false");
}

static bool read_mode(const hg_value *v, remote_features *out)
{
    static const char *const known[] = {"identification", "anonymization", "disabled"};
    if (v == NULL || v->type == HG_NULL)
        return true;
    if (!hg_is_string(v))
        return false;
    out->mode = "unknown";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (says(hg_value_string(v), known[i]))
            out->mode = known[i];
    return true;
}

bool remote_features_read(const hg_value *tree, remote_features *out)
{
    *out = (remote_features){.mode = NULL};
    if (hg_is_map(tree) && read_enabled(at(at(tree, HG_SLICE("asm")), HG_SLICE("enabled")), out) &&
        read_mode(at(at(tree, HG_SLICE("auto_user_instrum")), HG_SLICE("mode")), out))
        return true;
    *out = (remote_features){.mode = NULL};
    return false;
}

void remote_features_merge(remote_features *into, const remote_features *later)
{
    if (later->has_enabled) {
        into->has_enabled = true;
        into->enabled = later->enabled;
    }
    if (later->mode != NULL)
        into->mode = later->mode;
}
