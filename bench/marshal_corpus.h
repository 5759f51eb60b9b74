/* What requests look like besides NestedMap (marshalling 8.2, B-5), as sources with UTF-16 texts, and a multipart body. */
#ifndef BENCH_MARSHAL_CORPUS_H
#define BENCH_MARSHAL_CORPUS_H

#include "nested_map.h"

#include <stdio.h>

static inline hg_source corpus_list(nested *n, const char *const *texts, size_t count)
{
    hg_source *items = nested_block(n, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = nested_text(n, texts[i]);
    return (hg_source){.kind = HG_SOURCE_ARRAY, .count = count, .as.items = items};
}

/* The first run of the realistic set. */
static inline nested corpus_request(void)
{
    static const char *const values[] = {"value1", "value2", "value3"};
    static const char *const headers[] = {"header1", "header2", "header3"}, *const cookies[] = {"cookie1", "cookie2", "cookie3"};
    nested n = {0};
    hg_source query = nested_map_of(&n, 1), header_map = nested_map_of(&n, 3), cookie_map = nested_map_of(&n, 3);
    nested_add(&n, &query, "key1", corpus_list(&n, values, 3));
    for (size_t i = 0; i < 3; i++) {
        nested_add(&n, &header_map, headers[i], corpus_list(&n, values, 3));
        nested_add(&n, &cookie_map, cookies[i], corpus_list(&n, values, 3));
    }
    hg_source root = nested_map_of(&n, 7);
    nested_add(&n, &root, "server.request.method", nested_text(&n, "GET"));
    nested_add(&n, &root, "server.response.status", nested_text(&n, "200"));
    nested_add(&n, &root, "server.request.uri.raw", nested_text(&n, "/short/url"));
    nested_add(&n, &root, "http.client_ip", nested_text(&n, "10.20.30.40"));
    nested_add(&n, &root, "server.request.query", query);
    nested_add(&n, &root, "server.request.headers.no_cookies", header_map);
    nested_add(&n, &root, "server.request.cookies", cookie_map);
    n.root = root;
    return n;
}

/* 256 pairs, or 256 elements. */
static inline nested corpus_wide(bool map)
{
    enum { WIDE = 256 };
    nested n = {0};
    hg_source *items = nested_block(&n, WIDE * sizeof *items), pairs = nested_map_of(&n, WIDE);
    for (int i = 0; i < WIDE; i++) {
        char text[16];
        snprintf(text, sizeof text, "parameter-%d", i);
        items[i] = nested_text(&n, text);
        if (map)
            nested_add(&n, &pairs, text, nested_text(&n, "a value of it"));
    }
    n.root = map ? pairs : (hg_source){.kind = HG_SOURCE_ARRAY, .count = WIDE, .as.items = items};
    return n;
}

/* A map of one long text. */
static inline nested corpus_long_text(const uint16_t *units, size_t count)
{
    nested n = {0};
    n.root = nested_map_of(&n, 1);
    nested_add(&n, &n.root, "server.request.body", (hg_source){.kind = HG_SOURCE_UTF16, .count = count, .as.units = units});
    return n;
}

#define CORPUS_MULTIPART_TYPE "multipart/form-data; boundary=----x7Ma4YWxkTrZu0gW"
#define CORPUS_PART "------x7Ma4YWxkTrZu0gW\r\nContent-Disposition: form-data; name="

static const char corpus_multipart[] =
    CORPUS_PART "\"title\"\r\n\r\nA holiday by the sea\r\n"
    CORPUS_PART "\"data\"\r\nContent-Type: application/json\r\n\r\n{\"tags\":[\"sea\",\"sun\"],\"public\":true}\r\n"
    CORPUS_PART "\"photo\"; filename=\"sea.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n\xFF\xD8\xFF\xE0 not much of a photo\r\n"
    "------x7Ma4YWxkTrZu0gW--\r\n";

#endif
