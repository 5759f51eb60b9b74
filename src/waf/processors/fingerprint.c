#include "waf/processors/fingerprint.h"

#include "base/sha256.h"
#include "text/bytes.h"

hg_digest hg_digest_of(hg_slice s)
{
    static const char hex[] = "0123456789abcdef";
    uint8_t digest[32];
    hg_digest field = {.present = true, .len = HG_DIGEST_SIZE};
    hg_sha256_of(s, digest);
    for (int i = 0; i < HG_DIGEST_SIZE; i++)
        field.digits[i] = hex[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    return field;
}

/* Working memory that is given back at once. */
static char *borrow(hg_arena *arena, size_t size)
{
    return hg_arena_alloc(arena, size + 1, 1);
}

static void give_back(hg_arena *arena, char *text, size_t size)
{
    hg_arena_resize(arena, text, size + 1, 0, 1);
}

static char *append_lowered(char *to, hg_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        *to++ = (char)hg_to_lower((uint8_t)s.ptr[i]);
    return to;
}

bool hg_digest_of_lowered(hg_arena *arena, hg_slice s, hg_digest *out)
{
    *out = (hg_digest){.present = true};
    if (s.len == 0)
        return true;
    char *text = borrow(arena, s.len);
    if (text == NULL)
        return false;
    append_lowered(text, s);
    *out = hg_digest_of(hg_slice_of(text, s.len));
    give_back(arena, text, s.len);
    return true;
}

const hg_sorted *hg_sorted_entries(hg_arena *arena, const hg_value *map, size_t *count)
{
    size_t size = hg_is_map(map) ? hg_value_size(map) : 0;
    hg_sorted *entries = hg_arena_alloc(arena, (2 * size + 1) * sizeof *entries, _Alignof(hg_sorted));
    if (entries == NULL)
        return NULL;
    const hg_pair *pairs = hg_map_pairs(map);
    for (size_t i = 0; i < size; i++)
        entries[i] = (hg_sorted){hg_value_string(&pairs[i].key), &pairs[i].val, 0};
    hg_sort(entries, entries + size, size, HG_SORT_NO_CASE);
    *count = size;
    return entries;
}

static char *append_escaped(char *to, hg_slice s, bool lower)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == ',')
            *to++ = '\\';
        *to++ = lower ? (char)hg_to_lower((uint8_t)s.ptr[i]) : s.ptr[i];
    }
    return to;
}

static hg_slice part_of(const hg_sorted *entry, bool keys)
{
    return keys ? entry->key : hg_text_of(entry->value);
}

static bool field_of_list(hg_arena *arena, const hg_sorted *entries, size_t count, bool keys, hg_digest *out)
{
    *out = (hg_digest){.present = true};
    if (count == 0)
        return true;
    size_t room = 0;
    for (size_t i = 0; i < count; i++)
        room += 2 * part_of(&entries[i], keys).len + 1;
    char *text = borrow(arena, room);
    if (text == NULL)
        return false;
    char *to = text;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *to++ = ',';
        to = append_escaped(to, part_of(&entries[i], keys), keys);
    }
    *out = hg_digest_of(hg_slice_of(text, (size_t)(to - text)));
    give_back(arena, text, room);
    return true;
}

bool hg_digest_of_keys(hg_arena *arena, const hg_sorted *entries, size_t count, hg_digest *out)
{
    return field_of_list(arena, entries, count, true, out);
}

bool hg_digest_of_values(hg_arena *arena, const hg_sorted *entries, size_t count, hg_digest *out)
{
    return field_of_list(arena, entries, count, false, out);
}

hg_slice hg_text_of(const hg_value *v)
{
    if (hg_is_array(v) && hg_value_size(v) == 1)
        v = hg_array_items(v);
    return hg_value_string(v);
}

hg_slice hg_decimal(size_t n, char room[HG_DECIMAL_SIZE])
{
    size_t at = HG_DECIMAL_SIZE;
    do
        room[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    return hg_slice_of(room + at, HG_DECIMAL_SIZE - at);
}

hg_generated hg_fingerprint(hg_arena *arena, const hg_slice *parts, size_t count, hg_value *out)
{
    size_t size = count - 1;
    for (size_t i = 0; i < count; i++)
        size += parts[i].len;
    char *text = hg_arena_alloc(arena, size, 1);
    if (text == NULL)
        return HG_GENERATED_ERROR;
    char *to = text;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *to++ = '-';
        if (parts[i].len > 0)
            memcpy(to, parts[i].ptr, parts[i].len);
        to += parts[i].len;
    }
    hg_set_borrowed(out, hg_slice_of(text, size));
    return HG_GENERATED_VALUE;
}
