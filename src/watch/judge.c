/* Requests and replies become address maps and are judged: the head at once, the body when it is complete, the reply's
 * status and headers when they come. What the rules see is copied into the transaction, which outlives the packet. */
#include "watch/internal.h"

#include <stdlib.h>

static watch_transaction *transaction_take(hg_watch *watch)
{
    watch_transaction *t = watch->spare;
    if (t != NULL) {
        watch->spare = t->next;
        hg_arena arena = t->arena;
        *t = (watch_transaction){0};
        t->arena = arena;
        t->arena.allocator.state = &t->arena;
    } else {
        t = calloc(1, sizeof *t);
        if (t == NULL)
            return NULL;
        hg_arena_init(&t->arena, NULL);
    }
    return t;
}

static void context_drop(hg_watch *watch, watch_transaction *t)
{
    if (t->context == NULL)
        return;
    hg_context_free(t->context);
    t->context = NULL;
    watch->open[t->slot] = NULL;
}

/* Contexts are large, so only so many are held; a transaction whose context had to go is judged on in a fresh one. */
static void context_take(hg_watch *watch, watch_transaction *t)
{
    if (t->context != NULL)
        return;
    uint32_t slot = watch->next_open++ % WATCH_OPEN;
    if (watch->open[slot] != NULL) {
        watch->counters.parted++;
        context_drop(watch, watch->open[slot]);
    }
    t->context = hg_context_new(watch->options.waf);
    if (t->context == NULL)
        return;
    t->slot = slot;
    watch->open[slot] = t;
}

void watch_forget(void *state, void *user)
{
    hg_watch *watch = state;
    watch_transaction *t = user;
    context_drop(watch, t);
    hg_arena_close(&t->arena); /* to the thread's pool */
    t->next = watch->spare;
    watch->spare = t;
}

static hg_slice keep(watch_transaction *t, hg_slice s)
{
    bool ok;
    hg_slice copy = hg_arena_copy(&t->arena, s, &ok);
    return ok ? copy : (hg_slice){NULL, 0};
}

static bool is_name(hg_slice name, const char *lower)
{
    size_t len = strlen(lower);
    if (name.len != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = name.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lower[i])
            return false;
    }
    return true;
}

/* The headers, copied; notes Host and Content-Type on the way. */
static hg_field *keep_headers(watch_transaction *t, const hg_net_header *headers, size_t count, bool request)
{
    hg_field *fields = hg_arena_alloc(&t->arena, (count + 1) * sizeof *fields, _Alignof(hg_field));
    for (size_t i = 0; fields != NULL && i < count; i++) {
        fields[i].name = keep(t, headers[i].name);
        fields[i].value = keep(t, headers[i].value);
        if (request && is_name(fields[i].name, "host"))
            t->host = fields[i].value;
        if (request && is_name(fields[i].name, "content-type"))
            t->content_type = fields[i].value;
    }
    return fields;
}

static void judge(hg_watch *watch, watch_transaction *t, hg_net_time time, const hg_entry *entries, size_t count)
{
    const hg_result *result;
    hg_batch batch = {entries, count};
    if (count == 0)
        return;
    context_take(watch, t);
    if (t->context == NULL) {
        watch->counters.failures++;
        return;
    }
    hg_status status = hg_context_run(t->context, &batch, 1, watch->options.timeout_us, &result);
    if (status != HG_OK) {
        watch->counters.failures++;
        return;
    }
    if (result->timeout)
        watch->counters.timeouts++;
    if (result->events == 0)
        return;
    if (!t->attacked)
        watch->counters.attacked++;
    t->attacked = true;
    watch->counters.alerts += result->events;
    watch_alerts(watch, t, time, result);
}

/* The pairs of an address map whose name starts with `prefix`, as entries. */
static size_t entries_of(const hg_value *map, const char *prefix, hg_entry *entries)
{
    size_t count = 0, len = strlen(prefix);
    for (size_t i = 0; hg_is_map(map) && i < hg_value_size(map) && count < WATCH_ENTRIES; i++) {
        const hg_pair *pair = &hg_map_pairs(map)[i];
        hg_slice name = hg_value_string(&pair->key);
        if (name.len >= len && memcmp(name.ptr, prefix, len) == 0)
            entries[count++] = (hg_entry){name, &pair->val, false};
    }
    return count;
}

