/* Judges one request target with the rules of a file:
 *   cc examples/judge.c $(pkg-config --cflags --libs hotgate) -o judge
 *   ./judge rules/hotgate.json '/search?q=<script>alert(1)</script>' */
#include <hotgate/request.h>
#include <hotgate/waf.h>
#include <stdio.h>
#include <stdlib.h>

static hg_slice read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return hg_slice_of(NULL, 0);
    long size = ftell(file);
    char *bytes = malloc(size > 0 ? (size_t)size : 1);
    rewind(file);
    size_t read = bytes != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return hg_slice_of(bytes, read);
}

/* Once: rules become an instance that any number of threads may use. */
static hg_waf *load(hg_slice text)
{
    hg_arena arena;
    hg_value rules;
    hg_waf *waf = NULL;
    hg_arena_init(&arena, NULL);
    hg_builder *builder = hg_builder_new();
    if (builder != NULL && hg_json_read(text, NULL, &rules, hg_arena_allocator(&arena), NULL) == HG_OK &&
        hg_builder_set(builder, HG_SLICE("rules"), &rules, NULL, NULL) == HG_OK)
        waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    hg_arena_close(&arena);
    return waf;
}

/* For each request: its parts become a map of addresses, a context judges it. */
static int judge(hg_waf *waf, const char *target)
{
    const hg_request request = {.method = HG_SLICE("GET"), .uri = hg_slice_from(target)};
    const hg_result *result;
    hg_arena arena;
    hg_value addresses;
    int answer = 2;
    hg_arena_init(&arena, NULL);
    hg_context *context = hg_context_new(waf);
    if (context != NULL && hg_request_addresses(&request, &arena, &addresses) == HG_OK &&
        hg_context_eval(context, &addresses, 10000, &result) == HG_OK) {
        hg_buffer text = {0};
        hg_json_write(&result->value, 0, &text);
        printf("%s: %s\n%.*s\n", target, result->match ? "match" : "ok", (int)text.len, text.ptr);
        hg_buffer_free(&text);
        answer = result->match;
    }
    hg_context_free(context);
    hg_arena_close(&arena);
    return answer;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "usage: judge RULES TARGET\n"), 2;
    hg_slice text = read_file(argv[1]);
    hg_waf *waf = load(text);
    free((char *)text.ptr);
    if (waf == NULL)
        return fprintf(stderr, "judge: %s: no usable rules\n", argv[1]), 2;
    int answer = judge(waf, argv[2]);
    hg_waf_unref(waf);
    return answer;
}
