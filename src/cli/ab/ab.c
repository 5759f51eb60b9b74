/* hotgate ab: is the candidate faster than the base? */
#include "cli/ab/ab.h"

#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SAME = 0, EXIT_SLOWER = 1, EXIT_USAGE = 2, EXIT_DATA = 3 };

static const char usage[] =
    "usage: hotgate ab [OPTION...] BASE CANDIDATE\n"
    "       hotgate ab [OPTION...] -- 'BASE COMMAND' 'CANDIDATE COMMAND'\n"
    "\n"
    "Compares two sets of measurements and says which benchmarks are faster, slower or the same. A file may hold\n"
    "measurement lines as our bench programs print them (JSON), BenchmarkDotNet's full JSON or measurements CSV,\n"
    "hyperfine's JSON, or plain numbers, one a line; the format is recognised from content.\n"
    "\n"
    "  --format text|markdown|json|html   what to print (text)\n"
    "  --output FILE        write there instead of standard output\n"
    "  --judge mw|welch     Mann-Whitney (default for benchmarks) or Welch (default for whole programs)\n"
    "  --threshold PERCENT  changes up to this are the same (10; Welch: 5)\n"
    "  --absolute TIME      and up to this, e.g. 0.3ns (Mann-Whitney) or 5ms (Welch)\n"
    "  --significance P     0.05\n"
    "  --unit ns|us|ms|s    of plain numbers (ns)\n"
    "  --base-name NAME, --name NAME   names for the reports\n"
    "  --seed-order         allocation tables by signed change instead of magnitude\n"
    "With commands:\n"
    "  --runs N             pairs of runs (30), interleaved, in random order within a pair\n"
    "  --warmup N           pairs that do not count (3)\n"
    "  --cpu N              pin the commands to a CPU\n"
    "  --max-steal PERCENT  repeat runs during which the host took more CPU time than this (5)\n"
    "  --seed N             of the order of runs\n"
    "  --save PREFIX        keep the measurements in PREFIX.base.jsonl and PREFIX.candidate.jsonl\n"
    "\n"
    "Exit status: 0 nothing slower, 1 something slower, 2 usage, 3 unusable data.\n"
    "\n"
    "Examples:\n"
    "  build/bench/waf --json >old.jsonl   # then change something, run again into new.jsonl\n"
    "  hotgate ab old.jsonl new.jsonl\n"
    "  hotgate ab --format markdown old.jsonl new.jsonl >report.md\n"
    "  hotgate ab --runs 30 -- 'gzip -1 <big >/dev/null' 'gzip -6 <big >/dev/null'\n";

typedef struct ab_options {
    judge_options judge;
    run_options run;
    const char *format, *output, *save, *base_name, *diff_name;
    double unit_ns;
    bool seed_order;
} ab_options;

static int usage_error(const char *what, const char *value)
{
    return cli_usage_error("ab", what, value);
}

static bool parse_number(const char *text, double low, double high, double *out)
{
    return number_parse(hg_slice_from(text), out) && *out >= low && *out <= high;
}

static bool parse_count(const char *text, size_t *out)
{
    double value;
    if (!parse_number(text, 0, 1e9, &value) || value != floor(value))
        return false;
    *out = (size_t)value;
    return true;
}

static bool parse_unit(const char *text, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0) {
            *ns = units[i].ns;
            return true;
        }
    return false;
}

static bool parse_duration(const char *text, double *ns)
{
    size_t digits = strspn(text, "0123456789.");
    double unit;
    return number_parse(hg_slice_of(text, digits), ns) && parse_unit(text + digits, &unit) && ((*ns *= unit), true);
}

