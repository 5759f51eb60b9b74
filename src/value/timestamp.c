#include "value/timestamp.h"

#include <stdio.h>

static uint64_t load_be(hg_slice s, size_t from, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x = x << 8 | (uint8_t)s.ptr[from + i];
    return x;
}

enum { SECONDS_A_DAY = 86400 };

/* Proleptic Gregorian date of a day number, by 400-year eras that begin on 1 March. */
static void date_of(int64_t day, int64_t *year, int *month, int *mday)
{
    int64_t z = day + 719468; /* days from 0000-03-01 to 1970-01-01 */
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t of_era = z - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *mday = (int)(of_year - (153 * m + 2) / 5) + 1;
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = y + era * 400 + (*month <= 2);
}

static size_t print(int64_t seconds, uint32_t nanoseconds, char *out)
{
    int64_t day = seconds / SECONDS_A_DAY, rest = seconds % SECONDS_A_DAY;
    if (rest < 0) {
        rest += SECONDS_A_DAY;
        day--;
    }
    int64_t year;
    int month, mday;
    date_of(day, &year, &month, &mday);
    if (year < 0 || year > 9999 || nanoseconds > 999999999)
        return 0;
    int n = snprintf(out, TIMESTAMP_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, month, mday, (int)(rest / 3600),
                     (int)(rest / 60 % 60), (int)(rest % 60));
    if (nanoseconds != 0)
        n += snprintf(out + n, TIMESTAMP_TEXT - (size_t)n, ".%09u", nanoseconds);
    out[n] = 'Z';
    return (size_t)n + 1;
}

size_t timestamp_from_msgpack(hg_slice payload, char out[TIMESTAMP_TEXT])
{
    const int64_t latest = INT64_C(253402300799); /* 9999-12-31T23:59:59Z */
    int64_t seconds;
    uint32_t nanoseconds = 0;
    if (payload.len == 4) {
        seconds = (int64_t)load_be(payload, 0, 4);
    } else if (payload.len == 8) {
        uint64_t both = load_be(payload, 0, 8);
        nanoseconds = (uint32_t)(both >> 34);
        seconds = (int64_t)(both & ((UINT64_C(1) << 34) - 1));
    } else if (payload.len == 12) {
        nanoseconds = (uint32_t)load_be(payload, 0, 4);
        seconds = (int64_t)load_be(payload, 4, 8);
    } else {
        return 0;
    }
    if (seconds > latest || seconds < -latest)
        return 0;
    return print(seconds, nanoseconds, out);
}
