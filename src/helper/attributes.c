#include "helper/attributes.h"

#include "base/base64.h"
#include "prof/gzip.h"

#include "hotgate/msgpack.h"

#include <stdlib.h>

enum { SCHEMA_PLAIN_MAX = 260, SCHEMA_MAX = 25000 };

static bool is_schema(hg_slice key)
{
    return key.len > 13 && memcmp(key.ptr, "_dd.appsec.s.", 13) == 0;
}

hg_status attributes_add(session *s, const hg_value *result)
{
    const hg_value *found = hg_map_find(result, HG_SLICE("attributes"));
    const hg_allocator *a = hg_arena_allocator(&s->request);
    for (size_t i = 0; found != NULL && i < hg_value_size(found); i++) {
        const hg_pair *p = &hg_map_pairs(found)[i];
        if (hg_map_find(&s->attributes, hg_value_string(&p->key)) != NULL)
            continue;
        hg_value *slot = hg_map_append(&s->attributes, hg_value_string(&p->key), a);
        if (slot == NULL || hg_value_clone(&p->val, slot, a) != HG_OK)
            return HG_ERR_NOMEM;
    }
    return HG_OK;
}

/* JSON; packed when long. False: too long even then. */
static bool schema_text(const hg_value *v, hg_buffer *out)
{
    hg_buffer packed = {0};
    hg_json_write(v, 0, out);
    if (out->failed || out->len <= SCHEMA_PLAIN_MAX)
        return !out->failed;
    bool ok = gzip_pack(hg_slice_of(out->ptr, out->len), &packed) == HG_OK;
    char *text = ok ? malloc(packed.len / 3 * 4 + 8) : NULL;
    size_t size = text ? hg_b64_encode(hg_slice_of(packed.ptr, packed.len), HG_BASE64_STANDARD, text) : 0;
    out->len = 0;
    hg_buffer_append(out, hg_slice_of(text, size));
    free(text);
    hg_buffer_free(&packed);
    return size > 0 && size <= SCHEMA_MAX && !out->failed;
}

static void put_meta(const session *s, hg_buffer *meta, uint32_t *count)
{
    hg_buffer text = {0};
    for (size_t i = 0; i < hg_value_size(&s->attributes); i++) {
        const hg_pair *p = &hg_map_pairs(&s->attributes)[i];
        hg_slice key = hg_value_string(&p->key);
        text.len = 0;
        if (is_schema(key) ? schema_text(&p->val, &text) : hg_is_string(&p->val)) {
            hg_msgpack_put_str(meta, key);
            hg_msgpack_put_str(meta, is_schema(key) ? hg_slice_of(text.ptr, text.len) : hg_value_string(&p->val));
            ++*count;
        }
    }
    if (s->rules != NULL && s->rules->rules_version[0] != '\0') {
        hg_msgpack_put_str(meta, HG_SLICE("_dd.appsec.event_rules.version"));
        hg_msgpack_put_str(meta, hg_slice_from(s->rules->rules_version));
        ++*count;
    }
    hg_buffer_free(&text);
}

static void put_number(hg_slice key, double value, hg_buffer *out, uint32_t *count)
{
    hg_msgpack_put_str(out, key);
    hg_msgpack_put_float(out, value);
    ++*count;
}

static void put_metrics(const session *s, hg_buffer *out, uint32_t *count)
{
    for (size_t i = 0; i < hg_value_size(&s->attributes); i++) {
        const hg_pair *p = &hg_map_pairs(&s->attributes)[i];
        hg_slice key = hg_value_string(&p->key);
        if (is_schema(key))
            continue;
        if (p->val.type == HG_SIGNED)
            put_number(key, (double)p->val.i64.val, out, count);
        else if (p->val.type == HG_UNSIGNED)
            put_number(key, (double)p->val.u64.val, out, count);
        else if (p->val.type == HG_FLOAT)
            put_number(key, p->val.f64.val, out, count);
    }
    if (s->waf_ns >= 1000)
        put_number(HG_SLICE("_dd.appsec.waf.duration"), (double)(s->waf_ns / 1000), out, count);
    if (s->rasp_calls > 0) {
        put_number(HG_SLICE("_dd.appsec.rasp.duration"), (double)(s->rasp_ns / 1000), out, count);
        put_number(HG_SLICE("_dd.appsec.rasp.rule.eval"), (double)s->rasp_calls, out, count);
    }
    if (s->rasp_timeouts > 0)
        put_number(HG_SLICE("_dd.appsec.rasp.timeout"), (double)s->rasp_timeouts, out, count);
}

void attributes_put(const session *s, hg_buffer *out)
{
    hg_buffer entries = {0};
    uint32_t count = 0;
    put_meta(s, &entries, &count);
    hg_msgpack_put_map(out, count);
    hg_buffer_append(out, hg_slice_of(entries.ptr, entries.len));
    out->failed |= entries.failed;
    entries.len = 0;
    count = 0;
    put_metrics(s, &entries, &count);
    hg_msgpack_put_map(out, count);
    hg_buffer_append(out, hg_slice_of(entries.ptr, entries.len));
    out->failed |= entries.failed;
    hg_buffer_free(&entries);
}
