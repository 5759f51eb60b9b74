/* What the regex benchmark scans. Everything generated comes from one seed. */
#ifndef BENCH_REGEX_TEXTS_H
#define BENCH_REGEX_TEXTS_H

#include "hotgate/base.h"

#include <stdio.h>

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % n);
}

/* A GET of a shop: each string with the set that scans it. */
static const struct {
    const char *set, *text;
} get_request[] = {
    {"server.request.uri.raw", "/shop/products/4821?q=red+shoes&page=2&sort=price_asc&lang=en"},
    {"server.request.query", "red shoes"},
    {"server.request.query", "2"},
    {"server.request.query", "price_asc"},
    {"server.request.query", "en"},
    {"server.request.query keys", "q"},
    {"server.request.query keys", "page"},
    {"server.request.query keys", "sort"},
    {"server.request.query keys", "lang"},
    {"server.request.path_params", "products"},
    {"server.request.path_params", "4821"},
    {"server.request.headers.no_cookies", "shop.example.com"},
    {"server.request.headers.no_cookies", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0 Safari/537.36"},
    {"server.request.headers.no_cookies", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"},
    {"server.request.headers.no_cookies", "en-GB,en;q=0.7,nl;q=0.3"},
    {"server.request.headers.no_cookies", "gzip, deflate, br"},
    {"server.request.headers.no_cookies", "https://shop.example.com/shop/products"},
    {"server.request.headers.no_cookies", "keep-alive"},
    {"server.request.headers.no_cookies", "1"},
    {"server.request.headers.no_cookies", "max-age=0"},
    {"server.request.headers.no_cookies:user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0 Safari/537.36"},
    {"server.request.headers.no_cookies:referer", "https://shop.example.com/shop/products"},
    {"server.request.cookies", "8f14e45fceea167a5a36dedd4bea2543"},
    {"server.request.cookies", "dark"},
    {"server.request.cookies", "GA1.2.1033501218.1368477899"},
};

enum { GET_STRINGS = sizeof get_request / sizeof *get_request };

/* 101-byte user agents that differ in system and versions. */
static void make_agent(char out[102])
{
    static const char *const systems[] = {"X11; Linux x86_64", "Windows NT 10.0; Win64", "Macintosh; Intel Mac OS", "X11; CrOS x86_64 14541"};
    int len = snprintf(out, 102, "Mozilla/5.0 (%s) AppleWebKit/537.%u (KHTML, like Gecko) Chrome/%u.0.%u.%u Safari/537.36",
                       systems[random_below(4)], 30 + random_below(9), 90 + random_below(30), random_below(9000), random_below(200));
    for (; len < 101; len++)
        out[len] = (char)('0' + random_below(10));
    out[101] = 0;
}

/* English-like prose: sentences of common words. */
static void make_prose(char *out, size_t len)
{
    static const char *const words[] = {
        "time", "year", "people", "way", "day", "man", "thing", "woman", "life", "child", "world", "school", "state",
        "family", "student", "group", "country", "problem", "hand", "part", "place", "case", "week", "company", "where",
        "system", "program", "question", "work", "government", "number", "night", "point", "home", "water", "room",
        "mother", "area", "money", "story", "fact", "month", "lot", "right", "study", "book", "eye", "job", "word",
        "business", "issue", "side", "kind", "head", "house", "service", "friend", "father", "power", "hour", "game",
        "line", "end", "member", "law", "car", "city", "community", "name", "president", "team", "minute", "idea",
        "kid", "body", "information", "back", "parent", "face", "others", "level", "office", "door", "health", "person",
        "art", "war", "history", "party", "result", "change", "morning", "reason", "research", "girl", "guy", "moment",
        "air", "teacher", "force", "education", "the", "of", "and", "to", "a", "in", "that", "is", "was", "he", "for",
        "it", "with", "as", "his", "on", "be", "at", "by", "had", "not", "are", "but", "from", "they", "which", "she",
        "you", "were", "her", "all", "would", "there", "their", "been", "has", "when", "who", "will", "more", "no"};
    size_t at = 0, in_sentence = 0;
    while (at < len) {
        const char *w = words[random_below(sizeof words / sizeof *words)];
        for (size_t i = 0; w[i] != 0 && at < len; i++)
            out[at++] = (char)(i == 0 && in_sentence == 0 ? w[i] - 32 : w[i]);
        in_sentence++;
        bool stop = in_sentence > 5 && random_below(8) == 0;
        if (stop && at < len)
            out[at++] = '.';
        if (stop)
            in_sentence = 0;
        if (at < len)
            out[at++] = stop && random_below(6) == 0 ? '\n' : ' ';
    }
}

static void make_printable(char *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (char)(' ' + random_below(95));
}

static void make_specials(char *out, size_t len)
{
    static const char specials[] = "<>\"'`()[]{}|&;$#@!%^*-+=/\\?:.,~_ \t\n";
    for (size_t i = 0; i < len; i++)
        out[i] = specials[random_below(sizeof specials - 1)];
}

/* Harmless values of 8 to 60 bytes: words, numbers, names, addresses. */
static size_t make_value(char *out)
{
    size_t len = 8 + random_below(52);
    char prose[64];
    make_prose(prose, sizeof prose);
    switch (random_below(4)) {
    case 0:
        return (size_t)snprintf(out, 64, "%.*s", (int)len, prose);
    case 1:
        return (size_t)snprintf(out, 64, "%u-%08x-%u", random_below(100000), random_below(1u << 30), random_below(99));
    case 2:
        return (size_t)snprintf(out, 64, "/%.*s/%u.html", (int)(len / 2), prose, random_below(1000));
    default:
        return (size_t)snprintf(out, 64, "%.*s@example.com", (int)(len / 3), prose);
    }
}

#endif
