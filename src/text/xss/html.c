/* A reduced HTML5 tokenizer. A state either makes a token, or names the state that goes on with the same token,
 * or stops the run; running off the end in the middle of a tag stops it. */
#include "text/bytes.h"
#include "text/xss/xss.h"

typedef enum outcome {
    TOKEN, /* made */
    GO,    /* to html->state, for the same token */
    STOP
} outcome;

static bool is_separator(unsigned char c)
{
    return c == 0 || hg_is_space(c);
}

static outcome go(hg_html *html, size_t p, hg_html_state state)
{
    html->p = p;
    html->state = state;
    return GO;
}

static outcome stop(hg_html *html)
{
    html->state = HTML_END;
    return STOP;
}

/* Makes a token of [start, end); the next one starts at `resume` in `state`. */
static outcome make(hg_html *html, hg_html_token *token, hg_html_kind kind, size_t start, size_t end, size_t resume,
                    hg_html_state state)
{
    *token = (hg_html_token){kind, start, end - start};
    html->p = resume;
    html->state = state;
    return TOKEN;
}

static size_t find(const hg_html *html, size_t from, const char *text, size_t len)
{
    if (from >= html->n)
        return html->n;
    const unsigned char *at = html->s + from;
    const unsigned char *hit = len == 1 ? memchr(at, text[0], html->n - from) : memmem(at, html->n - from, text, len);
    return hit ? (size_t)(hit - html->s) : html->n;
}

/* A token up to a terminator and the text behind it; or to the end. */
static outcome make_until(hg_html *html, hg_html_token *token, hg_html_kind kind, const char *terminator)
{
    size_t len = strlen(terminator), end = find(html, html->p, terminator, len);
    if (end == html->n)
        return make(html, token, kind, html->p, html->n, html->n, HTML_END);
    return make(html, token, kind, html->p, end, end + len, HTML_TEXT);
}

/* Moves over separators. False at the end, and at a byte 0xFF: the reference takes that for the end. */
static bool skip(hg_html *html)
{
    while (html->p < html->n && is_separator(html->s[html->p]))
        html->p++;
    return html->p < html->n && html->s[html->p] != 0xFF;
}

static outcome make_name_close(hg_html *html, hg_html_token *token)
{
    return make(html, token, HG_HTML_NAME_CLOSE, html->p, html->p + 1, html->p + 1, HTML_TEXT);
}

static outcome in_text(hg_html *html, hg_html_token *token)
{
    size_t p = html->p, end = find(html, p, "<", 1);
    if (end == html->n)
        return end == p ? stop(html) : make(html, token, HG_HTML_TEXT, p, end, end, HTML_END);
    if (end == p)
        return go(html, end + 1, HTML_TAG_OPEN);
    return make(html, token, HG_HTML_TEXT, p, end, end + 1, HTML_TAG_OPEN);
}

static outcome in_tag_open(hg_html *html, hg_html_token *token)
{
    size_t p = html->p;
    if (p >= html->n)
        return stop(html);
    unsigned char c = html->s[p];
    switch (c) {
    case '!':
        return go(html, p + 1, HTML_DECLARATION);
    case '/':
        html->closing = true;
        return go(html, p + 1, HTML_CLOSE_OPEN);
    case '?':
        html->p++;
        return make_until(html, token, HG_HTML_COMMENT, ">");
    case '%':
        html->p++;
        return make_until(html, token, HG_HTML_COMMENT, "%>");
    }
    if (hg_is_alpha(c) || c == 0)
        return go(html, p, HTML_TAG_NAME);
    return make(html, token, HG_HTML_TEXT, p - 1, p, p, HTML_TEXT);
}

static outcome in_close_open(hg_html *html, hg_html_token *token)
{
    if (html->p >= html->n)
        return stop(html);
    unsigned char c = html->s[html->p];
    if (c == '>')
        return go(html, html->p, HTML_TEXT);
    if (hg_is_alpha(c))
        return go(html, html->p, HTML_TAG_NAME);
    html->closing = false;
    return make_until(html, token, HG_HTML_COMMENT, ">");
}

