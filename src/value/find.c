#include "hotgate/value.h"

const hg_value *hg_map_find(const hg_value *map, hg_slice key)
{
    if (!hg_is_map(map))
        return NULL;
    const hg_pair *pair = hg_map_pairs(map);
    for (size_t left = hg_value_size(map); left > 0; left--, pair++) {
        if (hg_slice_equal(hg_value_string(&pair->key), key))
            return &pair->val;
    }
    return NULL;
}

const char *hg_type_name(uint8_t type)
{
    switch (type) {
    case HG_NULL:
        return "null";
    case HG_BOOL:
        return "bool";
    case HG_SIGNED:
        return "signed";
    case HG_UNSIGNED:
        return "unsigned";
    case HG_FLOAT:
        return "float";
    case HG_STRING:
    case HG_LITERAL:
    case HG_SMALL_STRING:
        return "string";
    case HG_ARRAY:
    case HG_WIDE_ARRAY:
        return "array";
    case HG_MAP:
    case HG_WIDE_MAP:
        return "map";
    default:
        return "unknown";
    }
}
