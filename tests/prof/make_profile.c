/* usage: make_profile file PREFIX | url URL. Makes a profile of known content: for i = 1..20 a timeline sample of i*i ns
 * on the stack leaf_(i%3) <- middle <- root, with labels; and 7 exceptions' worth. Prints the counters. */
#include "hotgate/prof.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool file = strcmp(argv[1], "file") == 0;
    hg_prof_settings settings = {.output = file ? argv[2] : NULL, .url = file ? NULL : argv[2], .exception_distance = 1,
                                 .tick_ns = 60000000000};
    hg_prof *prof;
    hg_prof_thread *t;
    if (hg_prof_new(&settings, &prof) != HG_OK || hg_prof_start(prof) != HG_OK || hg_prof_attach(prof, "maker", &t) != HG_OK)
        return 1;
    hg_prof_context context = {.service = "checkout", .env = "test", .custom = "team:a"};
    hg_prof_set_context(t, &context);
    static const hg_prof_function functions[] = {{"root", "r.c"}, {"middle", "m.c"}, {"leaf_0", "l.c"}, {"leaf_1", "l.c"},
                                                 {"leaf_2 <b>&\"", ""}};
    for (unsigned i = 1; i <= 20; i++) {
        hg_prof_push(t, &functions[0], 1);
        hg_prof_push(t, &functions[1], i);
        hg_prof_push(t, &functions[2 + i % 3], 0);
        hg_prof_timeline(t, HG_SLICE("gc"), (uint64_t)i * i, true);
        if (i % 3 == 0)
            hg_prof_exception(t, HG_SLICE("Error"), HG_SLICE("message"));
        hg_prof_pop(t);
        hg_prof_pop(t);
        hg_prof_pop(t);
    }
    hg_prof_detach(t);
    hg_status flushed = hg_prof_flush(prof, 20000000000);
    hg_prof_counters c;
    hg_prof_count(prof, &c);
    printf("%d %llu %llu\n", (int)flushed, (unsigned long long)c.exports, (unsigned long long)c.exports_failed);
    hg_prof_stop(prof, 20000000000);
    hg_prof_free(prof);
    return 0;
}
