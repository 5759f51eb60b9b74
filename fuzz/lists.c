/* IP sets and phrases: the first line is what is looked for, the other lines are the list. */
#include "guard.h"
#include "text/bytes.h"
#include "text/exact.h"
#include "text/ipset.h"
#include "text/phrases.h"

enum { LINES = 64 };

static void check_ips(hg_slice wanted, const hg_slice *lines, size_t count, hg_arena *arena)
{
    hg_ip ip;
    const hg_ipset *set = hg_ipset_build(lines, NULL, count, arena);
    if (!hg_ip_parse(wanted, &ip))
        return;
    bool inside = false;
    for (size_t i = 0; i < count; i++) {
        hg_ip first, last;
        inside |= hg_ip_range_parse(lines[i], &first, &last) && hg_ip_compare(first, ip) <= 0 &&
                  hg_ip_compare(ip, last) <= 0;
    }
    if ((hg_ipset_find(set, ip) != HG_ABSENT) != inside)
        abort();
}

static void check_phrases(hg_slice wanted, const hg_slice *lines, size_t count, hg_arena *arena)
{
    for (int words_only = 0; words_only < 2; words_only++) {
        hg_slice found;
        const hg_phrases *set = hg_phrases_build(lines, count, words_only, arena);
        if (!hg_phrases_find(set, wanted, &found))
            continue;
        bool listed = false;
        for (size_t i = 0; i < count; i++)
            listed |= hg_slice_equal(lines[i], found);
        if (!listed || found.len == 0 || found.ptr < wanted.ptr || found.ptr + found.len > wanted.ptr + wanted.len)
            abort();
    }
}

static void check_exact(hg_slice wanted, const hg_slice *lines, size_t count, hg_arena *arena)
{
    bool listed = false;
    for (size_t i = 0; i < count; i++)
        listed |= hg_slice_equal(lines[i], wanted);
    if ((hg_exact_find(hg_exact_build(lines, NULL, count, arena), wanted) != HG_ABSENT) != listed)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hg_slice text = guard(data, size);
    hg_slice lines[LINES];
    size_t count = 0;
    for (size_t begin = 0; begin <= text.len && count < LINES;) {
        size_t end = hg_find_byte(text, begin, '\n');
        lines[count++] = hg_slice_of(text.ptr + begin, end - begin);
        begin = end + 1;
    }
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    check_ips(lines[0], lines + 1, count - 1, &arena);
    check_phrases(lines[0], lines + 1, count - 1, &arena);
    check_exact(lines[0], lines + 1, count - 1, &arena);
    hg_arena_close(&arena);
    return 0;
}
