/* The encoder on sources laid out by the input. First byte: where allocation fails; second: preset; third: flags; then a
 * string of items: a byte for the kind, bytes for what it holds. */
#include "carrier.h"

enum { ITEMS = 96, DEEPEST = 30 };

typedef struct layout {
    const uint8_t *at, *end;
    hg_source items[ITEMS];
    hg_source_pair pairs[ITEMS];
    size_t item_count, pair_count;
} layout;

static uint8_t next_byte(layout *l)
{
    return l->at < l->end ? *l->at++ : 0;
}

/* Bytes of the input itself; UTF-16 sources need them aligned and get a copy. */
static void lay_text(layout *l, hg_source *s)
{
    static uint16_t units[ITEMS][128];
    size_t n = next_byte(l) % 128, left = (size_t)(l->end - l->at);
    if (s->kind == HG_SOURCE_UTF16) {
        n = n < left / 2 ? n : left / 2;
        uint16_t *copy = units[l->item_count % ITEMS];
        memcpy(copy, l->at, 2 * n);
        s->as.units = copy;
        l->at += 2 * n;
    } else {
        n = n < left ? n : left;
        s->as.text = (const char *)l->at;
        l->at += n;
    }
    s->count = n;
}

static hg_source lay(layout *l, int depth)
{
    static const hg_source_kind texts[] = {HG_SOURCE_UTF8, HG_SOURCE_UTF16, HG_SOURCE_LATIN1, HG_SOURCE_BYTES,
                                           HG_SOURCE_NUMBER};
    uint8_t kind = next_byte(l);
    hg_source s = {.kind = HG_SOURCE_NULL};
    switch (kind % 8) {
    case 0:
        s.kind = HG_SOURCE_SIGNED;
        s.as.integer = (int8_t)next_byte(l);
        return s;
    case 1:
        s.kind = kind & 8 ? HG_SOURCE_BOOL : HG_SOURCE_INVALID;
        s.as.boolean = true;
        return s;
    case 2:
    case 3:
    case 4:
        s.kind = texts[kind / 8 % 5];
        lay_text(l, &s);
        return s;
    default:
        break;
    }
    bool map = kind & 8;
    size_t n = kind / 16 % 8;
    n = depth >= DEEPEST ? 0 : n;
    s.kind = map ? HG_SOURCE_MAP : HG_SOURCE_ARRAY;
    if (map && l->pair_count + n <= ITEMS) {
        hg_source_pair *pairs = &l->pairs[l->pair_count];
        l->pair_count += n;
        for (size_t i = 0; i < n; i++) {
            pairs[i].key = lay(l, DEEPEST);
            pairs[i].val = lay(l, depth + 1);
        }
        s.as.pairs = pairs;
        s.count = n;
    } else if (!map && l->item_count + n <= ITEMS) {
        hg_source *items = &l->items[l->item_count];
        l->item_count += n;
        for (size_t i = 0; i < n; i++)
            items[i] = lay(l, depth + 1);
        s.as.items = items;
        s.count = n;
    }
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static layout l;
    if (size < 4)
        return 0;
    l.at = data + 3;
    l.end = data + size;
    l.item_count = l.pair_count = 0;
    hg_source root = lay(&l, 1);
    carrier c;
    carrier_begin(&c, data[0], data[1]);
    c.tight.flags |= (uint16_t)((data[2] & 0x3F) << 3); /* the flags behind SKIP_EMPTY_KEYS */
    hg_value v;
    if (hg_encode_source(&root, c.limits, &v, &c.f.allocator, &c.report) == HG_OK)
        carrier_check(&v);
    hg_value_free(&v, &c.f.allocator);
    carrier_end(&c.f);
    return 0;
}