static hg_value *addresses(watch_transaction *t, const hg_request *request)
{
    hg_value *map = hg_arena_alloc(&t->arena, sizeof *map, _Alignof(hg_value));
    if (map == NULL || hg_request_addresses(request, &t->arena, map) != HG_OK)
        return NULL;
    return map;
}

static hg_slice address_text(watch_transaction *t, const uint8_t addr[16])
{
    char text[48];
    return keep(t, hg_slice_of(text, hg_net_addr_text(addr, text)));
}

static void head(hg_watch *watch, watch_transaction *t, const hg_net_request *r)
{
    hg_entry entries[WATCH_ENTRIES];
    t->orig = r->orig;
    t->resp = r->resp;
    t->serial = r->serial;
    t->number = r->number;
    t->method = keep(t, r->method);
    t->url = keep(t, r->raw_uri);
    t->tunnel_count = r->tunnel_count < HG_NET_TUNNELS ? r->tunnel_count : HG_NET_TUNNELS;
    for (size_t i = 0; i < t->tunnel_count; i++) {
        t->tunnels[i] = r->tunnels[i];
        hg_slice options = hg_slice_of((const char *)r->tunnels[i].options, r->tunnels[i].options_len);
        options = options.len > 0 ? keep(t, options) : (hg_slice){NULL, 0};
        t->tunnels[i].options = (const uint8_t *)options.ptr;
        t->tunnels[i].options_len = options.ptr ? options.len : 0;
    }
    hg_request request = {.method = t->method, .uri = t->url, .client_ip = address_text(t, r->orig.addr),
                          .headers = keep_headers(t, r->headers, r->header_count, true),
                          .header_count = r->header_count};
    if (request.headers == NULL)
        return;
    const hg_value *map = addresses(t, &request);
    watch->counters.judged++;
    if (map != NULL)
        judge(watch, t, r->time, entries, entries_of(map, "", entries));
}

static void body(hg_watch *watch, watch_transaction *t, const hg_net_request *r)
{
    hg_entry entries[WATCH_ENTRIES];
    hg_field type = {HG_SLICE("content-type"), t->content_type};
    hg_request request = {.headers = &type, .header_count = t->content_type.ptr != NULL, .body = keep(t, r->body),
                          .body_cut = r->body_cut};
    const hg_value *map = addresses(t, &request);
    if (map != NULL)
        judge(watch, t, r->time, entries, entries_of(map, "server.request.body", entries));
}

/* Nothing more will be judged: what the rules looked at goes now, not when the row is written. */
static void settle(hg_watch *watch, watch_transaction *t)
{
    if (!t->complete || !t->replied)
        return;
    context_drop(watch, t);
    hg_arena_close(&t->arena); /* to the thread's pool */
    t->over = true;
}

void watch_request(void *state, const hg_net_request *request)
{
    hg_watch *watch = state;
    if (*request->user == NULL) {
        if (request->complete && request->body.len == 0)
            return; /* its head was refused or never came */
        watch_transaction *fresh = transaction_take(watch);
        if (fresh == NULL)
            return;
        *request->user = fresh;
        head(watch, fresh, request);
    }
    watch_transaction *t = *request->user;
    if (t->over)
        return;
    if (request->complete && request->body.len > 0)
        body(watch, t, request);
    t->complete = request->complete;
    settle(watch, t);
}

void watch_reply(void *state, const hg_net_reply *reply)
{
    hg_watch *watch = state;
    watch_transaction *t = *reply->user;
    hg_entry entries[WATCH_ENTRIES];
    if (t == NULL || t->over)
        return; /* a reply to nothing we saw, or a second one */
    t->status = reply->status;
    hg_request request = {.status = reply->status};
    const hg_value *map = addresses(t, &request);
    size_t count = map != NULL ? entries_of(map, "server.response.", entries) : 0;
    hg_request fields = {.headers = keep_headers(t, reply->headers, reply->header_count, false),
                         .header_count = reply->header_count};
    map = fields.headers != NULL ? addresses(t, &fields) : NULL;
    if (map != NULL && count < WATCH_ENTRIES &&
        entries_of(map, "server.request.headers.no_cookies", &entries[count]) > 0)
        entries[count++].address = HG_SLICE("server.response.headers.no_cookies");
    judge(watch, t, reply->time, entries, count);
    t->replied = reply->status >= 200;
    settle(watch, t);
}
