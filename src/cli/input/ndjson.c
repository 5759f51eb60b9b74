/* One JSON address map a line. */
#include "cli/input/input.h"

#include "http/http.h"

hg_status cli_next_ndjson(cli_input *input, cli_entry *entry)
{
    for (;;) {
        hg_slice line;
        hg_status status = cli_input_line(input, entry, &line);
        if (status != HG_OK)
            return status;
        if (entry->index == 1 && line.len >= 3 && memcmp(line.ptr, "\xEF\xBB\xBF", 3) == 0)
            line = hg_slice_skip(line, 3);
        if (hg_http_trim(line).len == 0)
            continue;
        const hg_json_options options = {.dialect = HG_JSON_STRICT, .max_depth = 1000};
        hg_json_error error;
        status = hg_json_read(line, &options, &entry->data, hg_arena_allocator(&input->arena), &error);
        if (status == HG_ERR_NOMEM)
            return status;
        if (status != HG_OK)
            return cli_input_bad(input, error.message != NULL ? error.message : hg_strerror(status));
        if (!hg_is_map(&entry->data))
            return cli_input_bad(input, "not a map of addresses");
        entry->text = line;
        const hg_value *uri = hg_map_find(&entry->data, HG_SLICE("server.request.uri.raw"));
        const hg_value *method = hg_map_find(&entry->data, HG_SLICE("server.request.method"));
        const hg_value *client = hg_map_find(&entry->data, HG_SLICE("http.client_ip"));
        entry->request.uri = uri != NULL ? hg_value_string(uri) : hg_slice_of(NULL, 0);
        entry->request.method = method != NULL ? hg_value_string(method) : hg_slice_of(NULL, 0);
        entry->request.client_ip = client != NULL ? hg_value_string(client) : hg_slice_of(NULL, 0);
        return HG_OK;
    }
}
