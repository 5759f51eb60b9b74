/* hotgate scan: judges the requests of files. */
#include "cli/profile.h"
#include "cli/rules.h"
#include "cli/scan/report.h"
#include "cli/scan/scan.h"
#include "cli/text.h"
#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RULES_MAX = 64, BAD_SHOWN = 10, UPDATE_MASK = 1023 };
enum { EXIT_CLEAN = 0, EXIT_MATCH = 1, EXIT_UNUSABLE = 3 };

static const uint64_t time_budget = 1000000; /* microseconds a request */

static const char help[] =
    "usage: hotgate scan [--rules FILE]... [--format table|json] [--all] [--input KIND] PATH...\n"
    "\n"
    "Judges every request found in the files and tells which rules they hit. Kinds of input, recognised by content:\n"
    "  http     raw HTTP messages, several parted by lines that begin with ###\n"
    "  log      access logs of nginx and Apache, common or combined format\n"
    "  har      HAR exports of browsers\n"
    "  ndjson   one map of addresses a line, e.g. {\"server.request.query\":{\"q\":\"...\"}}\n"
    "Any of them may be gzip-compressed; - is standard input.\n"
    "\n"
    "  -r, --rules FILE     use this ruleset instead of the embedded one; several are one ruleset\n"
    "  -f, --format FORMAT  table (default) or json: one object a line\n"
    "  -a, --all            json: requests without hits too\n"
    "  -i, --input KIND     do not guess the kind\n"
    "      --report FILE    write a self-contained HTML page about the hits\n"
    "      --colour WHEN    auto (default), always, never\n"
    "      --profile FILE   write where the CPU time went, for 'hotgate prof'\n"
    "\n"
    "Exit status: 0 nothing matched (also in an empty file, which a note tells), 1 something matched, 2 wrong usage,\n"
    "3 rules or input unusable: a file that cannot be read, is of no known kind, or holds unreadable entries only.\n"
    "Of several files the unusable ones decide: the others are judged and told all the same.\n"
    "\n"
    "Examples:\n"
    "  hotgate scan /var/log/nginx/access.log\n"
    "  hotgate scan --format json access.log.*.gz | jq -r '.events[].rule.id' | sort | uniq -c\n"
    "  hotgate scan --rules my-rules.json request.http export.har\n"
    "  tail -f access.log | hotgate scan --input log -\n";

typedef struct scan {
    const char *rules[RULES_MAX];
    size_t rule_count;
    bool json, all, unusable;
    cli_kind kind;
    const char *colour;
    hg_waf *waf;
    scan_table table;
    scan_totals totals;
    scan_progress progress;
    const char *report_file, *profile_file;
    scan_report *report; /* NULL: not wanted */
} scan;

static void tell_bad(scan *s, const cli_input *input, const cli_entry *entry)
{
    s->totals.bad++;
    if (input->bad > BAD_SHOWN)
        return;
    scan_progress_clear(&s->progress);
    fprintf(stderr, "%s:%" PRIu64 ": %s%s\n", input->path, entry->index, input->reason,
            input->bad == BAD_SHOWN ? " (more like this are only counted)" : "");
}

static hg_status judge(scan *s, const cli_input *input, const cli_entry *entry)
{
    hg_context *context = hg_context_new(s->waf);
    const hg_result *result;
    if (context == NULL)
        return HG_ERR_NOMEM;
    hg_status status = hg_context_eval(context, &entry->data, time_budget, &result);
    if (status == HG_OK) {
        scan_count(&s->totals, result);
        if (s->report != NULL)
            scan_report_add(s->report, input, entry, result);
        if (result->match || (s->all && s->json))
            scan_progress_clear(&s->progress);
        if (s->json && (result->match || s->all))
            scan_json_entry(stdout, input, entry, result);
        else if (!s->json && result->match)
            scan_table_hit(&s->table, input, entry, result);
    }
    hg_context_free(context);
    return status;
}

static void note(scan *s, const char *path, const char *what)
{
    scan_progress_clear(&s->progress);
    fprintf(stderr, "hotgate scan: %s: %s\n", path, what);
}

static void tell_unusable(scan *s, const char *path, const char *why, const char *advice)
{
    scan_progress_clear(&s->progress);
    fprintf(stderr, "hotgate scan: %s: %s%s\n", path, why, advice);
    s->unusable = true;
}

static hg_status scan_entries(scan *s, cli_input *input)
{
    cli_entry entry;
    for (uint64_t n = 1;; n++) {
        hg_status status = cli_input_next(input, &entry);
        if (status == HG_OK)
            status = judge(s, input, &entry);
        else if (status == HG_ERR_SYNTAX)
            tell_bad(s, input, &entry);
        if (status != HG_OK && status != HG_ERR_SYNTAX)
            return status;
        if ((n & UPDATE_MASK) == 0)
            scan_progress_update(&s->progress, input, &s->totals);
    }
}

