/* The patterns of a real ruleset against RE2, all of them on every text: recorded attacks, harmless strings and their
 * mutations. Needs $HOTGATE_CASES and RE2; SEED and SECONDS (default 10) steer it. */
#include "regex/differential.h"

#include <time.h>

enum { MAX_PATTERNS = 512, MAX_TEXTS = 8192, MAX_TEXT = 4096 };

static diff_pair pairs[MAX_PATTERNS];
static hg_slice sources[MAX_PATTERNS], texts[MAX_TEXTS];
static int insensitive[MAX_PATTERNS];
static size_t pattern_count, text_count;
static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % n);
}

/* The string after "name": in a JSON line in which one character stands for one byte. */
static bool string_field(const char *line, const char *name, hg_slice *out)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(line, key);
    if (at == NULL)
        return false;
    char *bytes = malloc(strlen(at));
    size_t len = 0;
    for (at += strlen(key); *at != '"'; at++) {
        static const char letters[] = "nrtbf", values[] = "\n\r\t\b\f";
        unsigned code;
        const char *letter;
        if (*at != '\\') {
            bytes[len++] = *at;
        } else if (*++at == 'u' && sscanf(at + 1, "%4x", &code) == 1) {
            bytes[len++] = (char)code;
            at += 4;
        } else {
            letter = strchr(letters, *at);
            bytes[len++] = letter != NULL ? values[letter - letters] : *at;
        }
    }
    *out = hg_slice_of(bytes, len);
    return true;
}

static bool read_lines(const char *folder, const char *name, void (*take)(const char *line))
{
    char path[4096], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/regex/sets/%s", folder, name);
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &room, file) > 0)
        take(line);
    free(line);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

static re2_peer re2;

static void take_pattern(const char *line)
{
    hg_slice flags;
    int *fold = &insensitive[pattern_count];
    if (pattern_count == MAX_PATTERNS || !string_field(line, "pattern", &sources[pattern_count]) ||
        !string_field(line, "flags", &flags))
        return;
    *fold = flags.len > 0;
    free((char *)flags.ptr);
    if (!diff_compile(&re2, sources[pattern_count], *fold, &pairs[pattern_count]))
        diff_show("compiling differs", sources[pattern_count], *fold, HG_SLICE(""));
    pattern_count++;
}

static void take_text(const char *line)
{
    if (text_count == MAX_TEXTS || !string_field(line, "text", &texts[text_count]))
        return;
    if (texts[text_count].len < MAX_TEXT / 4)
        text_count++;
    else
        free((char *)texts[text_count].ptr);
}

/* One of the texts, changed in up to three ways. */
static size_t mutate(char *out)
{
    hg_slice base = texts[random_below((uint32_t)text_count)], other = texts[random_below((uint32_t)text_count)];
    size_t len = base.len;
    memcpy(out, base.ptr, len);
    for (uint32_t i = random_below(4); i > 0; i--) {
        uint32_t at = len > 0 ? random_below((uint32_t)len) : 0;
        switch (random_below(5)) {
        case 0:
            out[at] = (char)(random_below(4) ? ' ' + random_below(95) : random_below(256));
            break;
        case 1:
            out[at] ^= 0x20;
            break;
        case 2:
            memmove(out + at, out + at + 1, len > 0 ? len - at - 1 : 0);
            len -= len > 0;
            break;
        case 3:
            memmove(out + at + 1, out + at, len - at);
            out[at] = (char)(' ' + random_below(95));
            len++;
            break;
        default:
            if (len + other.len < MAX_TEXT) {
                memcpy(out + len, other.ptr, other.len);
                len += other.len;
            }
        }
    }
    return len;
}

/* Differences on one text. */
static size_t check(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text)
{
    uint64_t hits[MAX_PATTERNS / 64];
    size_t differences = 0;
    hg_regex_set_scan(set, scratch, text, hits);
    for (size_t i = 0; i < pattern_count; i++) {
        size_t want[2] = {SIZE_MAX, SIZE_MAX};
        hg_span got = {SIZE_MAX, SIZE_MAX};
        bool hit = (hits[i / 64] >> (i % 64)) & 1;
        bool theirs = re2.match(pairs[i].theirs, text.ptr, text.len, want, hit ? 1 : 0) != 0;
        if (hit)
            hg_regex_match(pairs[i].ours, scratch, text, 0, &got, 1);
        if (hit == theirs && got.begin == want[0] && got.end == want[1])
            continue;
        if (differences++ == 0)
            diff_show("differs", sources[i], insensitive[i], text);
    }
    return differences;
}

int main(void)
{
    const char *cases = getenv("HOTGATE_CASES"), *seed = getenv("SEED"), *limit = getenv("SECONDS");
    if (cases == NULL || !re2_peer_load(&re2) || !read_lines(cases, "patterns.jsonl", take_pattern) ||
        !read_lines(cases, "texts.jsonl", take_text)) {
        printf("skipped: RE2 or $HOTGATE_CASES/regex/sets is not there\n");
        return 77;
    }
    hg_regex *members[MAX_PATTERNS];
    for (size_t i = 0; i < pattern_count; i++)
        members[i] = pairs[i].ours;
    hg_regex_set *set = hg_regex_set_new(members, pattern_count);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    double seconds = limit ? strtod(limit, NULL) : 10;
    size_t done = 0, differences = 0;
    random_state = seed ? strtoull(seed, NULL, 10) | 1 : 1;
    for (time_t begin = time(NULL); difftime(time(NULL), begin) < seconds; done++) {
        static char text[MAX_TEXT];
        differences += check(set, scratch, done < text_count ? texts[done] : hg_slice_of(text, mutate(text)));
    }
    printf("%zu patterns x %zu texts, %zu differences\n", pattern_count, done, differences);
    hg_regex_scratch_free(scratch);
    hg_regex_set_free(set);
    return differences != 0;
}
