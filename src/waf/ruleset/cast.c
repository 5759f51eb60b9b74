/* Conversions of configuration values (waf-config 1). */
#include "waf/ruleset/reader.h"

#include <math.h>

#include "value/number.h"
#include "waf/scalar_text.h"

/* A string without bytes to point at is no string in libddwaf 1 (the facade hands it over as it came). */
static bool is_string(const hg_value *v)
{
    return hg_is_string(v) && (v->type == HG_SMALL_STRING || v->str.ptr != NULL || v->str.size == 0);
}

static bool copy(hg_reader *r, hg_slice s, hg_slice *out)
{
    bool ok;
    *out = hg_arena_copy(r->arena, s, &ok);
    return ok || hg_read_nomem(r);
}

bool hg_cast_string(hg_reader *r, const hg_value *v, void *out)
{
    if (!hg_is_scalar(v) || (hg_is_string(v) && !is_string(v)))
        return hg_read_bad_cast(r, v, "string");
    char room[HG_SCALAR_TEXT_MAX];
    return copy(r, hg_scalar_text(r->profile, v, room), out);
}

bool hg_cast_view(hg_reader *r, const hg_value *v, void *out)
{
    if (!is_string(v))
        return hg_read_bad_cast(r, v, "string_view");
    return copy(r, hg_value_string(v), out);
}

static bool word_is(hg_slice s, const char *word)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        if (word[i] == '\0' || c != word[i])
            return false;
    }
    return word[s.len] == '\0';
}

bool hg_cast_bool(hg_reader *r, const hg_value *v, void *out)
{
    bool *flag = out;
    if (v->type == HG_BOOL) {
        *flag = v->b8.val;
        return true;
    }
    hg_slice s = hg_value_string(v);
    if (!is_string(v) || s.len > 5 || !(word_is(s, "true") || word_is(s, "false")))
        return hg_read_bad_cast(r, v, "bool");
    *flag = s.len == 4;
    return true;
}

