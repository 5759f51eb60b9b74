/* Transformers: never outside their input and room, the survey rules out no change, and a chain is its members. The
 * first bytes choose the chain. */
#include "text/transform.h"
#include "guard.h"
#include "text/survey.h"

static hg_transform_result run_alone(const hg_transform *t, hg_slice text, hg_arena *arena, hg_slice *out)
{
    size_t size = t->room_for ? t->room_for(text) : text.len;
    char *room = hg_arena_alloc(arena, size + 1, 1);
    room[size] = 0x5A;
    *out = text;
    hg_transform_result result = size == 0 ? HG_TRANSFORM_SAME : t->run(text, room, out);
    if (room[size] != 0x5A)
        abort();
    return result;
}

static void check_survey(hg_slice text, uint32_t traits, hg_arena *arena)
{
    hg_slice out;
    if (hg_survey_bytes(text) & ~traits)
        abort();
    for (size_t id = 0; id < hg_transform_count; id++) {
        const hg_transform *t = &hg_transforms[id];
        bool ruled_out = !(t->any & traits) || (t->none & traits);
        if (ruled_out && text.len > 0 && run_alone(t, text, arena, &out) != HG_TRANSFORM_SAME)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MEMBERS = 4 };
    if (size < MEMBERS)
        return 0;
    hg_slice text = guard(data + MEMBERS, size - MEMBERS);
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    uint32_t traits = hg_text_survey(text);
    check_survey(text, traits, &arena);
    hg_transform_chain chain = {0};
    hg_slice want = text;
    bool want_changed = false;
    for (int i = 0; i < MEMBERS; i++) {
        int id = data[i] % (int)hg_transform_count;
        hg_slice next;
        hg_transform_chain_add(&chain, id);
        hg_transform_result result =
            want.len > 0 ? run_alone(&hg_transforms[id], want, &arena, &next) : HG_TRANSFORM_SAME;
        if (result != HG_TRANSFORM_SAME)
            want = next;
        want_changed |= result == HG_TRANSFORM_CHANGED;
    }
    hg_slice out;
    bool changed;
    if (hg_transform_apply(&chain, text, traits, &arena, &out, &changed) != HG_OK || changed != want_changed ||
        !hg_slice_equal(out, changed ? want : text))
        abort();
    hg_arena_close(&arena);
    return 0;
}
