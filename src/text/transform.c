#include "text/transform.h"

#include "text/transforms/transforms.h"

#define HG_TRAIT_WEB (HG_TRAIT_PERCENT | HG_TRAIT_PLUS)

const hg_transform hg_transforms[] = {
    {"lowercase", NULL, hg_lowercase, NULL, HG_TRAIT_UPPER, 0},
    {"remove_nulls", "removeNulls", hg_remove_nulls, NULL, HG_TRAIT_NUL, 0},
    {"compress_whitespace", "compressWhiteSpace", hg_compress_whitespace, NULL, HG_TRAIT_SPACE_RUN, 0},
    {"normalize_path", "normalizePath", hg_normalize_path, NULL, HG_TRAIT_DOT_PART, 0},
    {"normalize_path_win", "normalizePathWin", hg_normalize_path_win, NULL, HG_TRAIT_DOT_PART | HG_TRAIT_BACKSLASH,
     0},
    {"url_decode", "urlDecode", hg_url_decode, NULL, HG_TRAIT_WEB, 0},
    {"url_decode_iis", "urlDecodeUni", hg_url_decode_iis, NULL, HG_TRAIT_WEB, 0},
    {"css_decode", "cssDecode", hg_css_decode, NULL, HG_TRAIT_BACKSLASH, 0},
    {"js_decode", "jsDecode", hg_js_decode, NULL, HG_TRAIT_BACKSLASH, 0},
    {"html_entity_decode", "htmlEntityDecode", hg_html_entity_decode, NULL, HG_TRAIT_ENTITY, 0},
    {"base64_decode", "base64Decode", hg_base64_decode, NULL, HG_TRAIT_ANY, HG_TRAIT_NOT_BASE64},
    {"base64url_decode", NULL, hg_base64url_decode, NULL, HG_TRAIT_ANY, HG_TRAIT_NOT_BASE64URL},
    {"base64_encode", "base64Encode", hg_base64_encode, hg_base64_encode_room, HG_TRAIT_ANY, 0},
    {"shell_unescape", "cmdLine", hg_shell_unescape, NULL,
     HG_TRAIT_BACKSLASH | HG_TRAIT_QUOTE | HG_TRAIT_UPPER | HG_TRAIT_SEPARATOR | HG_TRAIT_GLUE, 0},
    {"url_basename", "_sqr_basename", hg_url_basename, NULL, HG_TRAIT_SLASH | HG_TRAIT_CUT, 0},
    {"url_path", "_sqr_filename", hg_url_path, NULL, HG_TRAIT_CUT, 0},
    {"url_querystring", "_sqr_querystring", hg_url_querystring, NULL, HG_TRAIT_ANY, 0},
    {"remove_comments", "removeComments", hg_remove_comments, NULL, HG_TRAIT_COMMENT, 0},
    {"unicode_normalize", NULL, hg_unicode_normalize, hg_unicode_normalize_room, HG_TRAIT_HIGH, 0},
};

const size_t hg_transform_count = sizeof hg_transforms / sizeof hg_transforms[0];

int hg_transform_find(hg_slice name)
{
    for (size_t i = 0; i < hg_transform_count; i++) {
        const hg_transform *t = &hg_transforms[i];
        if (hg_slice_equal(name, hg_slice_from(t->name)) || (t->alias && hg_slice_equal(name, hg_slice_from(t->alias))))
            return (int)i;
    }
    return -1;
}

hg_status hg_transform_chain_add(hg_transform_chain *chain, int id)
{
    if (id < 0 || (size_t)id >= hg_transform_count)
        return HG_ERR_ARGUMENT;
    if (chain->count == HG_TRANSFORM_CHAIN_MAX)
        return HG_ERR_LIMIT;
    chain->ids[chain->count++] = (uint8_t)id;
    chain->any |= hg_transforms[id].any;
    return HG_OK;
}

static inline bool may_change(const hg_transform *t, uint32_t traits)
{
    return (t->any & traits) != 0 && (t->none & traits) == 0;
}

/* Memory of ours that the next transformer may write to. */
typedef struct workroom {
    char *ptr;
    size_t size;
} workroom;

/* False when out of memory. */
static bool room_reserve(workroom *room, size_t size, hg_arena *arena)
{
    room->size = size;
    room->ptr = hg_arena_alloc(arena, size, 1);
    return room->ptr != NULL;
}

/* A text that lies in the room is rewritten where it stands. */
static void room_follow(workroom *room, hg_slice now)
{
    uintptr_t offset = (uintptr_t)now.ptr - (uintptr_t)room->ptr;
    if (offset < room->size) {
        room->ptr += offset;
        room->size -= offset;
    }
}

hg_status hg_transform_apply(const hg_transform_chain *chain, hg_slice s, uint32_t traits, hg_arena *arena,
                             hg_slice *out, bool *changed)
{
    hg_slice now = s;
    workroom room = {NULL, 0};
    bool differs = false;
    *changed = false;
    *out = s;
    for (unsigned i = 0; i < chain->count && now.len > 0; i++) {
        const hg_transform *t = &hg_transforms[chain->ids[i]];
        if (!differs && !may_change(t, traits))
            continue;
        size_t size = t->room_for ? t->room_for(now) : now.len;
        if (size == 0)
            continue;
        if ((room.ptr == NULL || t->room_for) && !room_reserve(&room, size, arena))
            return HG_ERR_NOMEM;
        hg_slice next;
        hg_transform_result result = t->run(now, room.ptr, &next);
        if (result == HG_TRANSFORM_SAME)
            continue;
        differs = true;
        *changed |= result == HG_TRANSFORM_CHANGED;
        now = next;
        room_follow(&room, now);
    }
    if (*changed)
        *out = now;
    return HG_OK;
}
