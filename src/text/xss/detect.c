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
#include "text/injection_marks.h"
#include "text/xss/xss.h"

/* Does some = stand behind the name of a listed attribute? */
static bool may_assign(const unsigned char *s, size_t len)
{
    const unsigned char *end = s + len, *equals = s;
    while ((equals = memchr(equals, '=', (size_t)(end - equals))) != NULL) {
        const unsigned char *name_end = equals;
        while (name_end > s && (name_end[-1] == 0 || hg_is_space(name_end[-1])))
            name_end--;
        if (hg_xss_ends_attribute(s, name_end))
            return true;
        equals++;
    }
    return false;
}

bool hg_xss(hg_slice text)
{
    static const unsigned char needed[HG_HTML_CONTEXTS] = {
        [HG_HTML_TEXT_CONTEXT] = HG_MARK_LESS, [HG_HTML_UNQUOTED] = HG_MARK_LESS | HG_MARK_EQUALS,
        [HG_HTML_SINGLE] = HG_MARK_SINGLE,     [HG_HTML_DOUBLE] = HG_MARK_DOUBLE,
        [HG_HTML_BACKTICK] = HG_MARK_BACKTICK,
    };
    unsigned marks = hg_injection_marks(text);
    if ((marks & (HG_MARK_LESS | HG_MARK_EQUALS)) == 0)
        return false;
    if ((marks & HG_MARK_LESS) == 0 && !may_assign((const unsigned char *)text.ptr, text.len))
        return false;
    for (int context = 0; context < HG_HTML_CONTEXTS; context++)
        if ((marks & needed[context]) != 0 && hg_xss_in(text, (hg_html_context)context))
            return true;
    return false;
}