static outcome in_tag_name(hg_html *html, hg_html_token *token)
{
    size_t start = html->p, p = start;
    for (; p < html->n; p++) {
        unsigned char c = html->s[p];
        if (c == '/')
            return make(html, token, HG_HTML_OPEN, start, p, p + 1, HTML_SLASH);
        if (c == '>' && html->closing) {
            html->closing = false;
            return make(html, token, HG_HTML_CLOSE, start, p, p + 1, HTML_TEXT);
        }
        if (c == '>')
            return make(html, token, HG_HTML_OPEN, start, p, p, HTML_NAME_CLOSE);
        if (c != 0 && is_separator(c))
            return make(html, token, HG_HTML_OPEN, start, p, p + 1, HTML_BEFORE_ATTRIBUTE);
    }
    return make(html, token, HG_HTML_OPEN, start, p, start, HTML_END);
}

static outcome in_name_close(hg_html *html, hg_html_token *token)
{
    html->closing = false;
    return make_name_close(html, token);
}

static outcome before_attribute(hg_html *html, hg_html_token *token)
{
    if (!skip(html))
        return stop(html);
    if (html->s[html->p] == '/')
        return go(html, html->p + 1, HTML_SLASH);
    if (html->s[html->p] == '>')
        return make_name_close(html, token);
    return go(html, html->p, HTML_ATTRIBUTE);
}

static outcome in_slash(hg_html *html, hg_html_token *token)
{
    size_t p = html->p;
    if (p >= html->n)
        return stop(html);
    if (html->s[p] == '>')
        return make(html, token, HG_HTML_SELF_CLOSE, p - 1, p + 1, p + 1, HTML_TEXT);
    return go(html, p, HTML_BEFORE_ATTRIBUTE);
}

/* The first byte belongs to the name whatever it is. */
static outcome in_attribute(hg_html *html, hg_html_token *token)
{
    size_t start = html->p, p = start + 1;
    for (; p < html->n; p++) {
        unsigned char c = html->s[p];
        if (c == '/')
            return make(html, token, HG_HTML_ATTRIBUTE, start, p, p + 1, HTML_SLASH);
        if (c == '=')
            return make(html, token, HG_HTML_ATTRIBUTE, start, p, p + 1, HTML_BEFORE_VALUE);
        if (c == '>')
            return make(html, token, HG_HTML_ATTRIBUTE, start, p, p, HTML_NAME_CLOSE);
        if (is_separator(c))
            return make(html, token, HG_HTML_ATTRIBUTE, start, p, p + 1, HTML_AFTER_NAME);
    }
    return make(html, token, HG_HTML_ATTRIBUTE, start, html->n, html->n, HTML_END);
}

static outcome after_name(hg_html *html)
{
    if (!skip(html))
        return stop(html);
    switch (html->s[html->p]) {
    case '/':
        return go(html, html->p + 1, HTML_SLASH);
    case '=':
        return go(html, html->p + 1, HTML_BEFORE_VALUE);
    case '>':
        return go(html, html->p, HTML_NAME_CLOSE);
    }
    return go(html, html->p, HTML_ATTRIBUTE);
}

static outcome before_value(hg_html *html)
{
    if (!skip(html))
        return stop(html);
    unsigned char c = html->s[html->p];
    if (c != '"' && c != '\'' && c != '`')
        return go(html, html->p, HTML_BARE);
    html->quote = (char)c;
    return go(html, html->p, HTML_QUOTED);
}

static outcome in_quoted(hg_html *html, hg_html_token *token)
{
    /* At offset 0 the opening quote is the page's own and not in the input. */
    size_t start = html->p + (html->p > 0), end = find(html, start, &html->quote, 1);
    if (end == html->n)
        return make(html, token, HG_HTML_VALUE, start, end, end, HTML_END);
    return make(html, token, HG_HTML_VALUE, start, end, end + 1, HTML_AFTER_QUOTED);
}

static outcome in_bare(hg_html *html, hg_html_token *token)
{
    size_t start = html->p, p = start;
    for (; p < html->n; p++) {
        if (html->s[p] == '>')
            return make(html, token, HG_HTML_VALUE, start, p, p, HTML_NAME_CLOSE);
        if (is_separator(html->s[p]))
            return make(html, token, HG_HTML_VALUE, start, p, p + 1, HTML_BEFORE_ATTRIBUTE);
    }
    return make(html, token, HG_HTML_VALUE, start, p, p, HTML_END);
}

