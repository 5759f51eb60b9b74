/* hotgate prof top: functions by what they cost themselves. */
#include "cli/prof/prof.h"

static void print_json(const function_sums *s, size_t count, const pprof_type *type, FILE *out)
{
    hg_buffer b = {0};
    hg_buffer_append(&b, HG_SLICE("{\"type\":"));
    hg_json_write_string(type->type, 0, &b);
    hg_buffer_append(&b, HG_SLICE(",\"unit\":"));
    hg_json_write_string(type->unit, 0, &b);
    hg_buffer_printf(&b, ",\"total\":%lld,\"functions\":[", (long long)s->all);
    for (size_t i = 0; i < count; i++) {
        hg_buffer_append(&b, i ? HG_SLICE(",{\"name\":") : HG_SLICE("{\"name\":"));
        hg_json_write_string(s->items[i].name, 0, &b);
        hg_buffer_append(&b, HG_SLICE(",\"file\":"));
        hg_json_write_string(s->items[i].file, 0, &b);
        hg_buffer_printf(&b, ",\"self\":%lld,\"total\":%lld}", (long long)s->items[i].self, (long long)s->items[i].total);
    }
    hg_buffer_append(&b, HG_SLICE("]}\n"));
    fwrite(b.ptr, 1, b.len, out);
    hg_buffer_free(&b);
}

static double share(int64_t part, int64_t all)
{
    return all != 0 ? 100.0 * (double)part / (double)all : 0;
}

static void print_table(const function_sums *s, size_t count, const pprof_type *type, FILE *out)
{
    char self[48], total[48];
    fprintf(out, "%.*s, %s in all\n\n%12s %7s %12s %7s  %s\n", (int)type->type.len, type->type.ptr,
            prof_amount((double)s->all, type->unit, self), "self", "", "total", "", "function");
    for (size_t i = 0; i < count; i++) {
        const function_sum *f = &s->items[i];
        fprintf(out, "%12s %6.2f%% %12s %6.2f%%  ", prof_amount((double)f->self, type->unit, self),
                share(f->self, s->all), prof_amount((double)f->total, type->unit, total), share(f->total, s->all));
        prof_print_name(out, f->name);
        if (f->file.len > 0) {
            fputs("  (", out);
            prof_print_name(out, f->file);
            fputc(')', out);
        }
        fputc('\n', out);
    }
    if (count < s->count)
        fprintf(out, "and %zu more functions (--count)\n", s->count - count);
}

int prof_top(const prof_options *o)
{
    pprof p;
    function_sums s;
    int result = prof_load_all(o, &p);
    if (result != PROF_OK)
        return result;
    size_t type = prof_type(&p, o->type);
    bool json = o->format != NULL && strcmp(o->format, "json") == 0;
    if (o->format != NULL && !json && strcmp(o->format, "table") != 0) {
        fprintf(stderr, "hotgate prof: unknown format '%s'\n", o->format);
        result = PROF_USAGE;
    } else if (type == SIZE_MAX || sums_of(&p, type, &s) != HG_OK) {
        result = PROF_DATA;
    } else {
        size_t count = s.count < o->count ? s.count : o->count;
        FILE *out = prof_open(o);
        if (out != NULL)
            (json ? print_json : print_table)(&s, count, &p.types[type], out);
        result = out ? prof_close(o, out) : PROF_FAILED;
        sums_free(&s);
    }
    pprof_free(&p);
    return result;
}
