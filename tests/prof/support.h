/* Shared by the tests of prof/: a profiler that writes into a temporary folder, and reading its files back. */
#ifndef TESTS_PROF_SUPPORT_H
#define TESTS_PROF_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hotgate/prof.h"
#include "prof/pprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000;

typedef struct fixture {
    char folder[64], prefix[96];
    hg_prof *prof;
} fixture;

static inline void open_profiler(fixture *f, hg_prof_settings settings)
{
    snprintf(f->folder, sizeof f->folder, "/tmp/hotgate-prof-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->prefix, sizeof f->prefix, "%s/p", f->folder);
    settings.output = f->prefix;
    settings.seed = settings.seed ? settings.seed : 1;
    assert_int_equal(hg_prof_new(&settings, &f->prof), HG_OK);
}

/* Whatever happened, every sample that was taken is accounted for, by type. */
static inline void close_profiler(fixture *f)
{
    hg_prof_counters c;
    assert_int_equal(hg_prof_stop(f->prof, 5 * SECOND), HG_OK);
    assert_int_equal(hg_prof_count(f->prof, &c), HG_OK);
    for (int i = 0; i < HG_PROF_TYPES; i++)
        assert_int_equal(c.taken[i], c.accepted[i] + c.dropped[i] + c.carried[i]);
    hg_prof_free(f->prof);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
}

/* The n-th file, plain or gzip. */
static inline hg_status load(const fixture *f, int n, pprof *out)
{
    char path[128];
    pprof_error error;
    snprintf(path, sizeof path, "%s.%d.pb.gz", f->prefix, n);
    if (access(path, R_OK) != 0)
        path[strlen(path) - 3] = '\0';
    return pprof_read_file(path, out, &error);
}

static inline int type_position(const pprof *p, const char *name)
{
    for (size_t i = 0; i < p->type_count; i++)
        if (hg_slice_equal(p->types[i].type, hg_slice_from(name)))
            return (int)i;
    return -1;
}

static inline int64_t total(const pprof *p, const char *type)
{
    int64_t sum = 0;
    int at = type_position(p, type);
    assert_true(at >= 0);
    for (size_t i = 0; i < p->sample_count; i++)
        sum += p->samples[i].values[at];
    return sum;
}

static inline hg_slice frame_name(const pprof *p, const pprof_sample *s, size_t i)
{
    return p->functions[p->locations[s->locations[i]].lines[0].function].name;
}

static inline const pprof_label *find_label(const pprof_sample *s, const char *key)
{
    for (size_t i = 0; i < s->label_count; i++)
        if (hg_slice_equal(s->labels[i].key, hg_slice_from(key)))
            return &s->labels[i];
    return NULL;
}

#endif
