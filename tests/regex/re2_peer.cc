// RE2 behind a C interface, loaded at run time by tests and benchmarks.
#include <cstddef>
#include <cstring>
#include <re2/re2.h>
#include <re2/set.h>
#include <vector>

namespace {

RE2::Options options_for(int insensitive, long max_mem)
{
    RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(!insensitive);
    options.set_max_mem(max_mem);
    return options;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) RE2 *re2_peer_compile(const char *pattern, size_t len, int insensitive,
                                                             long max_mem, int *code, char *argument, size_t room,
                                                             size_t *argument_len)
{
    RE2 *re = new RE2(re2::StringPiece(pattern, len), options_for(insensitive, max_mem));
    *code = re->error_code();
    *argument_len = re->error_arg().size();
    memcpy(argument, re->error_arg().data(), *argument_len < room ? *argument_len : room);
    if (re->ok())
        return re;
    delete re;
    return nullptr;
}

__attribute__((visibility("default"))) void re2_peer_free(RE2 *re)
{
    delete re;
}

// spans: begin and end of each group, (size_t)-1 when it took no part.
__attribute__((visibility("default"))) int re2_peer_match(const RE2 *re, const char *text, size_t len, size_t *spans,
                                                          int count)
{
    re2::StringPiece groups[32];
    if (!re->Match(re2::StringPiece(text, len), 0, len, RE2::UNANCHORED, groups, count))
        return 0;
    int known = re->NumberOfCapturingGroups() + 1;
    for (int i = 0; i < count; i++) {
        bool set = i < known && groups[i].data() != nullptr;
        spans[2 * i] = set ? groups[i].data() - text : (size_t)-1;
        spans[2 * i + 1] = set ? spans[2 * i] + groups[i].size() : (size_t)-1;
    }
    return 1;
}

__attribute__((visibility("default"))) RE2::Set *re2_peer_set(const char *const *patterns, const size_t *lens,
                                                              const int *insensitive, size_t count, long max_mem)
{
    // The options belong to the set; the flag is written into the pattern.
    RE2::Set *set = new RE2::Set(options_for(0, max_mem), RE2::UNANCHORED);
    for (size_t i = 0; i < count; i++) {
        std::string text(patterns[i], lens[i]);
        if (set->Add(insensitive[i] ? "(?i)" + text : text, nullptr) < 0) {
            delete set;
            return nullptr;
        }
    }
    if (set->Compile())
        return set;
    delete set;
    return nullptr;
}

__attribute__((visibility("default"))) int re2_peer_set_scan(const RE2::Set *set, const char *text, size_t len)
{
    std::vector<int> hits;
    set->Match(re2::StringPiece(text, len), &hits);
    return (int)hits.size();
}

__attribute__((visibility("default"))) void re2_peer_set_free(RE2::Set *set)
{
    delete set;
}
}
