#include "cli/scan/scan.h"

#include <inttypes.h>

static void member(hg_buffer *line, const char *name, const hg_value *result)
{
    const hg_value *value = hg_map_find(result, hg_slice_from(name));
    hg_buffer_printf(line, ",\"%s\":", name);
    if (value != NULL)
        hg_json_write(value, 0, line);
    else
        hg_buffer_append(line, HG_SLICE("null"));
}

void scan_json_entry(FILE *out, const cli_input *input, const cli_entry *entry, const hg_result *result)
{
    hg_buffer line = {0};
    hg_buffer_append(&line, HG_SLICE("{\"source\":"));
    hg_json_write_string(hg_slice_from(input->path), 0, &line);
    hg_buffer_printf(&line, ",\"index\":%" PRIu64 ",\"verdict\":\"%s\"", entry->index, result->match ? "match" : "ok");
    member(&line, "events", &result->value);
    member(&line, "actions", &result->value);
    hg_buffer_printf(&line, ",\"duration_ns\":%" PRIu64 "}\n", result->duration);
    fwrite(line.ptr, 1, line.len, out);
    hg_buffer_free(&line);
}
