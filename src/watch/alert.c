/* Alerts: one line of JSON an event, in the manner of Suricata's EVE (schema/alert.json). */
#include "watch/internal.h"

#include <inttypes.h>
#include <time.h>

static void text(hg_buffer *out, const char *s)
{
    hg_buffer_append(out, hg_slice_from(s));
}

static void string(hg_buffer *out, const char *key, hg_slice value)
{
    hg_buffer_printf(out, ",\"%s\":", key);
    hg_json_write_string(value.ptr ? value : HG_SLICE(""), 0, out);
}

static hg_slice string_at(const hg_value *map, const char *key)
{
    const hg_value *v = map && hg_is_map(map) ? hg_map_find(map, hg_slice_from(key)) : NULL;
    return v && hg_is_string(v) ? hg_value_string(v) : (hg_slice){"", 0};
}

static const hg_value *find(const hg_value *map, const char *key)
{
    return map && hg_is_map(map) ? hg_map_find(map, hg_slice_from(key)) : NULL;
}

static const hg_value *first_of(const hg_value *array)
{
    return array && hg_is_array(array) && hg_value_size(array) > 0 ? hg_array_items(array) : NULL;
}

static void timestamp(hg_buffer *out, hg_net_time time)
{
    char buffer[32];
    time_t seconds = (time_t)(time / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%S", &tm);
    hg_buffer_printf(out, "{\"timestamp\":\"%s.%06dZ\"", buffer, (int)(time % 1000000));
}

static void address(hg_buffer *out, const char *key, const uint8_t addr[16])
{
    char buffer[48];
    hg_net_addr_text(addr, buffer);
    hg_buffer_printf(out, ",\"%s\":\"%s\"", key, buffer);
}

/* Ids of AWS gateway load balancers, when the options are theirs. */
static void aws(hg_buffer *out, const hg_net_tunnel *tunnel)
{
    static const char *const names[] = {NULL, "aws_endpoint", "aws_attachment", "aws_flow_cookie"};
    hg_slice options = hg_slice_of((const char *)tunnel->options, tunnel->options_len);
    hg_net_geneve_option o;
    while (hg_net_geneve_next(&options, &o)) {
        if (o.option_class != 0x0108 || o.type < 1 || o.type > 3)
            continue;
        hg_buffer_printf(out, ",\"%s\":\"%s", names[o.type], o.type == 1 ? "vpce-" : "");
        for (size_t i = 0; i < o.data.len; i++)
            hg_buffer_printf(out, "%02x", (unsigned char)o.data.ptr[i]);
        text(out, "\"");
    }
}

static void tunnels(hg_buffer *out, const watch_transaction *t)
{
    text(out, ",\"tunnel\":[");
    for (size_t i = 0; i < t->tunnel_count; i++) {
        const hg_net_tunnel *tunnel = &t->tunnels[i];
        hg_buffer_printf(out, "%s{\"type\":\"%s\"", i > 0 ? "," : "", hg_net_tunnel_name(tunnel->type));
        address(out, "src", tunnel->orig.addr);
        address(out, "dst", tunnel->resp.addr);
        if (tunnel->type == HG_NET_TUNNEL_VXLAN || tunnel->type == HG_NET_TUNNEL_GENEVE)
            hg_buffer_printf(out, ",\"vni\":%u", tunnel->vni);
        if (tunnel->options_len > 0)
            aws(out, tunnel);
        text(out, "}");
    }
    text(out, "]");
}

/* Where the rule matched: the first parameter of its first match. */
static void match(hg_buffer *out, const hg_value *event)
{
    const hg_value *where = first_of(find(first_of(find(event, "rule_matches")), "parameters"));
    text(out, ",\"match\":{\"address\":");
    if (where != NULL && find(where, "address") == NULL && hg_is_map(where) && hg_value_size(where) > 0)
        where = &hg_map_pairs(where)[0].val; /* operators with several inputs name them */
    hg_json_write_string(string_at(where, "address"), 0, out);
    const hg_value *path = find(where, "key_path"), *highlight = find(where, "highlight");
    text(out, ",\"key_path\":");
    if (path != NULL)
        hg_json_write(path, 0, out);
    else
        text(out, "[]");
    string(out, "value", string_at(where, "value"));
    text(out, ",\"highlight\":");
    if (highlight != NULL)
        hg_json_write(highlight, 0, out);
    else
        text(out, "[]");
    text(out, "}");
}

static void http(hg_buffer *out, const watch_transaction *t)
{
    text(out, ",\"http\":{\"method\":");
    hg_json_write_string(t->method.ptr ? t->method : HG_SLICE(""), 0, out);
    string(out, "hostname", t->host);
    string(out, "url", t->url);
    if (t->status != 0)
        hg_buffer_printf(out, ",\"status\":%u", t->status);
    text(out, "}}");
}

static void alert(hg_watch *watch, const watch_transaction *t, hg_net_time time, const hg_value *event)
{
    char uid[HG_NET_UID];
    hg_buffer *out = &watch->line;
    const hg_value *rule = find(event, "rule"), *tags = find(rule, "tags");
    if (watch->options.summary)
        watch_tally_add(&watch->rules, string_at(rule, "id"), 1);
    if (watch->options.alert == NULL)
        return;
    out->len = 0;
    hg_net_uid(watch->net, t->serial, uid);
    timestamp(out, time);
    hg_buffer_printf(out, ",\"event_type\":\"alert\",\"flow_id\":%" PRIu64 ",\"uid\":\"%s\",\"tx_id\":%u", t->serial, uid,
                     t->number);
    address(out, "src_ip", t->orig.addr);
    hg_buffer_printf(out, ",\"src_port\":%u", t->orig.port);
    address(out, "dest_ip", t->resp.addr);
    hg_buffer_printf(out, ",\"dest_port\":%u,\"proto\":\"TCP\"", t->resp.port);
    tunnels(out, t);
    text(out, ",\"alert\":{\"rule_id\":");
    hg_json_write_string(string_at(rule, "id"), 0, out);
    string(out, "name", string_at(rule, "name"));
    string(out, "category", string_at(tags, "category"));
    text(out, ",\"action\":\"observed\"}");
    match(out, event);
    http(out, t);
    if (!out->failed)
        watch->options.alert(watch->options.state, hg_slice_of(out->ptr, out->len));
    out->failed = false;
}

void watch_alerts(hg_watch *watch, const watch_transaction *t, hg_net_time time, const hg_result *result)
{
    const hg_value *events = find(&result->value, "events");
    for (size_t i = 0; events != NULL && hg_is_array(events) && i < hg_value_size(events); i++)
        alert(watch, t, time, &hg_array_items(events)[i]);
}
