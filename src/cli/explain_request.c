/* hotgate explain [--rule ID] PATH: what each condition of a rule looked at, and what it said. */
#include "cli/event.h"
#include "cli/explain.h"
#include "cli/input/input.h"
#include "cli/rules.h"
#include "cli/text.h"
#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 64, TEXT_WIDTH = 100 };

static const uint64_t time_budget = 10000000; /* microseconds a request: this is the slow evaluator */

typedef struct explainer {
    const char *rules[RULES_MAX];
    size_t rule_count;
    const char *rule; /* NULL: the rules that come to something */
    uint64_t wanted;  /* index of the entry, 0 = all */
    bool json, colour;
    const cli_input *input;
    const cli_entry *entry;
    hg_buffer out;    /* what the current rule has to say */
    char id[256];     /* of the current rule; steps about values do not repeat it */
    size_t id_len, condition;
    bool found;       /* an entry that was wanted */
    bool interesting; /* some value of the current rule matched */
} explainer;

/* The value as it came, before transformers. */
static hg_slice original(const explainer *x, const hg_trace_step *step)
{
    const hg_value *at = hg_map_find(&x->entry->data, step->address);
    for (size_t i = 0; at != NULL && i < step->path_length; i++) {
        const hg_value *key = &step->path[i];
        if (hg_is_string(key))
            at = hg_is_map(at) ? hg_map_find(at, hg_value_string(key)) : NULL;
        else
            at = hg_is_array(at) && key->u64.val < hg_value_size(at) ? &hg_array_items(at)[key->u64.val] : NULL;
    }
    return at != NULL ? hg_value_string(at) : hg_slice_of(NULL, 0);
}

static void append_place(hg_buffer *out, const hg_trace_step *step)
{
    cli_text_escape(out, step->address);
    for (size_t i = 0; i < step->path_length; i++) {
        if (hg_is_string(&step->path[i])) {
            hg_buffer_byte(out, '.');
            cli_text_escape(out, hg_value_string(&step->path[i]));
        } else {
            hg_buffer_printf(out, "[%" PRId64 "]", step->path[i].i64.val);
        }
    }
}

static void paint(explainer *x, cli_colour colour, const char *text)
{
    hg_buffer_printf(&x->out, "%s%s%s", cli_colour_code(x->colour, colour), text, cli_colour_code(x->colour, CLI_PLAIN));
}

static void element_text(explainer *x, const hg_trace_step *step)
{
    hg_slice before = original(x, step);
    hg_buffer_append(&x->out, HG_SLICE("      "));
    paint(x, step->answer ? CLI_GREEN : CLI_DIM, step->answer ? "+ " : "- ");
    append_place(&x->out, step);
    hg_buffer_append(&x->out, HG_SLICE(" = "));
    cli_text_highlight(&x->out, step->text, hg_slice_of(NULL, 0), TEXT_WIDTH, false);
    if (before.len > 0 && !hg_slice_equal(before, step->text)) {
        hg_buffer_append(&x->out, hg_slice_from(cli_colour_code(x->colour, CLI_DIM)));
        hg_buffer_append(&x->out, HG_SLICE("   (sent as "));
        cli_text_highlight(&x->out, before, hg_slice_of(NULL, 0), TEXT_WIDTH, false);
        hg_buffer_append(&x->out, HG_SLICE(")"));
        hg_buffer_append(&x->out, hg_slice_from(cli_colour_code(x->colour, CLI_PLAIN)));
    }
    hg_buffer_byte(&x->out, '\n');
}

