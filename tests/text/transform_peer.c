/* transform_peer [--seconds N] [--seed N] [--codepoints]: rewrites seeded strings by every transformer and by random
 * chains, and has the official library do the same; prints every difference. With --codepoints, every codepoint goes
 * through unicode_normalize first. Exit status: 0 all equal, 1 differences, 77 the library is not installed. */
#include "peers/ddwaf1.h"
#include "text/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHAINS = 60, LONGEST = 200, SHOWN = 20 };

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

static hg_transform_chain chains[CHAINS];
static char rules[CHAINS * 512];
static size_t differences;
static size_t comparisons;

/* The first chains are the transformers alone. */
static void make_rules(void)
{
    size_t len = (size_t)sprintf(rules, "{\"version\":\"2.1\",\"rules\":[");
    for (size_t i = 0; i < CHAINS; i++) {
        bool alone = i < hg_transform_count;
        size_t members = alone ? 1 : 2 + random_below(4);
        len += (size_t)sprintf(rules + len,
                               "%s{\"id\":\"%zu\",\"name\":\"n\",\"tags\":{\"type\":\"%zu\"},\"conditions\":[{"
                               "\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"\\\\C\",\"inputs\":[{"
                               "\"address\":\"a\"}]}}],\"transformers\":[",
                               i ? "," : "", i, i);
        for (size_t k = 0; k < members; k++) {
            int id = alone ? (int)i : (int)random_below((uint32_t)hg_transform_count);
            hg_transform_chain_add(&chains[i], id);
            len += (size_t)sprintf(rules + len, "%s\"%s\"", k ? "," : "", hg_transforms[id].name);
        }
        len += (size_t)sprintf(rules + len, "]}");
    }
    sprintf(rules + len, "]}");
}

static void print_text(const char *label, hg_slice s)
{
    printf("  %s", label);
    for (size_t i = 0; i < s.len; i++)
        printf(s.ptr[i] > ' ' && s.ptr[i] < 127 ? "%c" : "\\x%02x", (uint8_t)s.ptr[i]);
    printf("\n");
}

static void compare(size_t chain, hg_slice text, hg_slice theirs)
{
    static hg_arena arena;
    if (arena.allocator.acquire == NULL)
        hg_arena_init(&arena, NULL);
    hg_arena_reset(&arena);
    hg_slice ours;
    bool changed;
    if (hg_transform_apply(&chains[chain], text, hg_text_survey(text), &arena, &ours, &changed) != HG_OK)
        abort();
    comparisons++;
    if (hg_slice_equal(ours, theirs) || differences++ >= SHOWN)
        return;
    printf("DIFFERENT");
    for (int i = 0; i < chains[chain].count; i++)
        printf(" %s", hg_transforms[chains[chain].ids[i]].name);
    printf("\n");
    print_text("text:   ", text);
    print_text("ours:   ", ours);
    print_text("theirs: ", theirs);
}

/* Where the event of a rule shows the value that matched. */
static hg_slice event_value(const ddwaf1_object *event)
{
    const ddwaf1_object *matches = ddwaf1_find(event, "rule_matches");
    const ddwaf1_object *parameters = ddwaf1_find(&matches->items[0], "parameters");
    const ddwaf1_object *value = ddwaf1_find(&parameters->items[0], "value");
    return hg_slice_of(value->string, value->size);
}

static void judge(const ddwaf1 *lib, ddwaf1_handle *handle, hg_slice text)
{
    ddwaf1_object entry = {.name = "a", .name_len = 1, .string = text.ptr, .size = text.len, .type = DDWAF1_STRING};
    ddwaf1_object map = {.items = &entry, .size = 1, .type = DDWAF1_MAP};
    ddwaf1_object result = {0};
    ddwaf1_context *context = lib->context_init(handle);
    lib->run(context, &map, NULL, &result, 10000000);
    hg_slice theirs[CHAINS] = {{NULL, 0}};
    const ddwaf1_object *events = ddwaf1_find(&result, "events");
    for (uint64_t i = 0; i < events->size; i++) {
        const ddwaf1_object *id = ddwaf1_find(ddwaf1_find(&events->items[i], "rule"), "id");
        char number[8] = {0};
        memcpy(number, id->string, id->size);
        theirs[atoi(number)] = event_value(&events->items[i]);
    }
    for (size_t i = 0; i < CHAINS; i++)
        compare(i, text, theirs[i]); /* no event: what came out was empty */
    lib->object_free(&result);
    lib->context_destroy(context);
}

