/* The SQL detector: never reads outside its input, always moves on, and its shortcuts change no verdict. */
#include "guard.h"
#include "hotgate/injection.h"
#include "text/sqli/sqli.h"

static void check_tokens(hg_slice text, char quote, bool mysql)
{
    hg_sqli_scan scan;
    hg_sqli_token token;
    size_t before = 0;
    hg_sqli_scan_start(&scan, text, quote, mysql);
    while (hg_sqli_next(&scan, &token)) {
        /* Only the string behind an imagined quote may be empty and end where it began. */
        bool moved = scan.p > before || (quote != 0 && scan.tokens == 1);
        if (!moved || scan.p > text.len || token.len > HG_SQLI_TEXT_MAX || token.start + token.len > text.len)
            abort();
        before = scan.p;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char quotes[] = {0, '\'', '"', '`'};
    hg_slice text = guard(data, size);
    for (unsigned i = 0; i < sizeof quotes; i++)
        for (int mysql = 0; mysql < 2; mysql++)
            check_tokens(text, quotes[i], mysql);

    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    bool found = hg_sqli(text, fingerprint), full = false;
    hg_sqli_detection d;
    hg_sqli_begin(&d, text);
    while (hg_sqli_step(&d))
        full = d.attempt.positive;
    if (full != found || (full && strcmp(fingerprint, d.attempt.fingerprint) != 0))
        abort();
    if (found != (fingerprint[0] != '\0') || strlen(fingerprint) > HG_SQLI_SHOWN || hg_sqli(text, NULL) != found)
        abort();
    return 0;
}
