#include "waf/plan/needs.h"

enum { COMMON = 200 }; /* cost of bytes that are of no use */

/* How often a byte is met in ordinary text; the rarer the better. Spaces and slashes may be written by transforms. */
static unsigned cost_of(unsigned char byte)
{
    static const char rare_letters[] = "zqxjkvbwpygfmucdhlrsniotae";
    if (byte >= 0x80 || byte <= ' ' || byte == '/' || byte == '\\')
        return byte == '/' ? 60 : COMMON;
    if (byte >= '0' && byte <= '9')
        return 90;
    const char *letter = strchr(rare_letters, byte | 0x20);
    if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' && letter != NULL)
        return 100 + (unsigned)(letter - rare_letters);
    return strchr(".,-:;=_()\"'", byte) != NULL ? 50 : 10;
}

bool hg_chain_shrinks(const hg_transform_chain *chain)
{
    static const char *const shrinking[] = {"lowercase", "remove_nulls", "compress_whitespace", "shell_unescape",
                                            "remove_comments", "url_basename", "url_path", "url_querystring"};
    for (int i = 0; i < chain->count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof shrinking / sizeof *shrinking; k++)
            known |= strcmp(hg_transforms[chain->ids[i]].name, shrinking[k]) == 0;
        if (!known)
            return false;
    }
    return true;
}

/* ---- Classes, kept cheapest first ---- */

typedef struct byte_class {
    uint8_t count; /* HG_NEED_BYTES + 1: too many */
    char bytes[HG_NEED_BYTES];
    unsigned cost;
} byte_class;

static void class_add(byte_class *c, unsigned char byte)
{
    for (uint8_t i = 0; i < c->count && i < HG_NEED_BYTES; i++)
        if (c->bytes[i] == (char)byte)
            return;
    if (c->count < HG_NEED_BYTES)
        c->bytes[c->count] = (char)byte;
    c->count += c->count <= HG_NEED_BYTES;
    unsigned cost = cost_of(byte);
    c->cost = cost > c->cost ? cost : c->cost;
}

/* Letters in both cases: a chain may fold them, a pattern may not care. K and S have relatives beyond ASCII. */
static void class_add_folded(byte_class *c, unsigned char byte)
{
    unsigned char lower = byte | 0x20;
    class_add(c, byte);
    if (lower >= 'a' && lower <= 'z')
        class_add(c, byte ^ 0x20);
    if (lower == 'k' || lower == 's')
        c->cost = COMMON;
}

static void need_add(hg_need *need, unsigned costs[HG_NEED_CLASSES], const byte_class *c)
{
    if (c->count == 0 || c->count > HG_NEED_BYTES || c->cost >= COMMON)
        return;
    uint8_t at = need->count;
    for (uint8_t i = 0; i < need->count; i++)
        if (need->classes[i].count == c->count && memcmp(need->classes[i].bytes, c->bytes, c->count) == 0)
            return;
    if (at == HG_NEED_CLASSES) {
        for (uint8_t i = at = 0; i < HG_NEED_CLASSES; i++)
            at = costs[i] > costs[at] ? i : at;
        if (costs[at] <= c->cost)
            return;
    } else {
        need->count++;
    }
    need->classes[at].count = c->count;
    memcpy(need->classes[at].bytes, c->bytes, sizeof c->bytes);
    costs[at] = c->cost;
}

/* ---- Patterns: single characters and plain classes of the outermost concatenation ---- */

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7F && cost_of((unsigned char)c) < 100 && !(c >= '0' && c <= '9');
}

/* Past the class that begins at `at`. */
static size_t skip_class(hg_slice p, size_t at)
{
    at++;
    if (at < p.len && p.ptr[at] == '^')
        at++;
    if (at < p.len && p.ptr[at] == ']')
        at++; /* a member when it comes first */
    for (; at < p.len && p.ptr[at] != ']'; at++) {
        if (p.ptr[at] == '\\') {
            at++;
        } else if (p.ptr[at] == '[' && at + 1 < p.len && p.ptr[at + 1] == ':') {
            const char *end = memmem(p.ptr + at + 2, p.len - at - 2, ":]", 2);
            at = end != NULL ? (size_t)(end - p.ptr) + 1 : at;
        }
    }
    return at < p.len ? at + 1 : p.len;
}

/* Past the group that begins at `at`. */
static size_t skip_group(hg_slice p, size_t at)
{
    int depth = 0;
    while (at < p.len) {
        char c = p.ptr[at];
        if (c == '[') {
            at = skip_class(p, at);
            continue;
        }
        at += c == '\\' ? 2 : 1;
        depth += (c == '(') - (c == ')');
        if (depth == 0)
            return at;
    }
    return p.len;
}

/* A class of plain characters; one that holds anything else stays without bytes. */
static size_t read_class(hg_slice p, size_t at, byte_class *out)
{
    size_t end = skip_class(p, at);
    for (size_t i = at + 1; i + 1 < end; i++) {
        char c = p.ptr[i];
        if (c == '\\' && i + 2 < end && is_punctuation(p.ptr[i + 1])) {
            c = p.ptr[++i];
        } else if (strchr("\\^[-", c) != NULL || (unsigned char)c >= 0x80) {
            *out = (byte_class){0};
            return end;
        }
        class_add_folded(out, (unsigned char)c);
    }
    return end;
}

