#include "value/encoder.h"

#include "base/clock.h"
#include "hotgate/memory.h"
#include "value/number.h"
#include "value/short_text.h"

enum { CLOCK_EVERY = 64 };

/* ---- life ---- */

void encoder_init(hg_encoder *e, const hg_limits *limits, const hg_allocator *a, hg_report *report)
{
    builder_init(&e->b, a);
    e->limits = limits ? *limits : hg_limits_of(HG_LIMITS_DEFAULT);
    if (e->limits.max_entries > HG_WIDE_MAX)
        e->limits.max_entries = HG_WIDE_MAX;
    if (e->limits.max_key == 0)
        e->limits.max_key = UINT32_MAX;
    e->report = report;
    if (report == NULL) {
        e->report = &e->unwanted;
        hg_report_init(e->report);
        e->unwanted.reasons = UINT32_MAX; /* no path is wanted either */
    }
    e->depth = 1;
    e->muted = 0;
    e->surplus = 0;
    e->seen = 0;
    e->left = 1;
    e->in_map = false;
    e->plain = e->limits.deep != HG_DEEP_CHILDREN_MAP &&
               !(e->limits.flags & (HG_LIMIT_STRINGIFY | HG_LIMIT_INTEGRAL_SIGNED));
    e->short_texts = e->limits.max_string >= HG_SMALL_STRING_MAX && e->limits.max_key >= HG_SMALL_STRING_MAX &&
                     e->limits.deep != HG_DEEP_CHILDREN_MAP &&
                     !(e->limits.flags & (HG_LIMIT_HEAP_STRINGS | HG_LIMIT_SKIP_EMPTY_KEYS));
    e->metered = e->limits.max_total != 0 || e->limits.deadline_ns != 0;
    e->expired = false;
    e->easy_close = e->b.arena != NULL && e->limits.duplicates == HG_DUPLICATES_KEEP;
    e->easy_depth = e->limits.max_depth < BUILDER_INLINE_FRAMES ? e->limits.max_depth : BUILDER_INLINE_FRAMES;
    e->why = MUTE_SURPLUS;
    e->total_left = e->limits.max_total ? e->limits.max_total : UINT32_MAX;
    e->until_clock = e->limits.deadline_ns != 0 ? CLOCK_EVERY : UINT32_MAX;
    e->scratch = (hg_buffer){.a = hg_pooled()};
}

void encoder_end(hg_encoder *e)
{
    builder_end(&e->b);
    if (e->scratch.ptr != NULL)
        hg_buffer_free(&e->scratch);
}

hg_status encoder_finish(hg_encoder *e, hg_value *out)
{
    hg_set_invalid(out);
    while (e->depth > 1 && !e->b.failed)
        encoder_close(e);
    if (e->b.failed)
        return HG_ERR_NOMEM;
    if (e->b.top == e->b.values)
        return HG_ERR_ARGUMENT;
    *out = *--e->b.top;
    return HG_OK;
}

/* ---- the report ---- */

static void path_byte(hg_report *r, char c)
{
    if (r->path_len < HG_REPORT_PATH - 1)
        r->path[r->path_len++] = c;
}

/* One step of a JSON pointer (RFC 6901). */
static void path_step(hg_report *r, hg_slice step)
{
    path_byte(r, '/');
    for (size_t i = 0; i < step.len && r->path_len < HG_REPORT_PATH - 1; i++) {
        char c = step.ptr[i];
        if (c == '~' || c == '/') {
            path_byte(r, '~');
            c = c == '~' ? '0' : '1';
        }
        path_byte(r, c);
    }
}

/* A step that is an inline text without special characters, with room to spare. */
static bool path_step_short(hg_report *r, const hg_value *key)
{
    if (key->type != HG_SMALL_STRING || r->path_len + sizeof *key > HG_REPORT_PATH || short_has_special(key))
        return false;
    char *out = r->path + r->path_len;
    out[0] = '/';
    memcpy(out + 1, key->sstr.data, HG_SMALL_STRING_MAX);
    r->path_len = (uint8_t)(r->path_len + 1 + key->sstr.size);
    return true;
}

static void path_of(const builder *b, size_t levels, hg_report *r)
{
    r->path_len = 0;
    for (size_t i = 0; i < levels; i++) {
        const hg_value *first = b->values + b->frames[i].start;
        const hg_value *next = i + 1 < b->depth ? b->values + b->frames[i + 1].start : b->top;
        size_t slots = (size_t)(next - first);
        if (b->frames[i].kind == HG_MAP) {
            if (slots % 2 != 0 && !path_step_short(r, next - 1))
                path_step(r, hg_value_string(next - 1));
        } else {
            char digits[20];
            path_step(r, hg_slice_of(digits, number_digits(slots, digits)));
        }
    }
    r->path[r->path_len] = 0;
}