static size_t random_text(char *text)
{
    static const char *const pieces[] = {"%41",
                                         "%2541",
                                         "%u0041",
                                         "%u00e9",
                                         "%",
                                         "+",
                                         "&lt;",
                                         "&#65;",
                                         "&#x41",
                                         "&#0",
                                         "&amp;",
                                         "&nbsp;",
                                         "\\x41",
                                         "\\u0041",
                                         "\\ud83d\\ude00",
                                         "\\41 ",
                                         "\\0 ",
                                         "\\n",
                                         "\\",
                                         "\"",
                                         "'",
                                         "^",
                                         ",",
                                         ";",
                                         " ",
                                         "  ",
                                         "\t",
                                         "\v",
                                         "/",
                                         "/../",
                                         "/./",
                                         "..",
                                         ".",
                                         "//",
                                         "/*",
                                         "*/",
                                         "<!--",
                                         "-->",
                                         "--",
                                         "#",
                                         "?",
                                         "=",
                                         "YWJj",
                                         "YQ==",
                                         "_-8=",
                                         "A",
                                         "zZ",
                                         "é",
                                         "Å",
                                         "ﬁ",
                                         "\xCC\x81",
                                         "한",
                                         "日本",
                                         "\xED\xA0\x80",
                                         "\xF4\x90\x80\x80",
                                         "\xC1\x81",
                                         "\xFF",
                                         "\xF3\xA0\x81\x81",
                                         "&",
                                         "&#",
                                         "x",
                                         "u",
                                         "0",
                                         "41",
                                         "lt;",
                                         "\n",
                                         "(",
                                         "\\u",
                                         "\\x",
                                         "%u",
                                         "%2",
                                         "‹",
                                         "ß"};
    size_t len = 0;
    for (uint32_t n = 1 + random_below(random_below(4) ? 6 : 16); n > 0; n--) {
        if (random_below(8) == 0) {
            text[len++] = (char)random_below(256);
            continue;
        }
        const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return len;
}

static size_t encode(char *to, uint32_t cp)
{
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t len = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = len; i-- > 1; cp >>= 6)
        to[i] = (char)(0x80 | (cp & 0x3F));
    to[0] = (char)(leads[len] | cp);
    return len;
}

/* Several codepoints a string; an e with accent makes the rewriting happen in any case. */
static void all_codepoints(const ddwaf1 *lib, ddwaf1_handle *handle)
{
    for (uint32_t cp = 1; cp < 0x110100; cp += 32) {
        char text[256];
        size_t len = 0;
        for (uint32_t i = 0; i < 32; i++) {
            len += encode(text + len, cp + i);
            text[len++] = ',';
        }
        len += encode(text + len, 0xE9);
        judge(lib, handle, hg_slice_of(text, len));
    }
}

int main(int argc, char **argv)
{
    long seconds = 5;
    bool codepoints = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--codepoints") == 0)
            codepoints = true;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            seconds = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            random_state = strtoull(argv[++i], NULL, 10);
    }
    const ddwaf1 *lib = ddwaf1_open();
    if (lib == NULL) {
        printf("skipped: the official library is not installed\n");
        return 77;
    }
    make_rules();
    const ddwaf1_config config = {UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL, NULL, NULL};
    ddwaf1_handle *handle = ddwaf1_load(lib, rules, strlen(rules), &config);
    if (handle == NULL)
        return 1;
    if (codepoints)
        all_codepoints(lib, handle);
    for (time_t end = time(NULL) + seconds; time(NULL) < end;) {
        for (int i = 0; i < 100; i++) {
            char text[LONGEST];
            judge(lib, handle, hg_slice_of(text, random_text(text)));
        }
    }
    lib->destroy(handle);
    printf("%zu comparisons, %zu different\n", comparisons, differences);
    return differences > 0;
}
