/* Obfuscation of reported matches (waf-eval 9). */
#include "waf/eval/report.h"

enum { GROUPS_MAX = 8 }; /* capture groups of the default value regex */

#define REDACTED HG_SLICE("<Redacted>")

static bool path_is_secret(hg_run *run, const hg_regex *key, const hg_match_part *part)
{
    for (uint32_t i = 0; key != NULL && i < part->path_length; i++)
        if (hg_is_string(&part->path[i]) &&
            hg_regex_test(key, run->env.regex, hg_value_string(&part->path[i])))
            return true;
    return false;
}

/* The first group that holds something, or NULL. */
static const hg_span *secret_group(const hg_span *spans)
{
    for (int i = 1; i <= GROUPS_MAX; i++)
        if (spans[i].begin != SIZE_MAX && spans[i].end > spans[i].begin)
            return &spans[i];
    return NULL;
}

/* Replaces the secret of each match; the same slice if there is none. */
static hg_slice hide_groups(hg_run *run, const hg_regex *value, hg_slice text)
{
    hg_buffer out = {.a = hg_arena_allocator(&run->context->call)};
    hg_span spans[GROUPS_MAX + 1];
    size_t copied = 0, from = 0;
    bool hidden = false;
    while (from <= text.len && hg_regex_match(value, run->env.regex, text, from, spans, GROUPS_MAX + 1)) {
        const hg_span *secret = secret_group(spans);
        if (secret != NULL) {
            hg_buffer_append(&out, hg_slice_of(text.ptr + copied, secret->begin - copied));
            hg_buffer_append(&out, REDACTED);
            copied = secret->end;
            hidden = true;
        }
        from = spans[0].end > spans[0].begin ? spans[0].end : spans[0].end + 1;
    }
    if (!hidden)
        return text;
    hg_buffer_append(&out, hg_slice_skip(text, copied));
    run->failed |= out.failed;
    return hg_slice_of(out.ptr, out.len);
}

static bool redact_value(hg_run *run, const hg_obfuscator *how, hg_slice *text)
{
    if (how->value == NULL)
        return false;
    if (how->default_value) {
        hg_slice hidden = hide_groups(run, how->value, *text);
        bool changed = hidden.ptr != text->ptr;
        *text = hidden;
        return changed;
    }
    if (!hg_regex_test(how->value, run->env.regex, *text))
        return false;
    *text = REDACTED;
    return true;
}

void hg_redact(hg_run *run, const hg_match *match, hg_redaction *out)
{
    const hg_obfuscator *own = run->context->obfuscator;
    const hg_obfuscator *how = own != NULL ? own : run->plan->ruleset->obfuscator;
    out->highlight = false;
    for (uint32_t i = 0; i < match->part_count; i++) {
        const hg_match_part *part = &match->parts[i];
        out->values[i] = part->value;
        if (how == NULL)
            continue;
        bool redacted = path_is_secret(run, how->key, part);
        if (redacted)
            out->values[i] = REDACTED;
        else
            redacted = redact_value(run, how, &out->values[i]);
        /* The flag is that of the last redacted argument. */
        if (redacted)
            out->highlight =
                hg_slice_equal(part->name, HG_SLICE("input")) || hg_slice_equal(part->name, HG_SLICE("params"));
    }
}
