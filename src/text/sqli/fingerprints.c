/* Listed fingerprints: grouped by their first two letters, the other three packed into a sorted number whose
 * lowest bit says "retired". */
#include "text/sqli/sqli.h"

#include "text/sqli/fingerprints_table.h"

static unsigned digit(const char *letters, size_t len, size_t at)
{
    return at < len ? digits[letters[at] & 127] : 0;
}

hg_sqli_listing hg_sqli_fingerprint(const char *letters, size_t len)
{
    char upper[HG_SQLI_SHOWN];
    for (size_t i = 0; i < len; i++) {
        upper[i] = letters[i] >= 'a' && letters[i] <= 'z' ? letters[i] - 32 : letters[i];
        if (digits[upper[i] & 127] == 0)
            return HG_SQLI_UNLISTED;
    }
    unsigned group = digit(upper, len, 0) * BASE + digit(upper, len, 1);
    unsigned rest = (digit(upper, len, 2) * BASE + digit(upper, len, 3)) * BASE + digit(upper, len, 4);
    unsigned low = starts[group], high = starts[group + 1];
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (rests[middle] / 2 < rest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == starts[group + 1] || rests[low] / 2 != rest)
        return HG_SQLI_UNLISTED;
    return rests[low] & 1 ? HG_SQLI_RETIRED : HG_SQLI_LISTED;
}