static void print_text(explainer *x, const hg_trace_step *step)
{
    switch (step->kind) {
    case HG_STEP_RULE:
        hg_buffer_append(&x->out, HG_SLICE("  rule "));
        hg_buffer_append(&x->out, hg_slice_from(cli_colour_code(x->colour, CLI_BOLD)));
        cli_text_escape(&x->out, step->rule);
        hg_buffer_append(&x->out, hg_slice_from(cli_colour_code(x->colour, CLI_PLAIN)));
        hg_buffer_byte(&x->out, '\n');
        break;
    case HG_STEP_CONDITION:
        hg_buffer_printf(&x->out, "    condition %zu: %s%.*s\n", step->condition + 1, step->negated ? "not " : "",
                         (int)step->operator_name.len, step->operator_name.ptr);
        break;
    case HG_STEP_ELEMENT:
        element_text(x, step);
        break;
    case HG_STEP_ANSWER:
        hg_buffer_printf(&x->out, "    condition %zu ", step->condition + 1);
        paint(x, step->answer ? CLI_GREEN : CLI_RED, step->answer ? "holds\n" : "fails\n");
        break;
    case HG_STEP_RESULT:
        hg_buffer_append(&x->out, HG_SLICE("  rule "));
        cli_text_escape(&x->out, step->rule);
        hg_buffer_byte(&x->out, ' ');
        paint(x, step->answer ? CLI_GREEN : CLI_RED, step->answer ? "matches\n" : "does not match\n");
        break;
    }
}

static void print_json(explainer *x, const hg_trace_step *step)
{
    static const char *const kinds[] = {"rule", "condition", "element", "answer", "result"};
    hg_buffer *out = &x->out;
    hg_buffer_append(out, HG_SLICE("{\"source\":"));
    hg_json_write_string(hg_slice_from(x->input->path), 0, out);
    hg_buffer_printf(out, ",\"index\":%" PRIu64 ",\"step\":\"%s\",\"rule\":", x->entry->index, kinds[step->kind]);
    hg_json_write_string(hg_slice_of(x->id, x->id_len), 0, out);
    if (step->kind != HG_STEP_RULE && step->kind != HG_STEP_RESULT)
        hg_buffer_printf(out, ",\"condition\":%zu", x->condition);
    if (step->kind == HG_STEP_CONDITION) {
        hg_buffer_append(out, HG_SLICE(",\"operator\":"));
        hg_json_write_string(step->operator_name, 0, out);
        hg_buffer_printf(out, ",\"negated\":%s", step->negated ? "true" : "false");
    }
    if (step->kind == HG_STEP_ELEMENT) {
        hg_buffer_append(out, HG_SLICE(",\"address\":"));
        hg_json_write_string(step->address, 0, out);
        hg_buffer_append(out, HG_SLICE(",\"key_path\":["));
        for (size_t i = 0; i < step->path_length; i++) {
            if (i > 0)
                hg_buffer_byte(out, ',');
            hg_json_write(&step->path[i], 0, out);
        }
        hg_buffer_append(out, HG_SLICE("],\"sent\":"));
        hg_json_write_string(original(x, step), 0, out);
        hg_buffer_append(out, HG_SLICE(",\"seen\":"));
        hg_json_write_string(step->text, 0, out);
    }
    if (step->kind >= HG_STEP_ELEMENT)
        hg_buffer_printf(out, ",\"answer\":%s", step->answer ? "true" : "false");
    hg_buffer_append(out, HG_SLICE("}\n"));
}

static void on_step(void *state, const hg_trace_step *step)
{
    explainer *x = state;
    if (step->kind == HG_STEP_RULE) {
        x->out.len = 0;
        x->interesting = x->rule != NULL;
        x->id_len = step->rule.len < sizeof x->id ? step->rule.len : sizeof x->id;
        memcpy(x->id, step->rule.ptr, x->id_len);
    }
    if (step->kind == HG_STEP_CONDITION)
        x->condition = step->condition;
    x->interesting = x->interesting || step->answer;
    if (x->json)
        print_json(x, step);
    else
        print_text(x, step);
    if (step->kind == HG_STEP_RESULT && x->interesting)
        fwrite(x->out.ptr, 1, x->out.len, stdout);
}

/* The line above an entry's rules. */
static void print_entry(const explainer *x, const cli_entry *entry)
{
    hg_buffer line = {0};
    hg_buffer_printf(&line, "%s:%" PRIu64 "  ", x->input->path, entry->index);
    cli_text_escape(&line, entry->request.method);
    hg_buffer_printf(&line, " ");
    cli_text_escape(&line, entry->request.uri);
    fwrite(line.ptr, 1, line.len, stdout);
    putchar('\n');
    hg_buffer_free(&line);
}