static void count_reason(hg_report *r, hg_reason reason, uint64_t true_size)
{
    hg_truncation *t = &r->of[__builtin_ctz((unsigned)reason)];
    t->count++;
    t->sum += true_size;
    t->max = t->max > true_size ? t->max : true_size;
    r->reasons |= (uint32_t)reason;
}

void encoder_note(hg_encoder *e, hg_reason reason, uint64_t true_size, bool of_entry)
{
    hg_report *r = e->report;
    if (r->reasons == 0)
        path_of(&e->b, of_entry || e->b.depth == 0 ? e->b.depth : e->b.depth - 1, r);
    count_reason(r, reason, true_size);
    if (reason == HG_REASON_OBJECT_TOO_DEEP && (e->limits.flags & HG_LIMIT_DEPTH_IS_SIZE))
        count_reason(r, HG_REASON_CONTAINER_TOO_LARGE, true_size);
}

/* ---- entries ---- */

static bool refuse(hg_encoder *e)
{
    if (e->muted == 0) {
        e->muted = e->depth;
        e->why = MUTE_SURPLUS;
        e->surplus = 0;
    }
    if (e->depth == e->muted)
        e->surplus++;
    return false;
}

bool encoder_is_late(hg_encoder *e)
{
    if (e->limits.deadline_ns == 0 || e->expired) {
        e->until_clock = UINT32_MAX;
        return e->expired;
    }
    e->until_clock = CLOCK_EVERY;
    if (hg_clock_monotonic_ns() < e->limits.deadline_ns)
        return false;
    e->expired = true;
    e->easy_close = false;
    e->left = 0;
    encoder_note(e, HG_REASON_TIMEOUT, 0, true);
    return true;
}

static bool deadline_passed(hg_encoder *e)
{
    return e->limits.deadline_ns != 0 && --e->until_clock == 0 && encoder_is_late(e);
}

bool encoder_entry_slow(hg_encoder *e)
{
    if (e->muted != 0 || e->left == 0 || deadline_passed(e))
        return refuse(e);
    uint32_t cost = e->in_map && (e->limits.flags & HG_LIMIT_TOTAL_KEYS) ? 2 : 1;
    if (e->limits.max_total != 0) {
        if (e->total_left < cost)
            return refuse(e);
        e->total_left -= cost;
    }
    e->left--;
    return true;
}

/* Behind a value that was not kept because of its key. */
static void end_dropped_pair(hg_encoder *e)
{
    if (e->why == MUTE_PAIR && e->depth == e->muted)
        e->muted = 0;
}

bool encoder_value_muted(hg_encoder *e)
{
    if (e->why == MUTE_SURPLUS && !e->in_map)
        return refuse(e);
    end_dropped_pair(e);
    return false;
}

void encoder_skipped(hg_encoder *e, size_t n)
{
    if (n == 0)
        return;
    if (e->muted == 0)
        refuse(e), n--;
    if (e->depth == e->muted && e->why == MUTE_SURPLUS)
        e->surplus += n;
}

/* ---- scalars ---- */

bool encoder_put(hg_encoder *e, const hg_value *v)
{
    if (!encoder_value(e))
        return true;
    if (!e->plain)
        return encoder_put_special(e, v);
    hg_value *slot = builder_push(&e->b);
    if (slot == NULL)
        return false;
    *slot = *v;
    return true;
}

bool encoder_invalid(hg_encoder *e)
{
    if (!e->in_map && e->depth > 1) {
        if (encoder_is_muted(e))
            encoder_value(e); /* one more that is not kept */
        else
            encoder_note(e, HG_REASON_UNSUPPORTED, 0, true);
        return true; /* dropped: it does not use up an entry */
    }
    if (!encoder_value(e))
        return true;
    encoder_note(e, HG_REASON_UNSUPPORTED, 0, true);
    hg_value *slot = builder_push(&e->b);
    if (slot != NULL)
        hg_set_invalid(slot);
    return slot != NULL;
}

bool encoder_number(hg_encoder *e, hg_slice digits)
{
    bool integral;
    hg_value v;
    if (digits.len == 0 || number_scan(digits, &integral) != digits.len)
        return encoder_utf8(e, digits, false);
    if (integral && number_to_integer(digits, false, &v))
        return encoder_put(e, &v);
    double d = number_to_double(digits);
    if (d - d != 0) /* infinite: the text says more */
        return encoder_utf8(e, digits, false);
    hg_set_float(&v, d);
    return encoder_put(e, &v);
}

