#include "cli/scan/scan.h"

#include "cli/text.h"

#include <inttypes.h>

enum { WHERE_WIDTH = 28, RULE_WIDTH = 26, VALUE_WIDTH = 72 };

/* Characters that a terminal shows for well-formed UTF-8. */
static size_t shown_width(hg_slice s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

static void pad(hg_buffer *line, size_t from, size_t width)
{
    size_t used = shown_width(hg_slice_of(line->ptr + from, line->len - from));
    do
        hg_buffer_byte(line, ' ');
    while (++used <= width);
}

static void hit_line(const scan_table *table, const cli_input *input, const cli_entry *entry, const cli_event *event)
{
    hg_buffer line = {0};
    cli_match match = cli_event_best(event);
    cli_text_escape(&line, hg_slice_from(input->path));
    hg_buffer_printf(&line, ":%" PRIu64, entry->index);
    pad(&line, 0, WHERE_WIDTH);
    hg_buffer_append(&line, hg_slice_from(cli_colour_code(table->colour, CLI_YELLOW)));
    size_t rule = line.len;
    cli_text_escape(&line, event->id);
    pad(&line, rule, RULE_WIDTH);
    hg_buffer_append(&line, hg_slice_from(cli_colour_code(table->colour, CLI_BLUE)));
    cli_match_place(&match, &line);
    hg_buffer_append(&line, hg_slice_from(cli_colour_code(table->colour, CLI_PLAIN)));
    hg_buffer_append(&line, HG_SLICE(" = "));
    cli_text_highlight(&line, match.value, match.highlight, VALUE_WIDTH, table->colour);
    hg_buffer_byte(&line, '\n');
    fwrite(line.ptr, 1, line.len, table->out);
    hg_buffer_free(&line);
}

void scan_table_hit(scan_table *table, const cli_input *input, const cli_entry *entry, const hg_result *result)
{
    if (!table->header_done)
        fprintf(table->out, "%s%-*s %-*s %s%s\n", cli_colour_code(table->colour, CLI_BOLD), WHERE_WIDTH, "WHERE",
                RULE_WIDTH, "RULE", "WHAT MATCHED", cli_colour_code(table->colour, CLI_PLAIN));
    table->header_done = true;
    for (size_t i = 0, n = cli_event_count(&result->value); i < n; i++) {
        cli_event event = cli_event_at(&result->value, i);
        hit_line(table, input, entry, &event);
    }
}

static void largest_first(const scan_totals *totals, size_t *order)
{
    for (size_t i = 0; i < totals->category_count; i++) {
        size_t at = i;
        while (at > 0 && totals->categories[order[at - 1]].hits < totals->categories[i].hits) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

void scan_table_summary(const scan_table *table, const scan_totals *totals, double seconds)
{
    char number[32], other[32];
    fprintf(table->out, "%s%s requests", totals->hits > 0 ? "\n" : "", cli_number(totals->requests, number));
    fprintf(table->out, ", %s with hits (%s hits)", cli_number(totals->matched, number),
            cli_number(totals->hits, other));
    if (totals->bad > 0)
        fprintf(table->out, ", %s unreadable", cli_number(totals->bad, number));
    fputc('\n', table->out);
    size_t order[SCAN_CATEGORIES_MAX];
    largest_first(totals, order);
    for (size_t i = 0; i < totals->category_count; i++)
        fprintf(table->out, "  %-28s %10s\n", totals->categories[order[i]].name,
                cli_number(totals->categories[order[i]].hits, number));
    if (totals->requests > 0)
        fprintf(table->out, "judging: %.2f µs per request, slowest %.0f µs; %.0f requests/s in all\n",
                (double)totals->judging / 1e3 / (double)totals->requests, (double)totals->slowest / 1e3,
                seconds > 0 ? (double)totals->requests / seconds : 0.0);
}
