/* Numbers: decimal, hexadecimal, binary, exponents and Oracle's type suffixes. */
#include "text/sqli/scan.h"

/* 0x.. and 0b..; without a digit behind them they are but a name. */
static bool scan_radix(hg_sqli_scan *scan, hg_sqli_token *token, unsigned digits)
{
    size_t p = scan->p, end = hg_sqli_run_or_nul(scan, p + 2, digits);
    return hg_sqli_emit(scan, token, end == p + 2 ? 'n' : '1', p, end, end, false);
}

/* d and f belong to the number only where nothing that could continue a word follows. */
static bool is_suffix(const hg_sqli_scan *scan, size_t at)
{
    unsigned char c = at < scan->n ? scan->s[at] | 32 : 0;
    if (c != 'd' && c != 'f')
        return false;
    if (at + 1 == scan->n)
        return true;
    unsigned char next = scan->s[at + 1];
    return hg_sqli_is(next, SQLI_WHITE) || next == ';' || next == 'u' || next == 'U';
}

bool hg_sqli_scan_number(hg_sqli_scan *scan, hg_sqli_token *token)
{
    const unsigned char *s = scan->s;
    size_t p = scan->p, end;
    if (s[p] == '0' && p + 1 < scan->n) {
        if ((s[p + 1] | 32) == 'x')
            return scan_radix(scan, token, SQLI_HEX);
        if ((s[p + 1] | 32) == 'b')
            return scan_radix(scan, token, SQLI_BINARY);
    }
    end = hg_sqli_run(scan, p, SQLI_DIGIT);
    if (hg_sqli_at(scan, end, '.')) {
        end = hg_sqli_run(scan, end + 1, SQLI_DIGIT);
        if (end == p + 1)
            return hg_sqli_emit(scan, token, '.', p, end, end, false);
    }
    char type = '1';
    if (end < scan->n && (s[end] | 32) == 'e') {
        end++;
        if (end < scan->n && (s[end] == '+' || s[end] == '-'))
            end++;
        size_t digits = end;
        end = hg_sqli_run(scan, end, SQLI_DIGIT);
        if (end == digits)
            type = 'n';
    }
    if (is_suffix(scan, end))
        end++;
    return hg_sqli_emit(scan, token, type, p, end, end, false);
}
