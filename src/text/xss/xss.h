/* The HTML side of the injection detectors: the tokenizer and the rules. Shared inside the room, and with the
 * verb that explains a verdict. Offsets are in bytes of the input; nothing here allocates or keeps the input. */
#ifndef TEXT_XSS_H
#define TEXT_XSS_H

#include "hotgate/base.h"
#include "hotgate/injection.h"
#include "text/injection_profile.h"

/* Where in a page the input is imagined to stand. */
typedef enum hg_html_context {
    HG_HTML_TEXT_CONTEXT,
    HG_HTML_UNQUOTED,
    HG_HTML_SINGLE,
    HG_HTML_DOUBLE,
    HG_HTML_BACKTICK,
    HG_HTML_CONTEXTS
} hg_html_context;

typedef enum hg_html_kind {
    HG_HTML_TEXT,
    HG_HTML_OPEN,       /* name of a tag; also of a closing tag that does not end right behind its name */
    HG_HTML_NAME_CLOSE, /* the > of a tag */
    HG_HTML_SELF_CLOSE,
    HG_HTML_CLOSE, /* name of a closing tag */
    HG_HTML_ATTRIBUTE,
    HG_HTML_VALUE,
    HG_HTML_COMMENT,
    HG_HTML_DOCTYPE
} hg_html_kind;

typedef struct hg_html_token {
    hg_html_kind kind;
    size_t start;
    size_t len;
} hg_html_token;

typedef enum hg_html_state {
    HTML_TEXT,
    HTML_TAG_OPEN,
    HTML_CLOSE_OPEN,
    HTML_TAG_NAME,
    HTML_NAME_CLOSE,
    HTML_BEFORE_ATTRIBUTE,
    HTML_SLASH,
    HTML_ATTRIBUTE,
    HTML_AFTER_NAME,
    HTML_BEFORE_VALUE,
    HTML_QUOTED,
    HTML_BARE,
    HTML_AFTER_QUOTED,
    HTML_DECLARATION,
    HTML_END
} hg_html_state;

typedef struct hg_html {
    const unsigned char *s;
    size_t n;
    size_t p;
    hg_html_state state;
    char quote;   /* ends the value in state HTML_QUOTED */
    bool closing; /* a </ was read; may outlive its tag */
} hg_html;

void hg_html_start(hg_html *html, hg_slice text, hg_html_context context);

/* The next token; false at the end. */
bool hg_html_next(hg_html *html, hg_html_token *token);

/* What an attribute may do. */
typedef enum hg_xss_kind {
    HG_XSS_NONE,
    HG_XSS_URL,     /* its value is a URL */
    HG_XSS_STYLE,   /* its value is CSS */
    HG_XSS_BLACK,   /* any value is bad */
    HG_XSS_INDIRECT /* its value names an attribute */
} hg_xss_kind;

hg_xss_kind hg_xss_attribute(const unsigned char *name, size_t len);

/* Inside a tag that starts at s or before, can a listed attribute name end at `end`? False is certain. */
bool hg_xss_ends_attribute(const unsigned char *s, const unsigned char *end);

bool hg_xss_url(const unsigned char *value, size_t len);
bool hg_xss_style(const unsigned char *value, size_t len);

/* Is the tag whose name was just read a bad one? */
bool hg_xss_tag(const hg_html *html, const hg_html_token *name);

/* Reads one token in the light of the attribute before it, which *kind keeps; start with HG_XSS_NONE.
 * True: this token runs script. */
bool hg_xss_judge(const hg_html *html, const hg_html_token *token, hg_xss_kind *kind);

/* The whole input in one context. */
bool hg_xss_in(hg_slice text, hg_html_context context);

#endif
