/* Bad tags, and the one frame that is let through: a player of YouTube. */
#include "text/bytes.h"
#include "text/xss/xss.h"

static const char *const tags[] = {
    "APPLET", "BASE",     "COMMENT", "EMBED",    "FRAME",  "FRAMESET", "HANDLER", "IMPORT",   "ISINDEX",
    "LINK",   "LISTENER", "META",    "NOSCRIPT", "OBJECT", "SCRIPT",   "STYLE",   "VMLFRAME",
};

/* Is name, without its NULs and in any case, the given one? */
static bool name_is(const unsigned char *name, size_t len, const char *upper)
{
    for (size_t i = 0; i < len; i++) {
        if (name[i] == 0)
            continue;
        if (hg_to_upper(name[i]) != (unsigned char)*upper || *upper == '\0')
            return false;
        upper++;
    }
    return *upper == '\0';
}

/* Additional names of the stock profile. */
static bool is_stock_tag(const unsigned char *name, size_t len)
{
    hg_slice head = hg_slice_of((const char *)name, 3);
    return hg_equal_nocase(head, HG_SLICE("SVG")) || hg_equal_nocase(head, HG_SLICE("XSL")) ||
           name_is(name, len, "XML") || name_is(name, len, "XSS");
}

/* Offset behind a quoted text that starts at i, bounded by end. */
static size_t skip_quoted(const unsigned char *s, size_t i, size_t end)
{
    unsigned char quote = s[i++];
    while (i < end && s[i] != quote)
        i += s[i] == '\\' ? 2 : 1;
    return i;
}

/* Does src="https://www.youtube.com/...  start at i? Sets *i to where the search goes on, as the reference
 * moves; *decided says that it is over. */
static bool is_player(const unsigned char *s, size_t *i, size_t end, bool *decided)
{
    static const char player[] = "https://www.youtube.com/";
    const unsigned char *at = s + *i;
    bool source = (at[0] | 32) == 's' && (at[1] | 32) == 'r' && (at[2] | 32) == 'c';
    *i += 3;
    if (!source || s[(*i)++] != '=' || s[(*i)++] != '"')
        return false;
    *decided = true;
    return end - *i > sizeof player - 1 && memcmp(s + *i, player, sizeof player - 1) == 0;
}

/* Looks at the attributes of the frame whose name starts at s. The window of len bytes ends too early, by as much
 * as was read of the tag when its name was found. */
static bool is_player_frame(const unsigned char *s, size_t len)
{
    const unsigned char *close = len > 0 ? memchr(s, '>', len) : NULL;
    size_t end = close ? (size_t)(close - s) : 0;
    /* Each turn steps over one byte unseen: the one that ended an attribute's name, too. */
    for (size_t i = 1; i < end; i++) {
        if (s[i] == '\\') {
            i++;
        } else if (s[i] == '"' || s[i] == '\'') {
            i = skip_quoted(s, i, end);
        } else if (s[i] == ' ') {
            while (i < end && s[i] == ' ')
                i++;
            bool decided = false;
            if (end - i > 5 && is_player(s, &i, end, &decided))
                return true;
            if (decided)
                return false;
        }
    }
    return false;
}

bool hg_xss_tag(const hg_html *html, const hg_html_token *token)
{
    const unsigned char *name = html->s + token->start;
    if (token->len < 3)
        return false;
    if (HG_STOCK && is_stock_tag(name, token->len))
        return true;
    if (name_is(name, token->len, "IFRAME"))
        return HG_STOCK || !is_player_frame(name, html->n - html->p);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (name_is(name, token->len, tags[i]))
            return true;
    return false;
}