/* Decimal digits up to the end; false when there are none, other bytes, or more than fits. */
static bool digits(hg_slice s, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned char)s.ptr[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return s.len > 0;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

typedef struct integer_text {
    bool negative;
    uint64_t magnitude;
} integer_text;

/* libddwaf 2 takes a minus only; libddwaf 1 also a plus, and blanks before the sign. */
static bool integer_of(const hg_profile *profile, hg_slice s, integer_text *out)
{
    while (profile->lax_numbers && s.len > 0 && is_space(s.ptr[0]))
        s = hg_slice_skip(s, 1);
    out->negative = s.len > 0 && s.ptr[0] == '-';
    bool sign = out->negative || (profile->lax_numbers && s.len > 0 && s.ptr[0] == '+');
    return digits(hg_slice_skip(s, sign), &out->magnitude);
}

static bool unsigned_text(const hg_profile *profile, hg_slice s, uint64_t *out)
{
    integer_text t;
    if (!integer_of(profile, s, &t) || (t.negative && !profile->lax_numbers))
        return false;
    *out = t.negative ? 0 - t.magnitude : t.magnitude;
    return true;
}

static bool signed_text(const hg_profile *profile, hg_slice s, int64_t *out)
{
    integer_text t;
    if (!integer_of(profile, s, &t) || t.magnitude > (uint64_t)INT64_MAX + t.negative)
        return false;
    *out = (int64_t)(t.negative ? 0 - t.magnitude : t.magnitude);
    return true;
}

bool hg_as_unsigned(const hg_profile *profile, const hg_value *v, uint64_t *out)
{
    const double largest = 0xFFFFFFFFFFFFF800p0;
    switch (v->type) {
    case HG_UNSIGNED:
        *out = v->u64.val;
        return true;
    case HG_SIGNED:
        *out = (uint64_t)v->i64.val;
        return v->i64.val >= 0;
    case HG_FLOAT:
        if (!(v->f64.val >= 0 && v->f64.val <= largest && v->f64.val == floor(v->f64.val)))
            return false;
        *out = (uint64_t)v->f64.val;
        return true;
    default:
        return is_string(v) && unsigned_text(profile, hg_value_string(v), out);
    }
}

bool hg_cast_unsigned(hg_reader *r, const hg_value *v, void *out)
{
    return hg_as_unsigned(r->profile, v, out) || hg_read_bad_cast(r, v, "unsigned");
}

bool hg_cast_signed(hg_reader *r, const hg_value *v, void *out)
{
    int64_t *number = out;
    const double largest = 0x7FFFFFFFFFFFFC00p0;
    switch (v->type) {
    case HG_SIGNED:
        *number = v->i64.val;
        return true;
    case HG_UNSIGNED:
        *number = (int64_t)v->u64.val;
        return v->u64.val <= INT64_MAX || hg_read_bad_cast(r, v, "signed");
    case HG_FLOAT:
        if (!(v->f64.val >= -0x1p63 && v->f64.val <= largest && v->f64.val == floor(v->f64.val)))
            return hg_read_bad_cast(r, v, "signed");
        *number = (int64_t)v->f64.val;
        return true;
    default:
        return (is_string(v) && signed_text(r->profile, hg_value_string(v), number)) ||
               hg_read_bad_cast(r, v, "signed");
    }
}

static size_t count_digits(hg_slice s)
{
    size_t n = 0;
    while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
        n++;
    return n;
}

/* Copies s without its sign as a number of JSON, which wants a digit on both sides of a point and no leading zeros.
 * 0 if s is no decimal floating number or longer than the room. */
static size_t as_json_number(hg_slice s, char *room, size_t size)
{
    size_t whole = count_digits(s), length = 0;
    hg_slice rest = hg_slice_skip(s, whole);
    bool point = rest.len > 0 && rest.ptr[0] == '.';
    size_t fraction = point ? count_digits(hg_slice_skip(rest, 1)) : 0;
    rest = hg_slice_skip(rest, point + fraction);
    if (whole + fraction == 0 || s.len + 2 > size)
        return 0;
    size_t zeros = 0;
    while (zeros + 1 < whole && s.ptr[zeros] == '0')
        zeros++;
    if (whole == 0)
        room[length++] = '0';
    memcpy(room + length, s.ptr + zeros, whole - zeros);
    length += whole - zeros;
    if (fraction > 0) {
        memcpy(room + length, s.ptr + whole, fraction + 1);
        length += fraction + 1;
    }
    memcpy(room + length, rest.ptr, rest.len);
    return length + rest.len;
}

/* The whole of s as a decimal floating number, infinity or NaN, whatever the locale. */
static bool double_text(hg_slice s, double *out)
{
    char text[512];
    bool negative = s.len > 0 && s.ptr[0] == '-';
    s = hg_slice_skip(s, negative);
    if (word_is(s, "inf") || word_is(s, "infinity") || word_is(s, "nan")) {
        *out = s.ptr[0] == 'n' || s.ptr[0] == 'N' ? (double)NAN : (double)INFINITY;
    } else {
        bool integral;
        size_t length = as_json_number(s, text, sizeof text);
        if (length == 0 || number_scan(hg_slice_of(text, length), &integral) != length)
            return false;
        *out = number_to_double(hg_slice_of(text, length));
        if (isinf(*out))
            return false;
    }
    if (negative)
        *out = -*out;
    return true;
}

bool hg_cast_double(hg_reader *r, const hg_value *v, void *out)
{
    if (v->type == HG_FLOAT) {
        *(double *)out = v->f64.val;
        return true;
    }
    return (is_string(v) && double_text(hg_value_string(v), out)) || hg_read_bad_cast(r, v, "double");
}

bool hg_cast_array(hg_reader *r, const hg_value *v, void *out)
{
    if (!hg_is_array(v))
        return hg_read_bad_cast(r, v, "array");
    *(const hg_value **)out = v;
    return true;
}

bool hg_cast_table(hg_reader *r, const hg_value *v, void *out)
{
    if (!hg_is_map(v))
        return hg_read_bad_cast(r, v, "map");
    const hg_pair *pairs = hg_map_pairs(v);
    size_t size = hg_value_size(v);
    for (size_t i = 0; i < size; i++) {
        if (!is_string(&pairs[i].key) || (hg_value_string(&pairs[i].key).len == 0 && !r->profile->empty_keys))
            return HG_READ_ERROR(r, v, HG_SLICE("malformed object, invalid key on map entry"));
    }
    ((hg_table *)out)->map = v;
    return true;
}

static bool slices(hg_reader *r, const hg_value *v, hg_cast *cast, hg_slices *out)
{
    if (!hg_is_array(v))
        return hg_read_bad_cast(r, v, "array");
    size_t size = hg_value_size(v);
    const hg_value *items = hg_array_items(v);
    hg_slice *list = HG_READ_NEW(r, hg_slice, size);
    if (list == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!cast(r, &items[i], &list[i]))
            return false;
    *out = (hg_slices){list, (uint32_t)size};
    return true;
}

bool hg_cast_strings(hg_reader *r, const hg_value *v, void *out)
{
    return slices(r, v, hg_cast_string, out);
}

static bool list_view(hg_reader *r, const hg_value *v, void *out)
{
    if (!is_string(v))
        return HG_READ_ERROR(
            r, v, HG_SLICE("malformed object, item in array not a string, can't cast to string_view vector"));
    return copy(r, hg_value_string(v), out);
}

bool hg_cast_views(hg_reader *r, const hg_value *v, void *out)
{
    return slices(r, v, list_view, out);
}

bool hg_read_is_repeated(hg_reader *r, const hg_value *map, size_t i, hg_id_map *seen)
{
    hg_slice key = hg_value_string(&hg_map_pairs(map)[i].key);
    if (hg_value_size(map) <= 16)
        return hg_map_find(map, key) != &hg_map_pairs(map)[i].val;
    seen->arena = r->arena;
    return hg_id_map_has(seen, key) || !(hg_id_map_put(seen, key, 0) || hg_read_nomem(r));
}

static bool tags_of(hg_reader *r, const hg_value *map, bool tied, hg_tags *out)
{
    size_t size = hg_value_size(map);
    const hg_pair *pairs = hg_map_pairs(map);
    hg_tag *tags = HG_READ_NEW(r, hg_tag, size);
    if (tags == NULL)
        return false;
    hg_id_map seen = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) {
        hg_slice key = hg_value_string(&pairs[i].key);
        if (hg_read_is_repeated(r, map, i, &seen))
            continue;
        if (!hg_cast_string(r, &pairs[i].val, &tags[count].value))
            return tied && hg_read_tie(r, key);
        if (!copy(r, key, &tags[count].key))
            return false;
        count++;
    }
    *out = (hg_tags){tags, count};
    return r->failure == HG_FAILURE_NONE;
}

