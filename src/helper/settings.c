#include "helper/settings.h"

enum { DEFAULT_TIMEOUT_US = 50000 };

const hg_value *argument(const hg_value *arguments, size_t i)
{
    static const hg_value none;
    return i < hg_value_size(arguments) ? &hg_array_items(arguments)[i] : &none;
}

bool maplike(const hg_value *v)
{
    return hg_is_map(v) || (hg_is_array(v) && hg_value_size(v) == 0);
}

/* A member of a record, by name or, if it came as an array, by place. */
static const hg_value *member(const hg_value *record, hg_slice key, size_t place)
{
    if (record == NULL || hg_is_map(record))
        return record ? hg_map_find(record, key) : NULL;
    return hg_is_array(record) && place < hg_value_size(record) ? &hg_array_items(record)[place] : NULL;
}

static hg_slice text_member(const hg_value *record, hg_slice key, size_t place)
{
    const hg_value *v = member(record, key, place);
    return v ? hg_value_string(v) : HG_SLICE("");
}

hg_slice text_of(const hg_value *map, hg_slice key)
{
    const hg_value *v = hg_map_find(map, key);
    return v ? hg_value_string(v) : HG_SLICE("");
}

uint64_t number_of(const hg_value *v)
{
    if (v == NULL)
        return 0;
    switch (v->type) {
    case HG_UNSIGNED:
        return v->u64.val;
    case HG_SIGNED:
        return v->i64.val > 0 ? (uint64_t)v->i64.val : 0;
    case HG_BOOL:
        return v->b8.val;
    case HG_FLOAT:
        return v->f64.val > 0 && v->f64.val < 1e18 ? (uint64_t)v->f64.val : 0;
    }
    return 0;
}

bool truth_of(const hg_value *v)
{
    return number_of(v) != 0;
}

/* Seconds, never negative and never a NaN, which would equal no other client's. */
static double seconds_of(const hg_value *v)
{
    if (v == NULL)
        return 30;
    double seconds = v->type == HG_FLOAT ? v->f64.val : (double)number_of(v);
    return seconds > 0 ? seconds : 0;
}

static bool is_record(const hg_value *v)
{
    return hg_is_map(v) || hg_is_array(v) || v->type == HG_NULL || v->type == HG_INVALID;
}

static void read_names(const hg_value *names, service_settings *o)
{
    o->service = text_member(names, HG_SLICE("service_name"), 0);
    o->env = text_member(names, HG_SLICE("env_name"), 1);
}

static void set_remote(hg_slice path, unsigned uid, service_settings *o)
{
    o->from.remote_path = o->remote_enabled ? path : HG_SLICE("");
    o->from.owner = o->from.remote_path.len > 0 ? uid : 0;
}

bool settings_read(const hg_value *arguments, unsigned uid, unsigned peer, service_settings *out)
{
    const hg_value *engine = argument(arguments, 4), *remote = argument(arguments, 5), *names = argument(arguments, 6);
    if (hg_value_size(arguments) < 5 || !hg_is_string(argument(arguments, 1)) ||
        !(hg_is_map(engine) || hg_is_array(engine)) || !is_record(remote) || !is_record(names))
        return false;
    const hg_value *schema = member(engine, HG_SLICE("schema_extraction"), 5);
    uint64_t rate = number_of(member(engine, HG_SLICE("trace_rate_limit"), 2));
    *out = (service_settings){
        .always_enabled = truth_of(argument(arguments, 3)),
        .from.rules_file = text_member(engine, HG_SLICE("rules_file"), 0),
        .timeout_us = number_of(member(engine, HG_SLICE("waf_timeout_us"), 1)),
        .rate_limit = rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX,
        .key_regex = text_member(engine, HG_SLICE("obfuscator_key_regex"), 3),
        .value_regex = text_member(engine, HG_SLICE("obfuscator_value_regex"), 4),
        .schema_enabled = truth_of(member(schema, HG_SLICE("enabled"), 0)),
        .sampling_period = seconds_of(member(schema, HG_SLICE("sampling_period"), 1)),
        .remote_enabled = truth_of(member(remote, HG_SLICE("enabled"), 0)),
    };
    out->from.reader = out->from.rules_file.len > 0 ? peer : 0;
    if (out->timeout_us == 0)
        out->timeout_us = DEFAULT_TIMEOUT_US;
    set_remote(text_member(remote, HG_SLICE("shmem_path"), 1), uid, out);
    read_names(names, out);
    return true;
}

bool settings_change(const hg_value *arguments, unsigned uid, service_settings *settings)
{
    const hg_value *path = argument(arguments, 0), *names = argument(arguments, 1);
    if (hg_value_size(arguments) < 2 || !hg_is_string(path) || !is_record(names))
        return false;
    set_remote(hg_value_string(path), uid, settings);
    read_names(names, settings);
    return true;
}
