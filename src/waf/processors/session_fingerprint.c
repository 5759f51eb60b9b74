/* session_fingerprint: user, cookies and session (waf-processors 3.4). */
#include "waf/processors/fingerprint.h"

enum { COOKIES, SESSION, USER };

/* Fields once made stay as they are; what is missing is added when it comes. */
typedef struct session {
    hg_digest user;
    hg_digest keys;
    hg_digest values;
    hg_digest session;
} session;

static bool add_text(hg_arena *arena, const hg_value *text, hg_digest *field)
{
    return field->present || text == NULL || hg_digest_of_lowered(arena, hg_value_string(text), field);
}

static bool add_cookies(hg_arena *arena, const hg_value *map, session *s)
{
    if (s->keys.present || map == NULL)
        return true;
    size_t count;
    const hg_sorted *entries = hg_sorted_entries(arena, map, &count);
    return entries != NULL && hg_digest_of_keys(arena, entries, count, &s->keys) &&
           hg_digest_of_values(arena, entries, count, &s->values);
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    session *s = g->fields;
    if (!add_text(g->arena, g->inputs[USER], &s->user) || !add_cookies(g->arena, g->inputs[COOKIES], s) ||
        !add_text(g->arena, g->inputs[SESSION], &s->session))
        return HG_GENERATED_ERROR;
    const hg_slice parts[] = {HG_SLICE("ssn"), hg_digest_text(&s->user), hg_digest_text(&s->keys),
                              hg_digest_text(&s->values), hg_digest_text(&s->session)};
    return hg_fingerprint(g->arena, parts, sizeof parts / sizeof *parts, out);
}

const hg_generator hg_generator_session_fingerprint = {
    .name = HG_SLICE("session_fingerprint"),
    .id = HG_GENERATE_SESSION_FINGERPRINT,
    .parameters = {{HG_SLICE("cookies"), HG_INPUT_MAP, true},
                   {HG_SLICE("session_id"), HG_INPUT_STRING, true},
                   {HG_SLICE("user_id"), HG_INPUT_STRING, true}},
    .generate = generate,
    .fields_size = sizeof(session),
};