/* ---- containers ---- */

bool encoder_is_ancestor(const hg_encoder *e, const void *identity)
{
    for (size_t i = e->b.depth; i > 0; i--) {
        if (e->b.frames[i - 1].identity == identity)
            return true;
    }
    return false;
}

/* The container that opens here is not kept; only its end matters. */
static bool open_phantom(hg_encoder *e)
{
    e->muted = ++e->depth;
    e->why = MUTE_PHANTOM;
    return true;
}

/* What a container becomes that closes a cycle: invalid in a map, nothing in an array. */
static bool open_cycle(hg_encoder *e)
{
    encoder_note(e, HG_REASON_CYCLE, e->depth, true);
    if (e->in_map) {
        hg_value *slot = builder_push(&e->b);
        if (slot == NULL)
            return false;
        hg_set_invalid(slot);
    } else {
        e->left++;
    }
    return open_phantom(e);
}

/* A container below the deepest level, under any policy but an empty one of the same kind. */
static bool open_deep(hg_encoder *e)
{
    encoder_note(e, HG_REASON_OBJECT_TOO_DEEP, e->depth, true);
    hg_deep deep = (hg_deep)e->limits.deep;
    bool drop = deep == HG_DEEP_DROP || (deep == HG_DEEP_INVALID && !e->in_map);
    if (drop) {
        e->left++;
        if (e->in_map)
            builder_drop(&e->b);
        return open_phantom(e);
    }
    hg_value *slot = builder_push(&e->b);
    if (slot == NULL)
        return false;
    if (deep == HG_DEEP_NULL)
        hg_set_null(slot);
    else if (deep == HG_DEEP_INVALID)
        hg_set_invalid(slot);
    else
        container_set(slot, HG_MAP, 0, 0, NULL);
    return open_phantom(e);
}

bool encoder_open(hg_encoder *e, uint8_t kind, const void *identity)
{
    if (e->muted != 0) {
        if (e->depth == e->muted && e->why == MUTE_SURPLUS && !e->in_map)
            e->surplus++;
        e->depth++;
        return true;
    }
    if (!e->in_map && !encoder_entry(e)) {
        e->depth++;
        return true;
    }
    if (identity != NULL && encoder_is_ancestor(e, identity))
        return open_cycle(e);
    if (__builtin_expect(e->depth > e->limits.max_depth && e->limits.deep != HG_DEEP_EMPTY, 0))
        return open_deep(e);
    if (!builder_open(&e->b, kind))
        return false;
    builder_frame *frame = &e->b.frames[e->b.depth - 1];
    frame->outer_map = e->in_map;
    frame->outer_left = e->left;
    frame->outer_seen = e->seen;
    frame->identity = identity;
    if (identity != NULL)
        e->seen |= encoder_identity_bit(identity);
    e->depth++;
    e->in_map = kind == HG_MAP;
    e->left = e->depth - 1 > e->limits.max_depth || e->expired ? 0 : e->limits.max_entries;
    return true;
}

/* The container closes with entries that were not kept. */
static void note_surplus(hg_encoder *e)
{
    size_t level = e->depth - 1;
    if (level > e->limits.max_depth)
        encoder_note(e, HG_REASON_OBJECT_TOO_DEEP, level, false);
    else if (!e->expired)
        encoder_note(e, HG_REASON_CONTAINER_TOO_LARGE, builder_count(&e->b) + e->surplus, false);
    e->muted = 0;
}

bool encoder_close(hg_encoder *e)
{
    if (e->muted != 0) {
        if (e->depth > e->muted) {
            e->depth--;
            end_dropped_pair(e);
            return true;
        }
        if (e->why == MUTE_PHANTOM) {
            e->depth--;
            e->muted = 0;
            return true;
        }
        if (e->why == MUTE_SURPLUS)
            note_surplus(e);
        e->muted = 0;
    }
    if (e->limits.duplicates != HG_DUPLICATES_KEEP && e->in_map)
        encoder_drop_duplicates(e);
    if (!builder_close(&e->b))
        return false;
    const builder_frame *frame = &e->b.frames[e->b.depth];
    e->left = e->expired ? 0 : frame->outer_left;
    e->in_map = frame->outer_map;
    e->seen = frame->outer_seen;
    e->depth--;
    return true;
}
