#include "text/injection_marks.h"

#include "text/bytes.h"

typedef uint8_t block __attribute__((vector_size(16)));

/* The marks of this block's bytes, each byte by itself. */
static block marks_of_block(const char *s)
{
    block b;
    memcpy(&b, s, sizeof b);
    block plain = (block)((b | 32) - 'a' < 26) | (block)(b - '0' < 10) | (block)(b == '_');
    return ((block)(b == '<') & HG_MARK_LESS) | ((block)(b == '=') & HG_MARK_EQUALS) |
           ((block)(b == '\'') & HG_MARK_SINGLE) | ((block)(b == '"') & HG_MARK_DOUBLE) |
           ((block)(b == '`') & HG_MARK_BACKTICK) | ((block)(b == '*') & HG_MARK_ASTERISK) | (~plain & HG_MARK_OTHER);
}

static unsigned marks_of_few(const char *s, size_t len)
{
    static const unsigned char marks_of[256] = {
        ['<'] = HG_MARK_LESS,   ['='] = HG_MARK_EQUALS,   ['\''] = HG_MARK_SINGLE,
        ['"'] = HG_MARK_DOUBLE, ['`'] = HG_MARK_BACKTICK, ['*'] = HG_MARK_ASTERISK,
    };
    unsigned marks = 0;
    for (size_t i = 0; i < len; i++)
        marks |= marks_of[(unsigned char)s[i]] | (hg_is_word((uint8_t)s[i]) ? 0u : HG_MARK_OTHER);
    return marks;
}

unsigned hg_injection_marks(hg_slice text)
{
    if (text.len < sizeof(block))
        return marks_of_few(text.ptr, text.len);
    block all = marks_of_block(text.ptr + text.len - sizeof(block)); /* the last bytes, some of them twice */
    for (size_t i = 0; i + sizeof(block) <= text.len; i += sizeof(block))
        all |= marks_of_block(text.ptr + i);
    uint64_t halves[2];
    memcpy(halves, &all, sizeof halves);
    uint64_t folded = halves[0] | halves[1];
    folded |= folded >> 32;
    folded |= folded >> 16;
    return (unsigned)(folded | folded >> 8) & 0xFF;
}
