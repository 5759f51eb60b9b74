#include "cli/scan/scan.h"

static void count_category(scan_totals *totals, hg_slice name)
{
    if (name.len == 0)
        name = HG_SLICE("(none)");
    name = hg_slice_take(name, SCAN_NAME_MAX - 1);
    for (size_t i = 0; i < totals->category_count; i++)
        if (hg_slice_equal(hg_slice_from(totals->categories[i].name), name)) {
            totals->categories[i].hits++;
            return;
        }
    if (totals->category_count == SCAN_CATEGORIES_MAX) {
        totals->categories[SCAN_CATEGORIES_MAX - 1].hits++;
        return;
    }
    scan_category *category = &totals->categories[totals->category_count++];
    if (totals->category_count == SCAN_CATEGORIES_MAX)
        name = HG_SLICE("other");
    memcpy(category->name, name.ptr, name.len);
    category->name[name.len] = '\0';
    category->hits = 1;
}

void scan_count(scan_totals *totals, const hg_result *result)
{
    totals->requests++;
    totals->judging += result->duration;
    if (result->duration > totals->slowest)
        totals->slowest = result->duration;
    if (!result->match)
        return;
    size_t events = cli_event_count(&result->value);
    totals->matched += events > 0;
    totals->hits += events;
    for (size_t i = 0; i < events; i++) {
        cli_event event = cli_event_at(&result->value, i);
        count_category(totals, event.category.len > 0 ? event.category : event.type);
    }
}
