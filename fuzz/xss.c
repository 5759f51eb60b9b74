/* The XSS detector: never reads outside its input, its tokens lie inside and in order, and the verdict is that of
 * its contexts. */
#include "guard.h"
#include "hotgate/injection.h"
#include "text/xss/xss.h"

static void check_tokens(hg_slice text, hg_html_context context)
{
    hg_html html;
    hg_html_token token;
    size_t before = 0;
    hg_html_start(&html, text, context);
    while (hg_html_next(&html, &token)) {
        if (token.start < before || token.start + token.len > text.len || html.p > text.len)
            abort();
        before = token.start;
    }
    if (hg_html_next(&html, &token))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hg_slice text = guard(data, size);
    bool any = false;
    for (int context = 0; context < HG_HTML_CONTEXTS; context++) {
        check_tokens(text, (hg_html_context)context);
        any |= size > 0 && hg_xss_in(text, (hg_html_context)context);
    }
    if (size <= GUARD_LONGEST && hg_xss(text) != any)
        abort();
    return 0;
}