bool hg_cast_tags(hg_reader *r, const hg_value *v, void *out)
{
    hg_table table;
    return hg_cast_table(r, v, &table) && tags_of(r, v, false, out);
}

bool hg_cast_tags_tied(hg_reader *r, const hg_value *map, hg_tags *out)
{
    return tags_of(r, map, true, out);
}

static bool step_by_index(const hg_value *v, hg_step *step)
{
    step->by_index = true;
    step->index = v->i64.val;
    return v->type == HG_SIGNED || v->u64.val <= INT64_MAX;
}

bool hg_cast_key_path(hg_reader *r, const hg_value *v, void *out)
{
    if (!hg_is_array(v))
        return hg_read_bad_cast(r, v, "array");
    size_t size = hg_value_size(v);
    const hg_value *items = hg_array_items(v);
    hg_step *steps = HG_READ_NEW(r, hg_step, size);
    if (steps == NULL)
        return false;
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) {
        bool integer = items[i].type == HG_SIGNED || items[i].type == HG_UNSIGNED;
        if (integer && r->profile->index_steps) {
            if (!step_by_index(&items[i], &steps[count++]))
                return hg_read_bad_cast(r, &items[i], "signed");
        } else if (hg_is_string(&items[i]) || !r->profile->index_steps) {
            if (!hg_cast_string(r, &items[i], &steps[count++].key))
                return false;
        }
    }
    *(hg_key_path *)out = (hg_key_path){steps, count};
    return true;
}

/* 1 to 3 digits. */
static bool component(hg_slice s, uint32_t *out)
{
    uint64_t value;
    if (s.len > 3 || !digits(s, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

static size_t find(hg_slice s, char c)
{
    const char *at = s.len > 0 ? memchr(s.ptr, c, s.len) : NULL;
    return at != NULL ? (size_t)(at - s.ptr) : SIZE_MAX;
}

bool hg_cast_version(hg_reader *r, const hg_value *v, void *out)
{
    if (!is_string(v))
        return hg_read_bad_cast(r, v, "string");
    hg_slice s = hg_value_string(v);
    size_t first = find(s, '.');
    hg_slice rest = hg_slice_skip(s, first == SIZE_MAX ? s.len : first + 1);
    size_t second = find(rest, '.');
    if (second == SIZE_MAX)
        return HG_READ_ERROR(r, v, HG_SLICE("invalid version syntax"));
    static const char *const names[] = {"major", "minor", "patch"};
    hg_slice texts[3] = {hg_slice_take(s, first), hg_slice_take(rest, second), hg_slice_skip(rest, second + 1)};
    texts[2] = hg_slice_take(texts[2], find(texts[2], '-'));
    uint32_t number = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t part;
        if (!component(texts[i], &part))
            return HG_READ_ERROR(r, v, HG_SLICE("invalid "), hg_slice_from(names[i]), HG_SLICE(" version: "),
                                 texts[i]);
        number = number * 1000 + part;
    }
    *(uint32_t *)out = number;
    return true;
}

bool hg_read_scalar(hg_reader *r, const hg_value *v, hg_value *out)
{
    *out = *v;
    if (hg_is_string(v) && !is_string(v))
        return hg_read_bad_cast(r, v, "string");
    if (!hg_is_string(v) || v->type == HG_SMALL_STRING)
        return true;
    hg_slice s;
    if (!copy(r, hg_value_string(v), &s))
        return false;
    hg_set_literal(out, s);
    return true;
}
