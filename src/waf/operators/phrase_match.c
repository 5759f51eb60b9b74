/* phrase_match: any of a list of phrases (waf-operators 4). */
#include "waf/ruleset/reader.h"

#include "text/phrases.h"

enum { PHRASES_MAX = 65534 }; /* libddwaf refuses more */

static bool read_phrase(hg_reader *r, const hg_value *v, hg_slice *out)
{
    hg_slice s = hg_value_string(v);
    if (!hg_is_string(v) || s.ptr == NULL || (s.len == 0 && !r->profile->empty_phrases))
        return HG_READ_ERROR(r, v, HG_SLICE("phrase_match list item not a string"),
                             r->profile->empty_phrases ? HG_SLICE("") : HG_SLICE(" or empty"));
    bool ok;
    *out = hg_arena_copy(r->arena, s, &ok);
    return ok || hg_read_nomem(r);
}

static bool read_words_only(hg_reader *r, const hg_table *parameters, bool *words_only)
{
    hg_table options = {NULL};
    if (!hg_read_optional(r, parameters, HG_SLICE("options"), hg_cast_table, &options))
        return false;
    return options.map == NULL ||
           hg_read_optional(r, &options, HG_SLICE("enforce_word_boundary"), hg_cast_bool, words_only);
}

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)data;
    const hg_value *list;
    bool words_only = false;
    if (!hg_read(r, parameters, HG_SLICE("list"), hg_cast_array, &list) ||
        !read_words_only(r, parameters, &words_only))
        return false;
    size_t size = hg_value_size(list);
    hg_slice *phrases = HG_READ_NEW(r, hg_slice, size);
    hg_phrase_params *params = HG_READ_NEW(r, hg_phrase_params, 1);
    if (phrases == NULL || params == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_phrase(r, &hg_array_items(list)[i], &phrases[i]))
            return false;
    if (size > PHRASES_MAX)
        return HG_READ_ERROR(r, list, HG_SLICE("failed to instantiate ac handler"));
    *params = (hg_phrase_params){hg_phrases_build(phrases, size, words_only, r->arena), phrases, size};
    m->params = params;
    return params->set != NULL || hg_read_nomem(r);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    const hg_phrase_params *params = m->params;
    (void)env;
    return hg_phrases_find(params->set, hg_value_string(v), highlight);
}

const hg_operator hg_operator_phrase_match = {
    .name = HG_SLICE("phrase_match"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
