/* The requests that bench/waf judges, as JSON address maps. Each call makes the next one of an endless series that
 * depends on case_seed only: headers and names are those of one client and one service, values are new. */
#ifndef BENCH_WAF_CASES_H
#define BENCH_WAF_CASES_H

#include "hotgate/value.h"

#include <stdio.h>

typedef struct waf_case {
    const char *name;
    void (*write)(hg_buffer *out);
} waf_case;

static uint64_t case_seed;

static inline unsigned case_random(unsigned n)
{
    case_seed = case_seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((case_seed >> 33) % n);
}

static const char *const english[] = {"the",   "of",     "and",     "request", "time",   "people",  "water", "number",
                                      "sound", "first",  "between", "country", "plant",  "light",   "story", "children",
                                      "often", "letter", "mother",  "example", "family", "mountain", "never", "started"};

static inline const char *case_english(void)
{
    return english[case_random(sizeof english / sizeof *english)];
}

static inline void case_words(hg_buffer *out, size_t length)
{
    size_t end = out->len + length;
    bool start = true;
    while (out->len < end) {
        const char *word = case_english();
        hg_buffer_byte(out, start ? (char)(word[0] - 32) : word[0]);
        hg_buffer_append(out, hg_slice_from(word + 1));
        start = case_random(12) == 0;
        hg_buffer_append(out, start ? HG_SLICE(". ") : case_random(15) == 0 ? HG_SLICE(", ") : HG_SLICE(" "));
    }
    out->len = end;
}

static inline void case_headers(hg_buffer *out, const char *agent)
{
    hg_buffer_printf(out,
        "\"server.request.headers.no_cookies\":{\"host\":\"shop.example.com\",\"user-agent\":\"%s\","
        "\"accept\":\"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8\","
        "\"accept-language\":\"en-US,en;q=0.5\",\"accept-encoding\":\"gzip, deflate, br\","
        "\"connection\":\"keep-alive\",\"referer\":\"https://shop.example.com/catalogue/shoes\","
        "\"cache-control\":\"max-age=0\",\"upgrade-insecure-requests\":\"1\",\"sec-fetch-mode\":\"navigate\","
        "\"x-forwarded-for\":\"203.0.113.7\",\"x-request-id\":\"6c7d3b9e%08x\"},", agent, case_random(1u << 31));
}

static const char browser[] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
                              "Safari/537.36";

static inline void case_rest(hg_buffer *out, const char *method, const char *uri)
{
    unsigned session = case_random(1u << 31), items = case_random(100);
    hg_buffer_printf(out,
        "\"server.request.method\":\"%s\",\"server.request.uri.raw\":\"%s\",\"http.client_ip\":\"203.0.113.7\","
        "\"server.request.cookies\":{\"session\":\"f3%08x\",\"theme\":\"dark\",\"cart\":\"%u-items\"}", method, uri,
        session, items);
}

static void write_get(hg_buffer *out)
{
    const char *colour = case_english(), *wanted = case_english(), *more = case_english();
    unsigned page = case_random(1000), price = case_random(100000);
    char uri[256];
    snprintf(uri, sizeof uri, "/products/list?category=shoes&page=%u&sort=price&color=dark+%s&q=%s+%s+%u", page, colour,
             wanted, more, price);
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "GET", uri);
    hg_buffer_printf(out,
        ",\"server.request.query\":{\"category\":\"shoes\",\"page\":\"%u\",\"sort\":\"price\","
        "\"color\":\"dark %s\",\"q\":\"%s %s %u\"}}", page, colour, wanted, more, price);
}

