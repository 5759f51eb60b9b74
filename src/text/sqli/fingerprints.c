/* Listed fingerprints: grouped by their first two letters, the other three packed into a sorted number whose
 * lowest bit says "retired". */
#include "text/sqli/sqli.h"

#include "text/sqli/fingerprints_table.h"

hg_sqli_listing hg_sqli_fingerprint(const char *letters, size_t len)
{
    unsigned d[HG_SQLI_SHOWN] = {0};
    if (len == 0 || len > HG_SQLI_SHOWN)
        return HG_SQLI_UNLISTED;
    for (size_t i = 0; i < len; i++)
        if ((d[i] = digits[letters[i] & 127]) == 0)
            return HG_SQLI_UNLISTED;
    unsigned group = d[0] * BASE + d[1], rest = (d[2] * BASE + d[3]) * BASE + d[4];
    const uint16_t *low = &rests[starts[group]];
    unsigned count = starts[group + 1] - starts[group];
    if (count == 0)
        return HG_SQLI_UNLISTED;
    for (; count > 1; count -= count / 2) /* no branch to mispredict: the compiler moves conditionally */
        low = low[count / 2] / 2 <= rest ? low + count / 2 : low;
    if (*low / 2 != rest)
        return HG_SQLI_UNLISTED;
    return *low & 1 ? HG_SQLI_RETIRED : HG_SQLI_LISTED;
}

bool hg_sqli_starts_fingerprint(char first, char second)
{
    unsigned follower = digits[second & 127];
    return (second == 0 || follower != 0) && (followers[digits[first & 127]] >> follower & 1) != 0;
}
