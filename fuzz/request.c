/* Raw messages to address maps: no read beyond the input, no write beyond a buffer, and the result can be printed. */
#include "hotgate/request.h"

#include "http/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hg_field headers[64];
    hg_http_head head = {.headers = headers, .capacity = 64};
    hg_http_progress progress = {0};
    hg_slice in = hg_slice_of((const char *)data, size);
    if (hg_http_head_read(in, &progress, true, &head) != HG_OK)
        return 0;
    hg_request request = {.method = head.request.method,
                          .uri = head.request.uri,
                          .headers = headers,
                          .header_count = head.count,
                          .body = hg_slice_skip(in, head.used),
                          .status = head.response.status};
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value map;
    if (hg_request_addresses(&request, &arena, &map) == HG_OK) {
        hg_buffer text = {0};
        hg_json_write(&map, 0, &text);
        hg_buffer_free(&text);
    }
    hg_arena_close(&arena);
    return 0;
}
