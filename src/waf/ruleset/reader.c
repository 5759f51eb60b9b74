/* The reader's state: memory, failures, look-ups in maps. Conversions are in cast.c. */
#include "waf/ruleset/reader.h"

#include "waf/ruleset/regex_store.h"

void hg_reader_clear(hg_reader *r)
{
    r->failure = HG_FAILURE_NONE;
    r->message = (hg_slice){NULL, 0};
    r->where = NULL;
    r->expected = NULL;
}

static hg_slice joined(hg_arena *arena, const hg_slice *parts, size_t count, bool *ok)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += parts[i].len;
    char *text = hg_arena_alloc(arena, length, 1);
    *ok = text != NULL;
    if (text == NULL)
        return (hg_slice){NULL, 0};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len > 0)
            memcpy(text + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    return (hg_slice){text, length};
}

bool hg_read_fail(hg_reader *r, hg_failure failure, const hg_value *where, const hg_slice *parts, size_t count)
{
    if (r->failure != HG_FAILURE_NONE)
        return false;
    bool ok;
    r->message = joined(r->arena, parts, count, &ok);
    r->failure = ok ? failure : HG_FAILURE_NOMEM;
    r->where = where;
    return false;
}

bool hg_read_skip(hg_reader *r)
{
    if (r->failure == HG_FAILURE_NONE)
        r->failure = HG_FAILURE_SKIP;
    return false;
}

bool hg_read_nomem(hg_reader *r)
{
    r->failure = HG_FAILURE_NOMEM;
    return false;
}

bool hg_read_bad_cast(hg_reader *r, const hg_value *v, const char *expected)
{
    if (r->failure != HG_FAILURE_NONE)
        return false;
    HG_READ_ERROR(r, v, HG_SLICE("bad cast, expected '"), hg_slice_from(expected), HG_SLICE("', obtained '"),
                  hg_slice_from(hg_type_name(v->type)), HG_SLICE("'"));
    r->expected = expected;
    return false;
}

void *hg_read_alloc(hg_reader *r, size_t count, size_t size)
{
    void *block = hg_arena_alloc(r->arena, count * size, _Alignof(max_align_t));
    if (block == NULL)
        hg_read_nomem(r);
    else
        memset(block, 0, count * size);
    return block;
}

const hg_value *hg_table_find(const hg_table *table, hg_slice key)
{
    return hg_map_find(table->map, key);
}

bool hg_read_tie(hg_reader *r, hg_slice key)
{
    if (r->failure != HG_FAILURE_ERROR || r->expected == NULL)
        return false;
    const hg_value *where = r->where;
    hg_slice expected = hg_slice_from(r->expected);
    hg_reader_clear(r);
    return HG_READ_ERROR(r, where, HG_SLICE("invalid type '"), hg_slice_from(hg_type_name(where->type)),
                         HG_SLICE("' for key '"), key, HG_SLICE("', expected '"), expected, HG_SLICE("'"));
}

bool hg_read(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out)
{
    const hg_value *v = hg_table_find(table, key);
    if (v == NULL)
        return HG_READ_ERROR(r, table->map, HG_SLICE("missing key '"), key, HG_SLICE("'"));
    return cast(r, v, out) || hg_read_tie(r, key);
}

bool hg_read_optional(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out)
{
    const hg_value *v = hg_table_find(table, key);
    return v == NULL || cast(r, v, out) || hg_read_tie(r, key);
}

bool hg_read_optional_untied(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out)
{
    const hg_value *v = hg_table_find(table, key);
    return v == NULL || cast(r, v, out);
}

bool hg_read_version_gate(hg_reader *r, const hg_table *table)
{
    uint32_t lowest = 0;
    uint32_t highest = UINT32_MAX;
    if (!hg_read_optional(r, table, HG_SLICE("min_version"), hg_cast_version, &lowest) ||
        !hg_read_optional(r, table, HG_SLICE("max_version"), hg_cast_version, &highest))
        return false;
    const uint16_t *v = r->profile->version;
    uint32_t current = v[0] * 1000000u + v[1] * 1000u + v[2];
    return (lowest <= current && current <= highest) || hg_read_skip(r);
}

hg_regex *hg_read_regex(hg_reader *r, hg_slice pattern, bool case_insensitive, hg_regex_error *error)
{
    *error = (hg_regex_error){.status = HG_OK};
    hg_regex *regex = hg_regex_store_get(r->regexes, pattern, case_insensitive, error);
    if (regex == NULL && error->status == HG_ERR_NOMEM)
        hg_read_nomem(r);
    return regex;
}

bool hg_read_no_empty_step(hg_reader *r, const hg_value *where, hg_key_path path)
{
    for (uint32_t i = 0; i < path.count; i++)
        if (!path.steps[i].by_index && path.steps[i].key.len == 0)
            return HG_READ_ERROR(r, where, HG_SLICE("empty key_path"));
    return true;
}

bool hg_read_path_limit(hg_reader *r, const hg_value *where, hg_key_path path)
{
    if (r->profile->max_key_path > 0 && path.count > r->profile->max_key_path)
        return HG_READ_ERROR(r, where, HG_SLICE("key_path beyond maximum container depth"));
    return true;
}
