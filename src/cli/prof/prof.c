/* hotgate prof: looks at pprof profiles, ours or other tools'. */
#include "cli/prof/prof.h"

#include "cli/text.h"
#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: hotgate prof top [--type TYPE] [--count N] [--format table|json] FILE...\n"
    "       hotgate prof flame [--type TYPE] [--output FILE.html] FILE...\n"
    "       hotgate prof diff [--type TYPE] [--count N] [--format table|json] BEFORE AFTER\n"
    "       hotgate prof convert --format folded|pprof [--type TYPE] [--plain] [--output FILE] FILE...\n"
    "       hotgate prof merge [--plain] --output FILE FILE...\n"
    "\n"
    "Reads pprof profiles, gzip or plain, of Hotgate and other tools; several files are added up. '-' is standard\n"
    "input.\n"
    "\n"
    "  top      functions by what they cost themselves\n"
    "  flame    an interactive flame graph, one self-contained HTML page\n"
    "  diff     what got slower and what got faster, as shares of each profile's total\n"
    "  convert  folded stacks ('a;b;c 42'), or pprof again\n"
    "  merge    adds profiles of the same types\n"
    "\n"
    "  --type TYPE   which sample type, e.g. cpu-time (default: the profile's own choice, else the first time or size\n"
    "                that is not empty)\n"
    "\n"
    "Exit status: 0 done, 2 usage, 3 a profile that cannot be used.\n"
    "\n"
    "Examples:\n"
    "  hotgate prof top --count 20 service.pb.gz\n"
    "  hotgate prof flame --output flame.html scan.pb.gz\n"
    "  hotgate prof diff before.pb.gz after.pb.gz\n"
    "  go tool pprof -proto heap.out | hotgate prof convert --format folded -\n";

static const struct {
    const char *name;
    prof_run *run;
    size_t fewest, most;
} verbs[] = {
    {"top", prof_top, 1, SIZE_MAX},     {"flame", prof_flame, 1, SIZE_MAX},     {"diff", prof_diff, 2, 2},
    {"convert", prof_convert, 1, SIZE_MAX}, {"merge", prof_merge, 1, SIZE_MAX},
};

int prof_load(const char *path, pprof *out)
{
    pprof_error error;
    hg_status status = pprof_read_file(path, out, &error);
    if (status == HG_OK)
        return PROF_OK;
    if (status == HG_ERR_SYNTAX)
        fprintf(stderr, "hotgate prof: %s: byte %zu: %s\n", path, error.offset, error.message);
    else
        fprintf(stderr, "hotgate prof: %s: %s\n", path, error.message ? error.message : hg_strerror(status));
    return PROF_DATA;
}

/* All files, added up. */
int prof_load_all(const prof_options *o, pprof *out)
{
    int result = prof_load(o->files[0], out);
    if (result != PROF_OK)
        return result;
    for (size_t i = 1; result == PROF_OK && i < o->file_count; i++) {
        pprof more;
        result = prof_load(o->files[i], &more);
        if (result != PROF_OK)
            break;
        hg_status status = pprof_merge(out, &more, 1);
        pprof_free(&more);
        if (status == HG_OK)
            continue;
        fprintf(stderr, "hotgate prof: %s: %s\n", o->files[i],
                status == HG_ERR_ARGUMENT ? "has other sample types than the first file" : hg_strerror(status));
        result = PROF_DATA;
    }
    if (result != PROF_OK)
        pprof_free(out);
    return result;
}

static bool any_value(const pprof *p, size_t type)
{
    for (size_t i = 0; i < p->sample_count; i++)
        if (p->samples[i].values[type] != 0)
            return true;
    return false;
}