/* One item; without bytes if nothing is known of it. Beyond the pattern: what follows cannot be told. */
static size_t read_item(hg_slice p, size_t at, byte_class *out)
{
    char c = p.ptr[at];
    if (c == '(')
        return skip_group(p, at);
    if (c == '[')
        return read_class(p, at, out);
    if (c == '\\' && at + 1 < p.len) {
        if (is_punctuation(p.ptr[at + 1]))
            class_add(out, (unsigned char)p.ptr[at + 1]);
        else if (strchr("bBAzwWsSdD", p.ptr[at + 1]) == NULL)
            return p.len + 1; /* \Q, \x, \p and the like */
        return at + 2;
    }
    if (strchr(".^$", c) == NULL && (unsigned char)c < 0x80)
        class_add_folded(out, (unsigned char)c);
    return at + 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Past the {n,m} at `at`, whose least count goes to *least. Beyond the pattern if it is none, but literal text. */
static size_t read_count(hg_slice p, size_t at, unsigned *least)
{
    size_t begin = ++at;
    for (*least = 0; at < p.len && is_digit(p.ptr[at]); at++)
        *least = *least * 10 + (unsigned)(p.ptr[at] - '0');
    if (at == begin || at - begin > 4)
        return p.len + 1;
    if (at < p.len && p.ptr[at] == ',')
        for (at++; at < p.len && is_digit(p.ptr[at]);)
            at++;
    return at < p.len && p.ptr[at] == '}' ? at + 1 : p.len + 1;
}

/* Past what repeats an item; *required tells whether the item must be there. */
static size_t read_repeat(hg_slice p, size_t at, bool *required)
{
    unsigned least = 1;
    *required = true;
    if (at == p.len || strchr("*+?{", p.ptr[at]) == NULL)
        return at;
    if (p.ptr[at] == '{')
        at = read_count(p, at, &least);
    else
        least = p.ptr[at++] == '+';
    *required = least > 0;
    return at < p.len && p.ptr[at] == '?' ? at + 1 : at; /* lazy */
}

static hg_need need_of_regex(hg_slice p)
{
    hg_need need = {0}, none = {0};
    unsigned costs[HG_NEED_CLASSES];
    for (size_t at = 0; at < p.len;) {
        byte_class c = {0};
        bool required;
        if (strchr("|)*+?", p.ptr[at]) != NULL)
            return none;
        at = read_item(p, at, &c);
        if (at <= p.len)
            at = read_repeat(p, at, &required);
        if (at > p.len)
            return none;
        if (required)
            need_add(&need, costs, &c);
    }
    return need;
}

/* ---- Phrases: few bytes of which each phrase has one ---- */

static bool holds_any(hg_slice phrase, const byte_class *c)
{
    for (uint8_t i = 0; i < c->count; i++)
        if (memchr(phrase.ptr, c->bytes[i], phrase.len) != NULL)
            return true;
    return false;
}

/* The punctuation that most of the phrases not yet served have; 0 if there is none. */
static char best_byte(const hg_phrase_params *params, const byte_class *served)
{
    size_t counts[128] = {0}, best = 0;
    for (size_t i = 0; i < params->count; i++) {
        hg_slice phrase = params->phrases[i];
        bool seen[128] = {false};
        if (phrase.len == 0 || holds_any(phrase, served))
            continue;
        for (size_t k = 0; k < phrase.len; k++) {
            unsigned char byte = (unsigned char)phrase.ptr[k];
            if (byte < 128 && cost_of(byte) <= 60 && !seen[byte]) {
                seen[byte] = true;
                counts[byte]++;
            }
        }
    }
    for (size_t i = 0; i < 128; i++)
        best = counts[i] > counts[best] ? i : best;
    return counts[best] > 0 ? (char)best : 0;
}

static hg_need need_of_phrases(const hg_phrase_params *params)
{
    hg_need need = {0};
    byte_class c = {0};
    unsigned costs[HG_NEED_CLASSES];
    for (;;) {
        bool all = true;
        for (size_t i = 0; i < params->count && all; i++)
            all = params->phrases[i].len == 0 || holds_any(params->phrases[i], &c);
        if (all)
            break;
        char byte = c.count < HG_NEED_BYTES ? best_byte(params, &c) : 0;
        if (byte == 0)
            return need;
        class_add(&c, (unsigned char)byte);
    }
    need_add(&need, costs, &c);
    return need;
}

hg_need hg_need_of(const hg_matcher *matcher)
{
    if (matcher->op == &hg_operator_phrase_match)
        return need_of_phrases(matcher->params);
    if (matcher->op != &hg_operator_match_regex && matcher->op != &hg_operator_match_regex_with_checksum)
        return (hg_need){0};
    const hg_regex_params *params = matcher->params;
    return need_of_regex(hg_regex_pattern(params->regex));
}

/* ---- Needs of a lane ---- */

static uint8_t class_number(hg_need_index *index, const char *bytes, uint8_t count)
{
    for (uint8_t n = 0; n < index->class_count; n++) {
        bool same = true;
        for (uint8_t i = 0; i < index->byte_count; i++) {
            bool wanted = memchr(bytes, index->bytes[i], count) != NULL;
            same &= wanted == ((index->of_byte[(unsigned char)index->bytes[i]] >> n & 1) != 0);
        }
        for (uint8_t i = 0; i < count; i++)
            same &= (index->of_byte[(unsigned char)bytes[i]] >> n & 1) != 0;
        if (same)
            return n;
    }
    if (index->class_count == 8)
        return 8;
    for (uint8_t i = 0; i < count; i++) {
        if (index->of_byte[(unsigned char)bytes[i]] == 0)
            index->bytes[index->byte_count++] = bytes[i];
        index->of_byte[(unsigned char)bytes[i]] |= (uint8_t)(1u << index->class_count);
    }
    return index->class_count++;
}

uint8_t hg_need_index_add(hg_need_index *index, const hg_need *need)
{
    uint8_t mask = 0;
    for (uint8_t i = 0; i < need->count; i++) {
        uint8_t number = class_number(index, need->classes[i].bytes, need->classes[i].count);
        if (number < 8)
            mask |= (uint8_t)(1u << number);
    }
    return mask;
}
