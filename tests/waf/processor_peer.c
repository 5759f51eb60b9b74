/* processor_peer [--seconds N] [--seed N]: has the processors and the official library make schemas, fingerprints,
 * tokens and URIs out of seeded values. */
#include "peer.h"

#include <stdio.h>

#define MAPPING(inputs, output) "\"parameters\":{\"mappings\":[{" inputs ",\"output\":\"" output "\"}]"
#define PROCESSOR(id, generator, mapping)                                                                            \
    "{\"id\":\"" id "\",\"generator\":\"" generator "\"," mapping "},\"evaluate\":false,\"output\":true}"
#define IN(name, address) "\"" name "\":[{\"address\":\"" address "\"}]"

static const char rules[] =
    "{\"version\":\"2.1\",\"processors\":["
    PROCESSOR("schema", "extract_schema", MAPPING(IN("inputs", "value"), "o.schema")
              ",\"scanners\":[{\"tags\":{\"category\":\"pii\"}}]") ","
    PROCESSOR("endpoint", "http_endpoint_fingerprint", MAPPING(IN("method", "method") "," IN("uri_raw", "uri") ","
              IN("query", "query") "," IN("body", "body"), "o.endpoint")) ","
    PROCESSOR("header", "http_header_fingerprint", MAPPING(IN("headers", "headers"), "o.header")) ","
    PROCESSOR("network", "http_network_fingerprint", MAPPING(IN("headers", "headers"), "o.network")) ","
    PROCESSOR("session", "session_fingerprint", MAPPING(IN("cookies", "cookies") "," IN("session_id", "session") ","
              IN("user_id", "user"), "o.session")) ","
    PROCESSOR("jwt", "jwt_decode", MAPPING("\"inputs\":[{\"address\":\"headers\",\"key_path\":[\"authorization\"]}]",
              "o.jwt")) ","
    PROCESSOR("uri", "uri_parse", MAPPING(IN("inputs", "uri"), "o.uri"))
    "],\"scanners\":["
    "{\"id\":\"email\",\"key\":{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"mail\"}},\"value\":{\"operator\":"
    "\"match_regex\",\"parameters\":{\"regex\":\"@\"}},\"tags\":{\"type\":\"email\",\"category\":\"pii\"}},"
    "{\"id\":\"digits\",\"value\":{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"^[0-9]+$\"}},\"tags\":{\"type\":"
    "\"digits\",\"category\":\"pii\"}}],"
    "\"rules\":[{\"id\":\"1\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"conditions\":[{\"operator\":\"match_regex\","
    "\"parameters\":{\"inputs\":[{\"address\":\"never\"}],\"regex\":\"x\"}}]}]}";

#define PIECES(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static hg_slice name_text(hg_arena *arena)
{
    return random_text(arena, PIECES("a", "B", "k,ey", "Key", "mail", "z", "_", "-", "É", "name", "1", ","), 3);
}

/* Unlike any other: the order of equal keys is nowhere specified. */
static hg_slice unique_text(hg_arena *arena)
{
    static unsigned last;
    hg_slice name = name_text(arena);
    char *text = hg_arena_alloc(arena, name.len + 16, 1);
    memcpy(text, name.ptr, name.len);
    return hg_slice_of(text, name.len + (size_t)sprintf(text + name.len, "~%u", last++));
}

static hg_slice value_text(hg_arena *arena)
{
    return random_text(arena, PIECES("v", "V,", "123", "@", "x y", "-", "SESS", "日本"), 3);
}

static void fill(hg_arena *arena, hg_value *v, unsigned depth);

static void fill_container(hg_arena *arena, hg_value *v, unsigned depth)
{
    uint32_t size = random_below(20) == 0 ? 8 + random_below(6) : random_below(40) == 0 ? 250 + random_below(10) : random_below(5);
    bool map = random_below(2);
    *v = map ? new_map(arena) : new_array(arena);
    for (uint32_t i = 0; i < size; i++) {
        char name[16];
        hg_slice key = size < 20 ? name_text(arena) : hg_slice_of(name, (size_t)snprintf(name, sizeof name, "%u", i));
        fill(arena, map ? put(arena, v, key) : hg_array_append(v, hg_arena_allocator(arena)),
             size < 20 ? depth + 1 : 9);
    }
}