size_t prof_type(const pprof *p, const char *wanted)
{
    hg_slice name = wanted ? hg_slice_from(wanted) : p->default_type;
    for (size_t i = 0; i < p->type_count && name.len > 0; i++)
        if (hg_slice_equal(p->types[i].type, name))
            return i;
    if (wanted != NULL || p->type_count == 0) {
        fprintf(stderr, "hotgate prof: no sample type '%s'; the profile has:", wanted ? wanted : "");
        for (size_t i = 0; i < p->type_count; i++)
            fprintf(stderr, " %.*s", (int)p->types[i].type.len, p->types[i].type.ptr);
        fputc('\n', stderr);
        return SIZE_MAX;
    }
    static const char *const order[] = {"cpu-time", "cpu", "wall-time", "alloc-size"};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (size_t i = 0; i < p->type_count; i++)
            if (hg_slice_equal(p->types[i].type, hg_slice_from(order[o])) && any_value(p, i))
                return i;
    for (size_t i = p->type_count; i-- > 0;) /* pprof's own rule: the last type */
        if (any_value(p, i))
            return i;
    return p->type_count - 1;
}

FILE *prof_open(const prof_options *o)
{
    FILE *out = o->output && strcmp(o->output, "-") != 0 ? fopen(o->output, "we") : stdout;
    if (out == NULL)
        fprintf(stderr, "hotgate prof: %s: %s\n", o->output, strerror(errno));
    return out;
}

int prof_close(const prof_options *o, FILE *out)
{
    bool failed = ferror(out) != 0;
    failed |= (out == stdout ? fflush(out) : fclose(out)) != 0;
    if (failed)
        fprintf(stderr, "hotgate prof: %s: cannot be written\n", o->output ? o->output : "standard output");
    return failed ? PROF_FAILED : PROF_OK;
}

void prof_print_name(FILE *out, hg_slice name)
{
    hg_buffer text = {0};
    cli_text_escape(&text, name);
    fwrite(text.ptr ? text.ptr : "", 1, text.len, out);
    hg_buffer_free(&text);
}

const char *prof_amount(double v, hg_slice unit, char out[48])
{
    double size = v < 0 ? -v : v;
    if (hg_slice_equal(unit, HG_SLICE("nanoseconds")))
        snprintf(out, 48, size >= 1e9 ? "%.2f s" : size >= 1e6 ? "%.2f ms" : "%.2f us",
                 v / (size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1e3));
    else if (hg_slice_equal(unit, HG_SLICE("bytes")))
        snprintf(out, 48, size >= 1 << 30 ? "%.2f GB" : size >= 1 << 20 ? "%.2f MB" : size >= 1024 ? "%.2f KB" : "%.0f B",
                 v / (size >= 1 << 30 ? 1 << 30 : size >= 1 << 20 ? 1 << 20 : size >= 1024 ? 1024 : 1));
    else
        snprintf(out, 48, "%.0f", v);
    return out;
}

static int usage_error(const char *what, const char *value)
{
    return cli_usage_error("prof", what, value);
}

static int parse(int argc, char **argv, prof_options *o)
{
    static const struct option known[] = {{"output", 1, 0, 'o'}, {"type", 1, 0, 't'},  {"format", 1, 0, 'f'},
                                          {"count", 1, 0, 'n'},  {"plain", 0, 0, 'p'}, {"help", 0, 0, 'h'}, {0}};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "o:t:f:n:h", known, NULL)) != -1;) {
        char *end;
        switch (option) {
        case 'o':
            o->output = optarg;
            break;
        case 't':
            o->type = optarg;
            break;
        case 'f':
            o->format = optarg;
            break;
        case 'n':
            o->count = strtoul(optarg, &end, 10);
            if (*end != '\0' || o->count == 0)
                return usage_error("not a count:", optarg);
            break;
        case 'p':
            o->plain = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return PROF_OK;
        default:
            return PROF_USAGE;
        }
    }
    o->files = argv + optind;
    o->file_count = (size_t)(argc - optind);
    return -1;
}

int cli_prof(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? PROF_USAGE : PROF_OK;
    }
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
        if (strcmp(verbs[v].name, argv[1]) != 0)
            continue;
        prof_options o = {.count = 30};
        argv[1] = argv[0];
        int early = parse(argc - 1, argv + 1, &o);
        if (early >= 0)
            return early;
        if (o.file_count < verbs[v].fewest || o.file_count > verbs[v].most)
            return usage_error("wrong number of files for", verbs[v].name);
        return verbs[v].run(&o);
    }
    return usage_error("unknown verb", argv[1]);
}