static hg_status explain_entry(explainer *x, hg_waf *waf, const cli_entry *entry)
{
    const hg_result *result;
    x->entry = entry;
    x->found = true;
    hg_context *context = hg_context_traced(waf, on_step, x);
    if (context == NULL)
        return HG_ERR_NOMEM;
    if (!x->json)
        print_entry(x, entry);
    hg_status status = hg_context_eval(context, &entry->data, time_budget, &result);
    if (status == HG_OK && !x->json)
        printf("  verdict: %s\n\n", result->match ? "match" : "ok");
    hg_context_free(context);
    return status;
}

static int explain_path(explainer *x, hg_waf *waf, const char *path)
{
    cli_input input;
    hg_status status = cli_input_open(&input, path, CLI_AUTO);
    if (status != HG_OK) {
        fprintf(stderr, "hotgate explain: %s: %s\n", path, cli_input_trouble(&input, status));
        return 3;
    }
    x->input = &input;
    cli_entry entry;
    while (status == HG_OK || status == HG_ERR_SYNTAX) {
        status = cli_input_next(&input, &entry);
        if (status == HG_OK && (x->wanted == 0 || x->wanted == entry.index))
            status = explain_entry(x, waf, &entry);
        else if (status == HG_ERR_SYNTAX)
            fprintf(stderr, "%s:%" PRIu64 ": %s\n", path, entry.index, input.reason);
    }
    cli_input_close(&input);
    hg_buffer_free(&x->out);
    if (status != HG_ERR_TRUNCATED)
        return 3;
    if (x->wanted == 0 || x->found)
        return 0;
    fprintf(stderr, "hotgate explain: %s: there is no entry %" PRIu64 "\n", path, x->wanted);
    return 3;
}

/* 0: not the number of an entry. */
static uint64_t entry_number(const char *text)
{
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 ? number : 0;
}

int cli_explain_request(int argc, char **argv)
{
    static const struct option options[] = {
        {"rules", required_argument, NULL, 'r'}, {"rule", required_argument, NULL, 'i'},
        {"entry", required_argument, NULL, 'e'}, {"format", required_argument, NULL, 'f'},
        {"colour", required_argument, NULL, 'c'}, {NULL, 0, NULL, 0}};
    explainer x = {0};
    const char *colour = "auto";
    int option;
    optind = 0;
    while ((option = getopt_long(argc, argv, "r:i:e:f:", options, NULL)) != -1) {
        switch (option) {
        case 'r':
            if (x.rule_count == RULES_MAX)
                return cli_usage_error("explain", "too many rulesets", NULL);
            x.rules[x.rule_count++] = optarg;
            break;
        case 'i':
            x.rule = optarg;
            break;
        case 'e':
            x.wanted = entry_number(optarg);
            if (x.wanted == 0)
                return cli_usage_error("explain", "not the number of an entry:", optarg);
            break;
        case 'f':
            x.json = strcmp(optarg, "json") == 0;
            if (!x.json && strcmp(optarg, "text") != 0)
                return cli_usage_error("explain", "unknown format", optarg);
            break;
        case 'c':
            if (!cli_colour_known(optarg))
                return cli_usage_error("explain", "not auto, always or never:", optarg);
            colour = optarg;
            break;
        default:
            return CLI_USAGE;
        }
    }
    if (optind + 1 != argc)
        return cli_usage_error("explain", "one PATH is wanted", NULL);
    cli_rules rules;
    hg_status status = x.rule != NULL ? cli_rules_load_only(x.rules, x.rule_count, hg_slice_from(x.rule), &rules)
                                      : cli_rules_load(x.rules, x.rule_count, stderr, &rules);
    if (status != HG_OK) {
        if (x.rule != NULL)
            fprintf(stderr, "hotgate explain: there is no usable rule '%s'\n", x.rule);
        hg_waf_unref(rules.waf);
        return 3;
    }
    x.colour = cli_colour_wanted(colour, stdout);
    int answer = explain_path(&x, rules.waf, argv[optind]);
    hg_waf_unref(rules.waf);
    return answer;
}