static void scan_path(scan *s, const char *path)
{
    cli_input input;
    uint64_t before = s->totals.requests;
    hg_status status = cli_input_open(&input, path, s->kind);
    if (status != HG_OK) {
        bool unknown = status == HG_ERR_UNSUPPORTED && input.kind == CLI_AUTO;
        tell_unusable(s, path, cli_input_trouble(&input, status), unknown ? "; --input KIND says which" : "");
        return;
    }
    status = scan_entries(s, &input);
    bool something = s->totals.requests > before;
    if (status != HG_ERR_TRUNCATED)
        tell_unusable(s, path, cli_input_trouble(&input, status), "");
    else if (!something && (input.bad > 0 || input.stream.cut))
        tell_unusable(s, path, "nothing in it can be read", input.stream.cut ? ": the compressed data is cut or broken" : "");
    else if (!something)
        note(s, path, "no request in it");
    else if (input.stream.cut)
        note(s, path, "the compressed data is cut or broken; what could be read was judged");
    s->progress.files_done += input.stream.file_read;
    cli_input_close(&input);
}

/* Reads the options; -1 to go on, else the exit status. */
static int read_options(scan *s, int argc, char **argv)
{
    static const struct option options[] = {
        {"rules", required_argument, NULL, 'r'}, {"format", required_argument, NULL, 'f'},
        {"all", no_argument, NULL, 'a'},         {"input", required_argument, NULL, 'i'},
        {"colour", required_argument, NULL, 'c'}, {"color", required_argument, NULL, 'c'},
        {"report", required_argument, NULL, 'R'}, {"profile", required_argument, NULL, 'P'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "r:f:ai:h", options, NULL)) != -1) {
        bool known = true;
        switch (option) {
        case 'r':
            if (s->rule_count == RULES_MAX)
                return cli_usage_error("scan", "too many rulesets", NULL);
            s->rules[s->rule_count++] = optarg;
            break;
        case 'f':
            s->json = strcmp(optarg, "json") == 0;
            if (!s->json && strcmp(optarg, "table") != 0)
                return cli_usage_error("scan", "unknown format", optarg);
            break;
        case 'a':
            s->all = true;
            break;
        case 'i':
            s->kind = cli_kind_named(optarg, &known);
            if (!known)
                return cli_usage_error("scan", "unknown kind of input", optarg);
            break;
        case 'c':
            if (!cli_colour_known(optarg))
                return cli_usage_error("scan", "not auto, always or never:", optarg);
            s->colour = optarg;
            break;
        case 'R':
            s->report_file = optarg;
            break;
        case 'P':
            s->profile_file = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_CLEAN;
        default:
            return CLI_USAGE;
        }
    }
    return optind == argc ? cli_usage_error("scan", "no input given", NULL) : -1;
}

static void write_report(scan *s, const cli_rules *rules, char **paths, size_t count)
{
    const scan_report_end end = {.totals = &s->totals,
                                 .seconds = scan_clock() - s->progress.started,
                                 .rule_files = s->rules,
                                 .rule_count = s->rule_count,
                                 .rules_loaded = rules->loaded,
                                 .paths = paths,
                                 .path_count = count};
    if (scan_report_write(s->report, s->report_file, &end) != HG_OK) {
        fprintf(stderr, "hotgate scan: %s: %s\n", s->report_file, strerror(errno));
        s->unusable = true;
    }
    scan_report_free(s->report);
}

int cli_scan(int argc, char **argv)
{
    static char buffer[1 << 16];
    scan s = {.colour = "auto"};
    int answer = read_options(&s, argc, argv);
    if (answer >= 0)
        return answer;
    cli_profile profile = {0};
    if (s.profile_file != NULL && !cli_profile_file(&profile, "scan", s.profile_file))
        return CLI_USAGE;
    cli_rules rules;
    if (cli_rules_load(s.rules, s.rule_count, stderr, &rules) != HG_OK) {
        hg_waf_unref(rules.waf);
        cli_profile_end(&profile, "scan");
        return EXIT_UNUSABLE;
    }
    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    s.waf = rules.waf;
    s.table = (scan_table){.out = stdout, .colour = cli_colour_wanted(s.colour, stdout)};
    if (s.report_file != NULL)
        s.report = scan_report_new();
    scan_progress_start(&s.progress, isatty(STDERR_FILENO), argv + optind, (size_t)(argc - optind));
    for (int i = optind; i < argc; i++)
        scan_path(&s, argv[i]);
    scan_progress_clear(&s.progress);
    if (!s.json)
        scan_table_summary(&s.table, &s.totals, scan_clock() - s.progress.started);
    if (s.report != NULL)
        write_report(&s, &rules, argv + optind, (size_t)(argc - optind));
    hg_waf_unref(s.waf);
    s.unusable |= !cli_profile_end(&profile, "scan");
    if (s.unusable)
        return EXIT_UNUSABLE;
    return s.totals.matched > 0 ? EXIT_MATCH : EXIT_CLEAN;
}
