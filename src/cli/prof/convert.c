/* hotgate prof convert and merge: profiles into folded stacks, or into one profile. */
#include "cli/prof/prof.h"

/* "root;caller;leaf VALUE", the form that flame graph scripts read. ';' and control characters inside names become ':'
 * and ' '. */
static void print_folded(const pprof *p, size_t type, FILE *out)
{
    for (size_t i = 0; i < p->sample_count; i++) {
        const pprof_sample *s = &p->samples[i];
        if (s->values[type] == 0)
            continue;
        bool first = true;
        for (size_t k = s->location_count; k-- > 0;) {
            const pprof_location *l = &p->locations[s->locations[k]];
            for (size_t n = l->line_count; n-- > 0;) {
                hg_slice name = p->functions[l->lines[n].function].name;
                if (!first)
                    fputc(';', out);
                first = false;
                for (size_t c = 0; c < name.len; c++)
                    fputc(name.ptr[c] == ';' ? ':' : (unsigned char)name.ptr[c] < ' ' || name.ptr[c] == 0x7f ? ' ' : name.ptr[c], out);
            }
            if (l->line_count == 0)
                fprintf(out, "%s0x%llx", first ? "" : ";", (unsigned long long)l->address);
            first = false;
        }
        fprintf(out, " %lld\n", (long long)s->values[type]);
    }
}

static int write_pprof(const prof_options *o, const pprof *p)
{
    const char *path = o->output ? o->output : "-";
    hg_status status = pprof_write_file(p, path, !o->plain);
    if (status == HG_ERR_UNSUPPORTED)
        fprintf(stderr, "hotgate prof: zlib is not built in; use --plain\n");
    else if (status != HG_OK)
        fprintf(stderr, "hotgate prof: %s: %s\n", path, hg_strerror(status));
    return status == HG_OK ? PROF_OK : PROF_FAILED;
}

int prof_convert(const prof_options *o)
{
    bool folded = o->format != NULL && strcmp(o->format, "folded") == 0;
    if (!folded && (o->format == NULL || strcmp(o->format, "pprof") != 0)) {
        fprintf(stderr, "hotgate prof: --format folded or pprof\n");
        return PROF_USAGE;
    }
    pprof p;
    int result = prof_load_all(o, &p);
    if (result != PROF_OK)
        return result;
    if (folded) {
        size_t type = prof_type(&p, o->type);
        FILE *out = type == SIZE_MAX ? NULL : prof_open(o);
        if (out != NULL)
            print_folded(&p, type, out);
        result = out ? prof_close(o, out) : PROF_DATA;
    } else {
        result = write_pprof(o, &p);
    }
    pprof_free(&p);
    return result;
}

int prof_merge(const prof_options *o)
{
    if (o->output == NULL) {
        fprintf(stderr, "hotgate prof: merge needs --output\n");
        return PROF_USAGE;
    }
    pprof p;
    int result = prof_load_all(o, &p);
    if (result != PROF_OK)
        return result;
    result = write_pprof(o, &p);
    pprof_free(&p);
    return result;
}