static bool one_of(const char *text, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

/* Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, ab_options *o)
{
    static const char *const formats[] = {"text", "markdown", "json", "html", NULL};
    enum { FORMAT = 256, OUTPUT, JUDGE, THRESHOLD, ABSOLUTE, SIGNIFICANCE, UNIT, BASE, NAME, ORDER, RUNS, WARMUP, CPU,
           STEAL, SEED, SAVE, HELP };
    static const struct option known[] = {
        {"format", 1, 0, FORMAT}, {"output", 1, 0, OUTPUT}, {"judge", 1, 0, JUDGE}, {"threshold", 1, 0, THRESHOLD},
        {"absolute", 1, 0, ABSOLUTE}, {"significance", 1, 0, SIGNIFICANCE}, {"unit", 1, 0, UNIT},
        {"base-name", 1, 0, BASE}, {"name", 1, 0, NAME}, {"seed-order", 0, 0, ORDER}, {"runs", 1, 0, RUNS},
        {"warmup", 1, 0, WARMUP}, {"cpu", 1, 0, CPU}, {"max-steal", 1, 0, STEAL}, {"seed", 1, 0, SEED},
        {"save", 1, 0, SAVE}, {"help", 0, 0, HELP}, {0}};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "+", known, NULL)) != -1;) {
        double number = 0;
        size_t count = 0;
        switch (option) {
        case FORMAT:
            if (!one_of(optarg, formats))
                return usage_error("unknown format", optarg);
            o->format = optarg;
            break;
        case OUTPUT:
            o->output = optarg;
            break;
        case JUDGE:
            if (strcmp(optarg, "mw") != 0 && strcmp(optarg, "welch") != 0)
                return usage_error("unknown judge", optarg);
            o->judge.method = optarg[0] == 'm' ? JUDGE_MANN_WHITNEY : JUDGE_WELCH;
            break;
        case THRESHOLD:
            if (!parse_number(optarg, 0, 1000, &number))
                return usage_error("not a percentage:", optarg);
            o->judge.relative = number / 100;
            break;
        case ABSOLUTE:
            if (!parse_duration(optarg, &o->judge.absolute_ns))
                return usage_error("not a time (such as 0.3ns or 5ms):", optarg);
            break;
        case SIGNIFICANCE:
            if (!parse_number(optarg, 0, 0.5, &o->judge.significance) || o->judge.significance <= 0)
                return usage_error("not a significance between 0 and 0.5:", optarg);
            break;
        case UNIT:
            if (!parse_unit(optarg, &o->unit_ns))
                return usage_error("unknown unit", optarg);
            break;
        case BASE:
            o->base_name = optarg;
            break;
        case NAME:
            o->diff_name = optarg;
            break;
        case ORDER:
            o->seed_order = true;
            break;
        case RUNS:
            if (!parse_count(optarg, &o->run.runs) || o->run.runs == 0)
                return usage_error("not a number of runs:", optarg);
            break;
        case WARMUP:
            if (!parse_count(optarg, &o->run.warmup))
                return usage_error("not a number of runs:", optarg);
            break;
        case CPU:
            if (!parse_count(optarg, &count) || count > 1023)
                return usage_error("not a CPU:", optarg);
            o->run.cpu = (int)count;
            break;
        case STEAL:
            if (!parse_number(optarg, 0, 100, &number))
                return usage_error("not a percentage:", optarg);
            o->run.max_steal = number / 100;
            break;
        case SEED:
            if (!parse_count(optarg, &count))
                return usage_error("not a seed:", optarg);
            o->run.seed = count;
            break;
        case SAVE:
            o->save = optarg;
            break;
        case HELP:
            fputs(usage, stdout);
            return EXIT_SAME;
        default:
            return EXIT_USAGE;
        }
    }
    if (argc - optind != 2) {
        fputs("hotgate ab: give two files, or -- and two commands; try 'hotgate help ab'\n", stderr);
        return EXIT_USAGE;
    }
    return -1;
}

static int data_error(const read_error *error)
{
    fprintf(stderr, "hotgate ab: %s\n", error->message[0] ? error->message : "out of memory");
    return EXIT_DATA;
}

static int print_report(const report *r, const ab_options *o)
{
    FILE *out = stdout;
    if (o->output != NULL && (out = fopen(o->output, "we")) == NULL) {
        fprintf(stderr, "hotgate ab: %s: %s\n", o->output, strerror(errno));
        return EXIT_DATA;
    }
    switch (o->format[0]) {
    case 'm':
        report_markdown(r, out);
        break;
    case 'j':
        report_json(r, out);
        break;
    case 'h':
        report_html(r, out);
        break;
    default:
        report_text(r, out == stdout && isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL, out);
    }
    bool failed = ferror(out) != 0;
    failed |= (out == stdout ? fflush(out) : fclose(out)) != 0;
    if (failed) {
        fputs("hotgate ab: the report could not be written\n", stderr);
        return EXIT_DATA;
    }
    return r->slower > 0 ? EXIT_SLOWER : EXIT_SAME;
}

static hg_status save_both(const char *prefix, const result_set sets[2], read_error *error)
{
    static const char *const sides[] = {"base", "candidate"};
    hg_status status = HG_OK;
    for (int i = 0; i < 2 && status == HG_OK; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%s.jsonl", prefix, sides[i]);
        status = save_results(path, &sets[i], error);
    }
    return status;
}

static hg_status collect(bool commands, char **what, const ab_options *o, result_set sets[2], read_error *error)
{
    hg_status status = HG_OK;
    if (!commands) {
        for (int i = 0; i < 2 && status == HG_OK; i++)
            status = read_results(what[i], o->unit_ns, &sets[i], error);
        return status;
    }
    status = run_commands((const char *[2]){what[0], what[1]}, &o->run, sets, error);
    if (status == HG_OK && o->save != NULL)
        status = save_both(o->save, sets, error);
    for (int i = 0; i < 2 && status == HG_OK; i++)
        for (size_t s = 0; s < sets[i].count && status == HG_OK; s++)
            status = series_prepare(&sets[i].items[s]);
    return status;
}

/* A gate must not open because nothing was measured: no benchmark has a value on both sides. */
static bool nothing_usable(const report *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].base->count > 0 && r->items[i].diff->count > 0)
            return false;
    return true;
}

int cli_ab(int argc, char **argv)
{
    ab_options o = {.judge = {JUDGE_AUTO, 0.05, -1, -1, 0.005}, .format = "text", .unit_ns = 1,
                    .run = {.runs = 30, .warmup = 3, .cpu = -1, .seed = (uint64_t)time(NULL), .max_steal = 0.05,
                            .progress = isatty(STDERR_FILENO)}};
    int early = parse_options(argc, argv, &o);
    if (early >= 0)
        return early;
    bool commands = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
    char **what = argv + optind;
    result_set sets[2] = {{.name = o.base_name ? o.base_name : what[0]}, {.name = o.diff_name ? o.diff_name : what[1]}};
    read_error error = {""};
    report r = {0};
    int result;
    if (collect(commands, what, &o, sets, &error) != HG_OK) {
        result = data_error(&error);
    } else if (judge(&sets[0], &sets[1], &o.judge, &r) != HG_OK) {
        result = data_error(&error);
    } else if (r.count == 0) {
        fprintf(stderr, "hotgate ab: %s and %s have no benchmark in common\n", sets[0].name, sets[1].name);
        result = EXIT_DATA;
    } else if (nothing_usable(&r)) {
        fprintf(stderr, "hotgate ab: no benchmark has usable measurements on both sides; %zu left out\n", r.rejected);
        result = EXIT_DATA;
    } else {
        r.seed_order = o.seed_order;
        result = print_report(&r, &o);
    }
    report_free(&r);
    set_free(&sets[0]);
    set_free(&sets[1]);
    return result;
}