static outcome after_quoted(hg_html *html, hg_html_token *token)
{
    size_t p = html->p;
    if (p >= html->n)
        return stop(html);
    if (html->s[p] == '/')
        return go(html, p + 1, HTML_SLASH);
    if (html->s[p] == '>')
        return make_name_close(html, token);
    return go(html, p + is_separator(html->s[p]), HTML_BEFORE_ATTRIBUTE);
}

/* Offset of the - that starts the end of a comment, and where the text goes on; n when it does not end.
 * NULs may stand inside, and an exclamation mark is as good as the second dash. */
static size_t comment_end(const hg_html *html, size_t from, size_t *resume)
{
    size_t n = html->n;
    for (size_t dash = find(html, from, "-", 1); dash + 3 <= n; dash = find(html, dash + 1, "-", 1)) {
        size_t second = dash + 1;
        while (second < n && html->s[second] == 0)
            second++;
        if (second >= n)
            return n;
        if (html->s[second] != '-' && html->s[second] != '!')
            continue;
        if (second + 1 >= n)
            return n;
        if (html->s[second + 1] == '>') {
            *resume = second + 2;
            return dash;
        }
    }
    return n;
}

static outcome in_declaration(hg_html *html, hg_html_token *token)
{
    const char *rest = (const char *)html->s + html->p;
    size_t left = html->n - html->p;
    if (hg_starts_nocase(hg_slice_of(rest, left), HG_SLICE("DOCTYPE")))
        return make_until(html, token, HG_HTML_DOCTYPE, ">");
    if (left >= 7 && memcmp(rest, "[CDATA[", 7) == 0) {
        html->p += 7;
        return make_until(html, token, HG_HTML_TEXT, "]]>");
    }
    if (left < 2 || memcmp(rest, "--", 2) != 0)
        return make_until(html, token, HG_HTML_COMMENT, ">");
    size_t start = html->p + 2, resume = html->n, end = comment_end(html, start, &resume);
    return make(html, token, HG_HTML_COMMENT, start, end, resume, end < html->n ? HTML_TEXT : HTML_END);
}

static outcome advance(hg_html *html, hg_html_token *token)
{
    switch (html->state) {
    case HTML_TEXT:
        return in_text(html, token);
    case HTML_TAG_OPEN:
        return in_tag_open(html, token);
    case HTML_CLOSE_OPEN:
        return in_close_open(html, token);
    case HTML_TAG_NAME:
        return in_tag_name(html, token);
    case HTML_NAME_CLOSE:
        return in_name_close(html, token);
    case HTML_BEFORE_ATTRIBUTE:
        return before_attribute(html, token);
    case HTML_SLASH:
        return in_slash(html, token);
    case HTML_ATTRIBUTE:
        return in_attribute(html, token);
    case HTML_AFTER_NAME:
        return after_name(html);
    case HTML_BEFORE_VALUE:
        return before_value(html);
    case HTML_QUOTED:
        return in_quoted(html, token);
    case HTML_BARE:
        return in_bare(html, token);
    case HTML_AFTER_QUOTED:
        return after_quoted(html, token);
    case HTML_DECLARATION:
        return in_declaration(html, token);
    case HTML_END:
        break;
    }
    return STOP;
}

void hg_html_start(hg_html *html, hg_slice text, hg_html_context context)
{
    static const char quotes[HG_HTML_CONTEXTS] = {0, 0, '\'', '"', '`'};
    *html = (hg_html){.s = (const unsigned char *)text.ptr, .n = text.len, .quote = quotes[context]};
    if (context == HG_HTML_TEXT_CONTEXT)
        html->state = HTML_TEXT;
    else
        html->state = context == HG_HTML_UNQUOTED ? HTML_BEFORE_ATTRIBUTE : HTML_QUOTED;
}

bool hg_html_next(hg_html *html, hg_html_token *token)
{
    outcome result;
    do {
        result = advance(html, token);
    } while (result == GO);
    return result == TOKEN;
}
