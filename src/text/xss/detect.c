/* The verdict on a text: the contexts in which it may run script, tried one after the other. Most texts need none,
 * because what decides is made of a few bytes:
 *
 * A tag, comment or declaration begins with a < read as page text; so do none without a <. A value counts only
 * behind an attribute, and no value follows an attribute without an = behind it, but for separators. And behind a
 * quoted value that never ends nothing follows. So
 * - without < and = nothing fires anywhere;
 * - without <, what fires is a value, and some = stands behind the name of a listed attribute;
 * - without <, page text is one token that fires nothing;
 * - in a quoted value whose quote does not occur nothing fires. */
#include "text/bytes.h"
#include "text/xss/xss.h"

/* A bit for each byte that decides something. The quotes' bits are those of their contexts. */
enum { OPENS = 1 << HG_HTML_TEXT_CONTEXT, EQUALS = 1 << HG_HTML_UNQUOTED };

typedef uint8_t block __attribute__((vector_size(16)));

static const unsigned char marks_of[256] = {
    ['<'] = OPENS,
    ['='] = EQUALS,
    ['\''] = 1 << HG_HTML_SINGLE,
    ['"'] = 1 << HG_HTML_DOUBLE,
    ['`'] = 1 << HG_HTML_BACKTICK,
};

/* The bits of this block's bytes, each byte by itself. */
static block marks_of_block(const unsigned char *s)
{
    block b;
    memcpy(&b, s, sizeof b);
    return ((block)(b == '<') & OPENS) | ((block)(b == '=') & EQUALS) | ((block)(b == '\'') & (1 << HG_HTML_SINGLE)) |
           ((block)(b == '"') & (1 << HG_HTML_DOUBLE)) | ((block)(b == '`') & (1 << HG_HTML_BACKTICK));
}

static unsigned marks_in(const unsigned char *s, size_t len)
{
    unsigned marks = 0;
    if (len < sizeof(block)) {
        for (size_t i = 0; i < len; i++)
            marks |= marks_of[s[i]];
        return marks;
    }
    block all = marks_of_block(s + len - sizeof(block)); /* the last bytes, some of them for the second time */
    for (size_t i = 0; i + sizeof(block) <= len; i += sizeof(block))
        all |= marks_of_block(s + i);
    uint64_t halves[2];
    memcpy(halves, &all, sizeof halves);
    uint64_t folded = halves[0] | halves[1];
    folded |= folded >> 32;
    folded |= folded >> 16;
    return (unsigned)(folded | folded >> 8) & 0xFF;
}

/* Does some = stand behind what may be the name of a listed attribute? */
static bool may_assign(const unsigned char *s, size_t len)
{
    const unsigned char *end = s + len, *equals = s;
    while ((equals = memchr(equals, '=', (size_t)(end - equals))) != NULL) {
        const unsigned char *name_end = equals;
        while (name_end > s && (name_end[-1] == 0 || hg_is_space(name_end[-1])))
            name_end--;
        if (hg_xss_may_be_attribute(s, name_end))
            return true;
        equals++;
    }
    return false;
}

bool hg_xss(hg_slice text)
{
    const unsigned char *s = (const unsigned char *)text.ptr;
    unsigned marks = text.len > 0 ? marks_in(s, text.len) : 0;
    if ((marks & (OPENS | EQUALS)) == 0)
        return false;
    if ((marks & OPENS) == 0 && !may_assign(s, text.len))
        return false;
    marks |= 1 << HG_HTML_UNQUOTED;
    for (int context = 0; context < HG_HTML_CONTEXTS; context++)
        if ((marks >> context & 1) != 0 && hg_xss_in(text, (hg_html_context)context))
            return true;
    return false;
}
