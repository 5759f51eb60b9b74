/* What the four fingerprints share: sorted keys, hashes of them, and the text they are written into. */
#ifndef WAF_PROCESSORS_FINGERPRINT_H
#define WAF_PROCESSORS_FINGERPRINT_H

#include "waf/processors/processor.h"

enum { HG_DIGEST_SIZE = 8 };

/* Digits of a hash; empty for an absent or empty input. */
typedef struct hg_digest {
    bool present; /* the input was there: the field is final */
    uint8_t len;
    char digits[HG_DIGEST_SIZE];
} hg_digest;

/* The first digits of the SHA-256 of s. */
hg_digest hg_digest_of(hg_slice s);

/* The same of s in lower case; an empty field for an empty s. False: out of memory. */
bool hg_digest_of_lowered(hg_arena *arena, hg_slice s, hg_digest *out);

static inline hg_slice hg_digest_text(const hg_digest *field)
{
    return hg_slice_of(field->digits, field->len);
}

/* An entry of a map, to be sorted by its key. */
typedef struct hg_sorted {
    hg_slice key;
    const hg_value *value;
    uint64_t head; /* the first bytes of the key as they are compared */
} hg_sorted;

typedef enum hg_sort_order {
    HG_SORT_NO_CASE, /* ASCII case does not matter; bytes above 0x7F first; equal keys keep their order */
    HG_SORT_BYTES
} hg_sort_order;

/* Sets the heads and sorts; `spare` has room for as many entries. O(n log n) comparisons, no allocation. */
void hg_sort(hg_sorted *entries, hg_sorted *spare, size_t count, hg_sort_order order);

/* The entries of a map sorted without regard to case, in the arena. NULL: out of memory. Not a map: no entries. */
const hg_sorted *hg_sorted_entries(hg_arena *arena, const hg_value *map, size_t *count);

/* The field of all keys in lower case and of all values, `,` escaped in them, joined by `,`. An empty field without
 * entries. False: out of memory. */
bool hg_digest_of_keys(hg_arena *arena, const hg_sorted *entries, size_t count, hg_digest *out);
bool hg_digest_of_values(hg_arena *arena, const hg_sorted *entries, size_t count, hg_digest *out);

/* A string, or the only element of an array if that is one; else empty. */
hg_slice hg_text_of(const hg_value *v);

/* n in decimal, in room. */
enum { HG_DECIMAL_SIZE = 20 };
hg_slice hg_decimal(size_t n, char room[HG_DECIMAL_SIZE]);

/* The parts joined by `-`, as a string value in the arena. */
hg_generated hg_fingerprint(hg_arena *arena, const hg_slice *parts, size_t count, hg_value *out);

/* ---- Header names, shared by the header and the network fingerprint. ---- */

enum { HG_KNOWN_HEADERS = 10, HG_ADDRESS_HEADERS = 10 };

typedef enum hg_header_kind {
    HG_HEADER_OTHER,
    HG_HEADER_KNOWN,   /* one of the ten of the header fingerprint */
    HG_HEADER_ADDRESS, /* one of the ten of the network fingerprint */
    HG_HEADER_USER_AGENT
} hg_header_kind;

/* What a header name is, whatever its case and with `_` for `-`; *index is its rank among its kind. */
hg_header_kind hg_header_kind_of(hg_slice name, unsigned *index);

/* A byte of a header name as it is compared. */
static inline char hg_header_byte(char c)
{
    if (c == '_')
        return '-';
    return (uint8_t)(c - 'A') < 26 ? (char)(c | 0x20) : c;
}

#endif
