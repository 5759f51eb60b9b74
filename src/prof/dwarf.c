#include "prof/dwarf.h"

#include <string.h>

enum { AT_NAME = 0x03, FORM_IMPLICIT_CONST = 0x21, ADDRESS_SIZE = 8, TUPLE = 2 * ADDRESS_SIZE };

/* Reads that go beyond the end give 0 and set `failed`. */
typedef struct reader {
    hg_slice bytes;
    size_t at;
    bool failed;
} reader;

static uint64_t take(reader *r, size_t size)
{
    if (r->failed || size > r->bytes.len - r->at) {
        r->failed = true;
        return 0;
    }
    uint64_t value = 0;
    memcpy(&value, r->bytes.ptr + r->at, size < 8 ? size : 8); /* little-endian, as the machine is */
    r->at += size;
    return value;
}

static uint64_t take_leb(reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !r->failed; shift += 7) {
        uint64_t byte = take(r, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static hg_slice text_at(hg_slice section, uint64_t offset)
{
    if (offset >= section.len)
        return HG_SLICE("");
    const char *start = section.ptr + offset, *end = memchr(start, '\0', section.len - offset);
    return end ? hg_slice_of(start, (size_t)(end - start)) : HG_SLICE("");
}

static reader reader_at(hg_slice section, uint64_t offset)
{
    return (reader){section, offset < section.len ? (size_t)offset : section.len, offset >= section.len};
}

/* The text of a name, or else the bytes of the value are passed over. */
static hg_slice take_form(const dwarf *d, reader *r, uint64_t form)
{
    switch (form) {
    case 0x08: { /* string */
        hg_slice text = text_at(r->bytes, r->at);
        take(r, text.len + 1);
        return text;
    }
    case 0x0e: /* strp */
        return text_at(d->str, take(r, 4));
    case 0x1f: /* line_strp */
        return text_at(d->line_str, take(r, 4));
    case 0x0b: case 0x0c: case 0x25: /* data1, flag, strx1 */
        take(r, 1);
        break;
    case 0x05: case 0x26: /* data2, strx2 */
        take(r, 2);
        break;
    case 0x27: /* strx3 */
        take(r, 3);
        break;
    case 0x06: case 0x17: case 0x28: /* data4, sec_offset, strx4 */
        take(r, 4);
        break;
    case 0x01: case 0x07: /* addr, data8 */
        take(r, 8);
        break;
    case 0x0d: case 0x0f: case 0x1a: /* sdata, udata, strx */
        take_leb(r);
        break;
    case 0x19: case FORM_IMPLICIT_CONST: /* flag_present */
        break;
    default:
        r->failed = true;
    }
    return HG_SLICE("");
}

/* The attributes of an abbreviation; the reader then stands before its first (attribute, form) pair. */
static reader find_abbreviation(const dwarf *d, uint64_t offset, uint64_t wanted)
{
    reader r = reader_at(d->abbrev, offset);
    for (;;) {
        uint64_t code = take_leb(&r);
        take_leb(&r); /* tag */
        take(&r, 1);  /* children */
        if (r.failed || code == wanted)
            return r;
        if (code == 0) {
            r.failed = true;
            return r;
        }
        for (uint64_t attribute = 1, form = 1; !r.failed && (attribute | form) != 0;) {
            attribute = take_leb(&r);
            form = take_leb(&r);
            if (form == FORM_IMPLICIT_CONST)
                take_leb(&r);
        }
    }
}

static hg_slice unit_name(const dwarf *d, uint64_t offset)
{
    reader r = reader_at(d->info, offset);
    if (take(&r, 4) >= 0xfffffff0) /* the 64-bit format */
        return HG_SLICE("");
    uint64_t version = take(&r, 2), abbreviations;
    if (version >= 5) {
        take(&r, 2); /* kind of unit, size of addresses */
        abbreviations = take(&r, 4);
    } else {
        abbreviations = take(&r, 4);
        take(&r, 1);
    }
    reader a = find_abbreviation(d, abbreviations, take_leb(&r));
    while (!r.failed && !a.failed) {
        uint64_t attribute = take_leb(&a), form = take_leb(&a);
        if (form == FORM_IMPLICIT_CONST)
            take_leb(&a);
        if (attribute == 0 && form == 0)
            break;
        hg_slice text = take_form(d, &r, form);
        if (attribute == AT_NAME)
            return text;
    }
    return HG_SLICE("");
}

hg_slice dwarf_unit_file(const dwarf *d, uint64_t address)
{
    for (size_t set = 0; set < d->aranges.len;) {
        reader r = reader_at(d->aranges, set);
        uint64_t length = take(&r, 4), end = set + 4 + length;
        uint64_t version = take(&r, 2), unit = take(&r, 4), address_size = take(&r, 1);
        take(&r, 1); /* segments */
        if (r.failed || length >= 0xfffffff0 || version != 2 || address_size != ADDRESS_SIZE || end > d->aranges.len)
            break;
        r.at = set + (r.at - set + TUPLE - 1) / TUPLE * TUPLE;
        while (r.at + TUPLE <= end) {
            uint64_t start = take(&r, 8), size = take(&r, 8);
            if (r.failed || (start == 0 && size == 0))
                break;
            if (address >= start && address - start < size)
                return unit_name(d, unit);
        }
        set = (size_t)end;
    }
    return HG_SLICE("");
}
