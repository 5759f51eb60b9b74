/* Named Unicode classes and folding, over the generated tables. */
#include "regex/unicode.h"

enum { KELVIN_SIGN = 0x212A, LONG_S = 0x017F }; /* the only partners of ASCII letters beyond ASCII */

const rx_fold *rx_fold_from(uint32_t code)
{
    size_t lo = 0, hi = rx_fold_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (rx_folds[mid].code < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    return rx_folds + lo;
}

uint32_t rx_fold_next(uint32_t code)
{
    if (code < 0x80) {
        bool letter = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
        return code == 'k' ? KELVIN_SIGN : code == 's' ? LONG_S : letter ? code ^ 0x20 : code;
    }
    const rx_fold *f = rx_fold_from(code);
    return f < rx_folds + rx_fold_count && f->code == code ? f->next : code;
}

static uint32_t read_number(const uint8_t **at)
{
    uint32_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        n |= (uint32_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return n;
    }
}

static void add_group(rx_class_builder *b, const rx_group *group, bool fold)
{
    const uint8_t *at = rx_group_data + group[0].offset, *end = rx_group_data + group[1].offset;
    for (uint32_t code = 0; at < end;) {
        uint32_t lo = code + read_number(&at);
        code = lo + read_number(&at);
        rx_class_add_fold(b, lo, code, fold);
    }
}

/* One letter names the union of the two-letter categories that begin with it. The script Yi is as short, but no
 * category begins with Y. */
static bool belongs(const char *group, hg_slice name)
{
    if (name.len == 1)
        return group[0] == name.ptr[0] && strlen(group) == 2 && group[0] != 'Y';
    return hg_slice_equal(hg_slice_from(group), name);
}

bool rx_unicode_add(rx_class_builder *b, hg_slice name, bool fold)
{
    if (hg_slice_equal(name, HG_SLICE("Any"))) {
        rx_class_add(b, 0, RX_MAX_CODE);
        return true;
    }
    bool found = false;
    for (size_t i = 0; i < rx_group_count; i++) {
        if (!belongs(rx_groups[i].name, name))
            continue;
        add_group(b, &rx_groups[i], fold);
        found = true;
    }
    return found;
}

static bool group_has(const rx_group *group, uint32_t code)
{
    const uint8_t *at = rx_group_data + group[0].offset, *end = rx_group_data + group[1].offset;
    for (uint32_t hi = 0; at < end;) {
        uint32_t lo = hi + read_number(&at);
        hi = lo + read_number(&at);
        if (code <= hi)
            return code >= lo;
    }
    return false;
}

bool rx_unicode_name_char(uint32_t code)
{
    static const char names[][3] = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"};
    for (size_t i = 0; i < rx_group_count; i++) {
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            if (strcmp(rx_groups[i].name, names[n]) == 0 && group_has(&rx_groups[i], code))
                return true;
        }
    }
    return false;
}