static void fill(hg_arena *arena, hg_value *v, unsigned depth)
{
    switch (random_below(depth > 5 ? 6 : depth > 2 ? 8 : 12)) {
    case 0:
        hg_set_null(v);
        break;
    case 1:
        hg_set_bool(v, random_below(2));
        break;
    case 2:
        hg_set_signed(v, -5);
        break;
    case 3:
        hg_set_float(v, 1.5);
        break;
    case 4:
        hg_set_unsigned(v, 5);
        break;
    case 5:
    case 6:
        *v = text_value(arena, value_text(arena));
        break;
    default:
        fill_container(arena, v, depth);
    }
}

/* One container in another, deeper than is shown. */
static void nest(hg_arena *arena, hg_value *v)
{
    for (uint32_t depth = 15 + random_below(6); depth > 0; depth--) {
        bool map = random_below(2);
        *v = map ? new_map(arena) : new_array(arena);
        v = map ? put(arena, v, HG_SLICE("k")) : hg_array_append(v, hg_arena_allocator(arena));
    }
    hg_set_null(v);
}

static void put_flat(hg_arena *arena, hg_value *v, hg_slice (*key)(hg_arena *))
{
    if (random_below(12) == 0) {
        fill(arena, v, 3);
        return;
    }
    *v = new_map(arena);
    for (uint32_t n = random_below(random_below(6) ? 5 : 40); n > 0; n--) {
        hg_value *value = put(arena, v, key(arena));
        *value = text_value(arena, value_text(arena));
        if (random_below(4) == 0)
            fill(arena, value, 3);
    }
}

static hg_slice header_text(hg_arena *arena)
{
    static const char *const names[] = {
        "Referer", "connection", "Accept-Encoding", "content_encoding", "cache-control", "TE", "accept-charset",
        "content-type", "Accept", "accept-language", "User-Agent", "x-forwarded-for", "X_REAL_IP", "true-client-ip",
        "x-client-ip", "x-forwarded", "forwarded-for", "x-cluster-client-ip", "fastly-client-ip", "cf-connecting-ip",
        "cf-connecting-ipv6", "x-datadog-trace", "X-DataDog", "x-other", "Host", "b", "B_c", ""};
    (void)arena;
    return hg_slice_from(names[random_below(sizeof names / sizeof *names)]);
}

static hg_slice uri_text(hg_arena *arena)
{
    return random_text(arena,
                       PIECES("http://", "h.com", "/", "/Path", "?", "#", "a=1", "&", "a[]=2", "a", "=", "[]", "b=c=d", "@",
                              ":80", "u:p@", "[::1]", "//", "%41", "x", "[", "&&", "[]=q"),
                       9);
}

static hg_slice token_text(hg_arena *arena)
{
    return random_text(arena,
                       PIECES("Bearer", "Bearer ", " ", ".", ".", "eyJhbGciOiJIUzI1NiJ9", "eyJhIjpbMSwyXX0=", "e30", "AA", "W10",
                              "MQ", "_-8", "abc", "bearer ", "\t"),
                       8);
}

static void judge_request(peer *p, hg_arena *arena)
{
    hg_value data = new_map(arena);
    if (random_below(8))
        put_text(arena, &data, "method", random_text(arena, PIECES("GET", "PoSt", "x"), 1));
    if (random_below(8))
        put_text(arena, &data, "uri", uri_text(arena));
    if (random_below(3))
        put_flat(arena, put(arena, &data, HG_SLICE("query")), name_text);
    if (random_below(3))
        put_flat(arena, put(arena, &data, HG_SLICE("body")), name_text);
    if (random_below(3))
        put_flat(arena, put(arena, &data, HG_SLICE("cookies")), unique_text);
    if (random_below(3))
        put_text(arena, &data, "session", value_text(arena));
    if (random_below(3))
        put_text(arena, &data, "user", value_text(arena));
    hg_value *headers = put(arena, &data, HG_SLICE("headers"));
    put_flat(arena, headers, header_text);
    if (hg_is_map(headers) && random_below(2))
        put_text(arena, headers, "authorization", token_text(arena));
    peer_agrees(p, &data);
}

static void judge_value(peer *p, hg_arena *arena)
{
    hg_value data = new_map(arena);
    hg_value *value = put(arena, &data, HG_SLICE("value"));
    if (random_below(10) == 0)
        nest(arena, value);
    else
        fill(arena, value, 0);
    peer_agrees(p, &data);
}

static void one(peer *p, hg_arena *arena)
{
    judge_request(p, arena);
    judge_value(p, arena);
}

int main(int argc, char **argv)
{
    return peer_main(argc, argv, rules, one);
}
