/* Any text as a configuration: loading it twice under two profiles, building, one request. Also fails one allocation of
 * the diagnostics, chosen by the first byte. */
#include "failing.h"
#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(hg_waf *waf, const hg_value *input)
{
    const hg_result *result;
    hg_context *context = hg_context_new(waf);
    if (context != NULL)
        hg_context_eval(context, input, 1000000, &result);
    hg_context_free(context);
}

static void load(const hg_profile *profile, const hg_value *root, size_t fail_at)
{
    failing f;
    failing_init(&f, fail_at);
    hg_builder *builder = hg_builder_new_with(profile, HG_SLICE("token"), HG_SLICE(""));
    hg_value diagnostics;
    if (hg_builder_set(builder, HG_SLICE("a"), root, &diagnostics, &f.allocator) != HG_ERR_NOMEM)
        hg_value_free(&diagnostics, &f.allocator);
    if (f.live_blocks != 0)
        __builtin_trap();
    hg_builder_set(builder, HG_SLICE("b"), root, NULL, NULL);
    hg_waf *waf = hg_builder_build(builder, NULL);
    hg_builder_remove(builder, HG_SLICE("a"));
    hg_builder_free(builder);
    if (waf != NULL && hg_is_map(root))
        judge(waf, root); /* the configuration itself as a request */
    hg_waf_unref(waf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    hg_arena arena;
    hg_value root;
    hg_arena_init(&arena, NULL);
    const hg_json_options options = {.dialect = HG_JSON_LENIENT};
    hg_slice text = hg_slice_of((const char *)data + 1, size - 1);
    if (hg_json_read(text, &options, &root, hg_arena_allocator(&arena), NULL) == HG_OK) {
        load(&hg_profile_ddwaf2, &root, data[0]);
        load(&hg_profile_ddwaf1, &root, SIZE_MAX);
    }
    hg_arena_close(&arena);
    return 0;
}