static void write_attack(hg_buffer *out)
{
    unsigned id = case_random(100000), page = case_random(1000);
    const char *table = case_english();
    char uri[256];
    snprintf(uri, sizeof uri, "/products/list?id=%u%%27+UNION+SELECT+user,password+FROM+%s--&f=../../etc/passwd", id, table);
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "GET", uri);
    hg_buffer_printf(out,
        ",\"server.request.query\":{\"id\":\"%u' UNION SELECT user,password FROM %s--\","
        "\"f\":\"../../../../etc/passwd\",\"page\":\"%u\",\"sort\":\"price\","
        "\"q\":\"<script>alert(%u)</script>\"}}", id, table, page, case_random(100000));
}

static void write_node(hg_buffer *out, size_t end, unsigned depth)
{
    hg_buffer_byte(out, '{');
    for (unsigned i = 0; i < 6 && out->len < end; i++) {
        hg_buffer_printf(out, "%s\"%s_%u\":", i ? "," : "", case_english(), case_random(100));
        unsigned kind = case_random(8);
        if (kind < 2 && depth < 4) {
            write_node(out, end, depth + 1);
        } else if (kind == 2) {
            hg_buffer_printf(out, "%u", case_random(100000));
        } else if (kind == 3) {
            hg_buffer_append(out, case_random(2) ? HG_SLICE("true") : HG_SLICE("null"));
        } else {
            hg_buffer_byte(out, '"');
            case_words(out, 8 + case_random(32));
            hg_buffer_byte(out, '"');
        }
    }
    hg_buffer_byte(out, '}');
}

static void write_json(hg_buffer *out)
{
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "POST", "/api/orders");
    hg_buffer_append(out, HG_SLICE(",\"server.request.body\":{\"order\":["));
    size_t end = out->len + 3700;
    for (unsigned i = 0; out->len < end; i++) {
        hg_buffer_append(out, i ? HG_SLICE(",") : HG_SLICE(""));
        write_node(out, end, 0);
    }
    hg_buffer_append(out, HG_SLICE("]}}"));
}

static void write_text(hg_buffer *out)
{
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "POST", "/api/articles");
    hg_buffer_append(out, HG_SLICE(",\"server.request.body\":{\"text\":\""));
    case_words(out, 65536);
    hg_buffer_append(out, HG_SLICE("\"}}"));
}

static void write_noise(hg_buffer *out, const char *alphabet, size_t letters)
{
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "POST", "/api/noise");
    hg_buffer_append(out, HG_SLICE(",\"server.request.body\":["));
    for (unsigned i = 0; i < 256; i++) {
        hg_buffer_append(out, i ? HG_SLICE(",\"") : HG_SLICE("\""));
        for (unsigned k = 0; k < 256; k++) {
            char c = alphabet != NULL ? alphabet[case_random((unsigned)letters)] : (char)(32 + case_random(95));
            if (c == '"' || c == '\\')
                hg_buffer_byte(out, '\\');
            hg_buffer_byte(out, c);
        }
        hg_buffer_byte(out, '"');
    }
    hg_buffer_append(out, HG_SLICE("]}"));
}

static void write_printable(hg_buffer *out)
{
    write_noise(out, NULL, 0);
}

static void write_special(hg_buffer *out)
{
    static const char special[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    write_noise(out, special, sizeof special - 1);
}

static void write_repeats(hg_buffer *out)
{
    hg_buffer_byte(out, '{');
    case_headers(out, browser);
    case_rest(out, "POST", "/api/repeats");
    unsigned story = case_random(100000);
    hg_buffer_append(out, HG_SLICE(",\"server.request.body\":["));
    for (unsigned i = 0; i < 7000; i++)
        hg_buffer_printf(out, "%s\"The same story %u, part %u\"", i ? "," : "", story, case_random(10));
    hg_buffer_append(out, HG_SLICE("]}"));
}

static const waf_case waf_cases[] = {
    {"get", write_get},         {"json", write_json},           {"text64k", write_text},
    {"attack", write_attack},   {"printable", write_printable}, {"special", write_special},
    {"repeats", write_repeats},
};

enum { WAF_CASES = sizeof waf_cases / sizeof *waf_cases };

#endif
