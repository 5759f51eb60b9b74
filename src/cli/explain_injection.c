/* hotgate explain --sqli TEXT, hotgate explain --xss TEXT */
#include "cli/explain.h"
#include "cli/verbs.h"
#include "text/sqli/sqli.h"
#include "text/xss/xss.h"

#include <stdio.h>
#include <stdlib.h>

static void print_quoted(hg_slice text)
{
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else
            printf(c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
    }
    putchar('"');
}

/* All of standard input; false when memory or the stream fails. */
static bool read_input(hg_slice *text)
{
    char *bytes = NULL;
    size_t size = 0, cap = 0, got;
    do {
        if (size == cap) {
            cap = cap ? cap * 2 : 4096;
            char *more = realloc(bytes, cap);
            if (more == NULL) {
                free(bytes);
                return false;
            }
            bytes = more;
        }
        got = fread(bytes + size, 1, cap - size, stdin);
        size += got;
    } while (got > 0);
    *text = hg_slice_of(bytes, size);
    return ferror(stdin) == 0;
}

/* The one argument, or what it stands for. */
static int with_text(int argc, char **argv, void (*explain)(hg_slice text))
{
    if (argc != 2)
        return cli_usage_error("explain", "one TEXT is wanted behind", argv[0]);
    if (strcmp(argv[1], "-") != 0) {
        explain(hg_slice_from(argv[1]));
        return 0;
    }
    hg_slice text;
    if (!read_input(&text)) {
        fprintf(stderr, "hotgate explain: standard input cannot be read\n");
        return 3;
    }
    explain(text);
    free((char *)text.ptr);
    return 0;
}

/* ---- SQL ---- */

static void print_sqli_token(const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    printf("    %c ", token->type);
    print_quoted(hg_sqli_text(scan, token));
    putchar('\n');
}

static void print_tokens(const hg_sqli_attempt *attempt, hg_slice text)
{
    hg_sqli_scan scan;
    hg_sqli_token token;
    hg_sqli_scan_start(&scan, text, attempt->scan.quote, attempt->scan.mysql);
    printf("  tokens\n");
    while (hg_sqli_next(&scan, &token))
        print_sqli_token(&scan, &token);
    if (scan.illegal)
        printf("    the word at byte %zu touches what stands before it: the input ends here\n", scan.p);
    printf("  folded\n");
    for (size_t i = 0; i < attempt->count; i++)
        print_sqli_token(&attempt->scan, &attempt->tokens[i]);
}

static const char *describe(const hg_sqli_attempt *attempt)
{
    const char *fingerprint = attempt->fingerprint;
    if (attempt->positive)
        return "listed: an attack";
    if (attempt->listed)
        return "listed, but ordinary text looks like this too: benign";
    if (hg_sqli_fingerprint(fingerprint, strlen(fingerprint)) == HG_SQLI_RETIRED)
        return "retired from the list for its false positives: benign";
    return "not listed: benign";
}

static const char *context_of(char quote)
{
    switch (quote) {
    case '\'':
        return "behind a '";
    case '"':
        return "behind a \"";
    case '`':
        return "behind a `";
    }
    return "as it stands";
}

static void explain_sqli(hg_slice text)
{
    hg_sqli_detection d;
    bool positive = false;
    hg_sqli_begin(&d, text);
    while (hg_sqli_step(&d)) {
        const hg_sqli_attempt *attempt = &d.attempt;
        printf("%s, %s\n", context_of(attempt->scan.quote), attempt->scan.mysql ? "MySQL" : "ANSI SQL");
        print_tokens(attempt, text);
        printf("  fingerprint %s: %s\n", attempt->count ? attempt->fingerprint : "(empty)", describe(attempt));
        positive = attempt->positive;
    }
    if (positive)
        printf("verdict: SQL injection, fingerprint %s\n", d.attempt.fingerprint);
    else
        printf("verdict: benign\n");
}

int cli_explain_sqli(int argc, char **argv)
{
    return with_text(argc, argv, explain_sqli);
}

/* ---- HTML ---- */

static const char *const kind_names[] = {
    [HG_HTML_TEXT] = "text",          [HG_HTML_OPEN] = "tag",
    [HG_HTML_NAME_CLOSE] = "tag end", [HG_HTML_SELF_CLOSE] = "empty tag end",
    [HG_HTML_CLOSE] = "closing tag",  [HG_HTML_ATTRIBUTE] = "attribute",
    [HG_HTML_VALUE] = "value",        [HG_HTML_COMMENT] = "comment",
    [HG_HTML_DOCTYPE] = "doctype",
};

/* Why a token fires, given the kind of the attribute before it. */
static const char *reason(hg_html_kind kind, hg_xss_kind attribute)
{
    static const char *const of_values[] = {
        [HG_XSS_NONE] = "",
        [HG_XSS_URL] = "a URL that runs script",
        [HG_XSS_STYLE] = "a style that loads or runs something",
        [HG_XSS_BLACK] = "the value of an event handler or a data binding",
        [HG_XSS_INDIRECT] = "it names an attribute that can run script",
    };
    switch (kind) {
    case HG_HTML_OPEN:
        return "a tag that can run script";
    case HG_HTML_VALUE:
        return of_values[attribute];
    case HG_HTML_COMMENT:
        return "a conditional comment, an instruction or an entity";
    default:
        return "a declaration";
    }
}

/* Prints the run of one context; true when it fired. */
static bool explain_context(hg_slice text, hg_html_context context)
{
    static const char *const names[] = {
        [HG_HTML_TEXT_CONTEXT] = "as page text",     [HG_HTML_UNQUOTED] = "inside a tag",
        [HG_HTML_SINGLE] = "inside a value in ''",   [HG_HTML_DOUBLE] = "inside a value in \"\"",
        [HG_HTML_BACKTICK] = "inside a value in ``",
    };
    hg_html html;
    hg_html_token token;
    hg_xss_kind kind = HG_XSS_NONE;
    hg_html_start(&html, text, context);
    printf("%s\n", names[context]);
    while (hg_html_next(&html, &token)) {
        hg_xss_kind attribute = kind;
        bool fires = hg_xss_judge(&html, &token, &kind);
        printf("    %s ", kind_names[token.kind]);
        print_quoted(hg_slice_of(text.ptr + token.start, token.len));
        if (fires)
            printf("  <- %s", reason(token.kind, attribute));
        putchar('\n');
        if (fires)
            return true;
    }
    return false;
}

static void explain_xss(hg_slice text)
{
    bool fired = false;
    for (int context = 0; text.len > 0 && context < HG_HTML_CONTEXTS && !fired; context++)
        fired = explain_context(text, (hg_html_context)context);
    printf("verdict: %s\n", fired ? "XSS" : "benign");
}

int cli_explain_xss(int argc, char **argv)
{
    return with_text(argc, argv, explain_xss);
}
