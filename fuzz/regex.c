/* A flag byte, a pattern up to the first zero byte, and a text: compiled and matched by every engine of ours and,
 * where it was built, by RE2. Any difference stops the program. */
#include "regex/differential.h"

#include <stdint.h>

static bool have_re2;
static re2_peer re2;
static hg_regex_scratch *scratch;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good, const char *what, hg_slice pattern, int insensitive, hg_slice text)
{
    if (good)
        return;
    diff_show(what, pattern, insensitive, text);
    abort();
}

/* Without RE2: what one engine finds all must find, alone and in a set. */
static void check_alone(const hg_regex *regex, hg_slice pattern, int insensitive, hg_slice text)
{
    hg_span span = {0, 0};
    uint64_t hits;
    hg_regex *members[2] = {(hg_regex *)regex, (hg_regex *)regex};
    bool matched = hg_regex_match(regex, scratch, text, 0, &span, 1);
    require(!matched || (span.begin <= span.end && span.end <= text.len), "span out of bounds", pattern, insensitive, text);
    require(diff_engines(regex, scratch, text, matched), "our engines differ", pattern, insensitive, text);
    hg_regex_set *set = hg_regex_set_new(members, 2);
    hg_regex_set_scan(set, scratch, text, &hits);
    require(hits == (matched ? 3 : 0), "the set differs", pattern, insensitive, text);
    hg_regex_set_free(set);
}

static void check_re2(hg_slice pattern, int insensitive, hg_slice text)
{
    diff_pair pair;
    require(diff_compile(&re2, pattern, insensitive, &pair), "compiling differs", pattern, insensitive, text);
    if (pair.ours == NULL)
        return;
    diff_result result = diff_match(&re2, &pair, scratch, text);
    bool tolerated = result == DIFF_SAME || (result != DIFF_ENGINES && diff_is_quirky(pattern, text)) ||
                     ((result == DIFF_SPAN || result == DIFF_GROUP) && diff_nests_empty_loops(pattern, insensitive));
    require(tolerated, "RE2 differs", pattern, insensitive, text);
    re2.free(pair.theirs);
    hg_regex_unref(pair.ours);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (scratch == NULL) {
        scratch = hg_regex_scratch_new();
        have_re2 = re2_peer_load(&re2);
        fprintf(stderr, have_re2 ? "regex: compared with RE2\n" : "regex: RE2 is not there, our engines are compared\n");
    }
    if (size < 1 || size > 600)
        return 0;
    int insensitive = data[0] & 1;
    const char *begin = (const char *)data + 1, *zero = memchr(begin, 0, size - 1);
    hg_slice pattern = hg_slice_of(begin, zero ? (size_t)(zero - begin) : size - 1);
    hg_slice text = zero ? hg_slice_of(zero + 1, size - 2 - pattern.len) : hg_slice_of(begin, 0);
    hg_regex_options options = {.case_insensitive = insensitive != 0};
    hg_regex *regex = hg_regex_compile(pattern, &options, NULL);
    if (regex != NULL) {
        check_alone(regex, pattern, insensitive, text);
        hg_regex_unref(regex);
    }
    if (have_re2)
        check_re2(pattern, insensitive, text);
    return 0;
}
