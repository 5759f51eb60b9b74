#include "cli/scan/report.h"

#include <stdio.h>
#include <time.h>

static int month_of(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *found = strlen(name) == 3 ? strstr(names, name) : NULL;
    return found != NULL ? (int)(found - names) / 3 : -1;
}

static int64_t to_seconds(struct tm *tm, const char *zone)
{
    int hours = 0, minutes = 0;
    char sign = 0;
    if (sscanf(zone, " %c%2d%*[:]%2d", &sign, &hours, &minutes) < 3)
        sscanf(zone, " %c%2d%2d", &sign, &hours, &minutes);
    int64_t offset = (hours * 60 + minutes) * 60;
    return (int64_t)timegm(tm) - (sign == '-' ? -offset : sign == '+' ? offset : 0);
}

int64_t scan_time(hg_slice text)
{
    char buffer[64], month[4] = "", zone[32] = "";
    struct tm tm = {0};
    size_t n = text.len < sizeof buffer - 1 ? text.len : sizeof buffer - 1;
    if (n == 0)
        return -1;
    memcpy(buffer, text.ptr, n);
    buffer[n] = '\0';
    if (sscanf(buffer, "%2d/%3[A-Za-z]/%4d:%2d:%2d:%2d %31[-+0-9:]", &tm.tm_mday, month, &tm.tm_year, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec, zone) >= 6) {
        tm.tm_mon = month_of(month);
        tm.tm_year -= 1900;
        return tm.tm_mon >= 0 ? to_seconds(&tm, zone) : -1;
    }
    double seconds = 0;
    if (sscanf(buffer, "%4d-%2d-%2dT%2d:%2d:%lf%31[-+0-9:Z]", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
               &tm.tm_min, &seconds, zone) >= 6 && seconds >= 0 && seconds < 100) {
        tm.tm_sec = (int)seconds;
        tm.tm_mon -= 1;
        tm.tm_year -= 1900;
        return to_seconds(&tm, zone[0] == 'Z' ? "" : zone);
    }
    return -1;
}
