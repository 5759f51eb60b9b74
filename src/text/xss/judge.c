/* The rules: which tokens run script. */
#include "text/bytes.h"
#include "text/xss/xss.h"

/* Conditional comments of Internet Explorer, processing instructions, entities. */
static bool is_bad_comment(hg_slice text)
{
    if (HG_STOCK && text.len > 0 && memchr(text.ptr, '`', text.len) != NULL)
        return true;
    if (text.len > 3 && (hg_starts_nocase(text, HG_SLICE("[IF")) || hg_starts_nocase(text, HG_SLICE("XML"))))
        return true;
    return hg_starts_nocase(text, HG_SLICE("IMPORT")) || hg_starts_nocase(text, HG_SLICE("ENTITY"));
}

static bool is_bad_value(const unsigned char *value, size_t len, hg_xss_kind kind)
{
    switch (kind) {
    case HG_XSS_NONE:
        return false;
    case HG_XSS_URL:
        return hg_xss_url(value, len);
    case HG_XSS_STYLE:
        return hg_xss_style(value, len);
    case HG_XSS_BLACK:
        return true;
    case HG_XSS_INDIRECT:
        return hg_xss_attribute(value, len) != HG_XSS_NONE;
    }
    return false;
}

bool hg_xss_judge(const hg_html *html, const hg_html_token *token, hg_xss_kind *kind)
{
    const unsigned char *text = html->s + token->start;
    hg_xss_kind before = *kind;
    *kind = HG_XSS_NONE;
    switch (token->kind) {
    case HG_HTML_DOCTYPE:
        return true;
    case HG_HTML_OPEN:
        return hg_xss_tag(html, token);
    case HG_HTML_ATTRIBUTE:
        *kind = hg_xss_attribute(text, token->len);
        return false;
    case HG_HTML_VALUE:
        return is_bad_value(text, token->len, before);
    case HG_HTML_COMMENT:
        return is_bad_comment(hg_slice_of((const char *)text, token->len));
    case HG_HTML_TEXT:
    case HG_HTML_NAME_CLOSE:
    case HG_HTML_SELF_CLOSE:
    case HG_HTML_CLOSE:
        break;
    }
    return false;
}

bool hg_xss_in(hg_slice text, hg_html_context context)
{
    hg_html html;
    hg_html_token token;
    hg_xss_kind kind = HG_XSS_NONE;
    hg_html_start(&html, text, context);
    while (hg_html_next(&html, &token))
        if (hg_xss_judge(&html, &token, &kind))
            return true;
    return false;
}
