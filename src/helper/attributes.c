#include "helper/attributes.h"

#include "base/base64.h"
#include "prof/gzip.h"

#include "base/log.h"
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

/* Keys of our own: the client stops at one that comes twice. */
static bool is_reserved(hg_slice key)
{
    static const char *const own[] = {
        "_dd.appsec.event_rules.version", "_dd.appsec.event_rules.loaded", "_dd.appsec.event_rules.error_count",
        "_dd.appsec.event_rules.errors", "_dd.appsec.waf.version", "_dd.appsec.waf.duration", "_dd.appsec.rasp.duration",
        "_dd.appsec.rasp.rule.eval", "_dd.appsec.rasp.timeout"};
    if (key.len < 22 || (key.ptr[11] != 'e' && key.ptr[11] != 'w' && key.ptr[11] != 'r'))
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (hg_slice_equal(key, hg_slice_from(own[i])))
            return true;
    return false;
}

/* A map whose size is known when its entries are written: 16 bits are kept free for it. */
typedef struct open_map {
    size_t at;
    uint32_t count;
} open_map;

static open_map map_begin(hg_buffer *out)
{
    open_map m = {out->len, 0};
    hg_buffer_append(out, HG_SLICE("\xde\0\0"));
    return m;
}

/* Small maps have one byte in front, as clients expect them. */
static void map_end(const open_map *m, hg_buffer *out)
{
    if (out->failed)
        return;
    char *head = out->ptr + m->at;
    if (m->count < 16) {
        memmove(head + 1, head + 3, out->len - m->at - 3);
        out->len -= 2;
        head[0] = (char)(0x80 | m->count);
    } else {
        head[1] = (char)(m->count >> 8);
        head[2] = (char)m->count;
    }
}

static void put_text(hg_slice key, hg_slice value, hg_buffer *out, open_map *m)
{
    if (m->count == UINT16_MAX)
        return;
    hg_msgpack_put_str(out, key);
    hg_msgpack_put_str(out, value);
    m->count++;
}

static void put_number(hg_slice key, double value, hg_buffer *out, open_map *m)
{
    if (m->count == UINT16_MAX)
        return;
    hg_msgpack_put_str(out, key);
    hg_msgpack_put_float(out, value);
    m->count++;
}

static void put_schema(hg_slice key, const hg_value *v, hg_buffer *out, open_map *m)
{
    hg_buffer text = {0};
    if (schema_text(v, &text))
        put_text(key, hg_slice_of(text.ptr, text.len), out, m);
    else
        HG_LOG(HG_LOG_WARN, "the schema %.*s is too long", (int)key.len, key.ptr);
    hg_buffer_free(&text);
}

static void put_meta(const session *s, hg_buffer *out)
{
    open_map m = map_begin(out);
    for (size_t i = 0; i < hg_value_size(&s->attributes); i++) {
        const hg_pair *p = &hg_map_pairs(&s->attributes)[i];
        hg_slice key = hg_value_string(&p->key);
        if (is_schema(key))
            put_schema(key, &p->val, out, &m);
        else if (hg_is_string(&p->val) && !is_reserved(key))
            put_text(key, hg_value_string(&p->val), out, &m);
    }
    if (s->rules != NULL && s->rules->version[0] != '\0')
        put_text(HG_SLICE("_dd.appsec.event_rules.version"), hg_slice_from(s->rules->version), out, &m);
    map_end(&m, out);
}

static void put_metrics(const session *s, hg_buffer *out)
{
    open_map m = map_begin(out);
    for (size_t i = 0; i < hg_value_size(&s->attributes); i++) {
        const hg_pair *p = &hg_map_pairs(&s->attributes)[i];
        hg_slice key = hg_value_string(&p->key);
        if (is_schema(key) || is_reserved(key))
            continue;
        if (p->val.type == HG_SIGNED)
            put_number(key, (double)p->val.i64.val, out, &m);
        else if (p->val.type == HG_UNSIGNED)
            put_number(key, (double)p->val.u64.val, out, &m);
        else if (p->val.type == HG_FLOAT)
            put_number(key, p->val.f64.val, out, &m);
    }
    if (s->waf_ns >= 1000)
        put_number(HG_SLICE("_dd.appsec.waf.duration"), (double)(s->waf_ns / 1000), out, &m);
    if (s->rasp_calls > 0) {
        put_number(HG_SLICE("_dd.appsec.rasp.duration"), (double)(s->rasp_ns / 1000), out, &m);
        put_number(HG_SLICE("_dd.appsec.rasp.rule.eval"), (double)s->rasp_calls, out, &m);
    }
    if (s->rasp_timeouts > 0)
        put_number(HG_SLICE("_dd.appsec.rasp.timeout"), (double)s->rasp_timeouts, out, &m);
    map_end(&m, out);
}

void attributes_put(const session *s, hg_buffer *out)
{
    put_meta(s, out);
    put_metrics(s, out);
}
