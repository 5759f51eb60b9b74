/* Numbers for people. */
#include "cli/ab/ab.h"

#include <math.h>

/* Three significant digits for ns, μs and ms, one decimal for s (marshalling R-7). */
const char *format_time(double ns, char out[32])
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "μs"}, {1e6, "ms"}};
    for (int i = 0; i < 3; i++) {
        double v = ns / units[i].scale;
        if (v < 999.5) {
            snprintf(out, 32, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[i].unit);
            return out;
        }
    }
    snprintf(out, 32, "%.1fs", ns / 1e9);
    return out;
}

const char *format_bytes(double bytes, char out[32])
{
    static const char *const units[] = {"B", "KB", "MB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 2) {
        bytes /= 1024;
        unit++;
    }
    int length = snprintf(out, 24, "%.2f", bytes);
    while (length > 0 && out[length - 1] == '0') /* up to two decimals */
        out[--length] = '\0';
    if (length > 0 && out[length - 1] == '.')
        out[--length] = '\0';
    snprintf(out + length, 32 - (size_t)length, " %s", units[unit]);
    return out;
}

const char *format_grouped(double number, int decimals, char out[48])
{
    char plain[40];
    int length = snprintf(plain, sizeof plain, "%.*f", decimals, number);
    int whole = decimals > 0 ? length - decimals - 1 : length, at = 0;
    if (!isfinite(number) || length >= (int)sizeof plain) {
        snprintf(out, 48, "%g", number);
        return out;
    }
    for (int i = 0; i < length && at < 46; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-')
            out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = '\0';
    return out;
}

/* BenchmarkDotNet shortens parameter texts above 20 characters. */
const char *short_params(const series *s, char *out, size_t size)
{
    size_t length = strlen(s->params);
    if (length > 20)
        snprintf(out, size, "%s(%.5s(...)%s [%zu])", s->method, s->params, s->params + length - 5, length);
    else if (length > 0)
        snprintf(out, size, "%s(%s)", s->method, s->params);
    else
        snprintf(out, size, "%s", s->method);
    return out;
}
