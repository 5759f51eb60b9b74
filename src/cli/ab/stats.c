/* Sorting, quantiles, and the two tests: Mann-Whitney U and Welch's t. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

enum { RADIX_BITS = 11, RADIX_SIZE = 1 << RADIX_BITS, RADIX_PASSES = 6, EXACT_MAX = 65, SMALL_SORT = 1024 };
static const double TIE = 1e-9;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Orders doubles as integers: flip all bits of negative ones, the sign of the others. */
static uint64_t to_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | 1ull << 63);
}

static void radix_pass(const double *from, double *to, size_t count, unsigned shift)
{
    size_t starts[RADIX_SIZE] = {0};
    for (size_t i = 0; i < count; i++)
        starts[to_key(from[i]) >> shift & (RADIX_SIZE - 1)]++;
    size_t sum = 0;
    for (size_t b = 0; b < RADIX_SIZE; b++) {
        size_t here = starts[b];
        starts[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[to_key(from[i]) >> shift & (RADIX_SIZE - 1)]++] = from[i];
}

hg_status sort_numbers(double *values, size_t count)
{
    if (count < SMALL_SORT) {
        if (count > 0)
            qsort(values, count, sizeof *values, by_value);
        return HG_OK;
    }
    double *scratch = malloc(count * sizeof *scratch);
    if (scratch == NULL)
        return HG_ERR_NOMEM;
    for (unsigned pass = 0; pass < RADIX_PASSES; pass++) /* an even number: the result ends in values */
        radix_pass(pass % 2 ? scratch : values, pass % 2 ? values : scratch, count, pass * RADIX_BITS);
    free(scratch);
    return HG_OK;
}

/* Linear interpolation between closest ranks (R's type 7). */
double sorted_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0)
        return NAN;
    double at = q * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The U statistic of x against y + shift: pairs with x above, ties (within 1e-9) as a half each. */
double mann_whitney_u(const double *x, size_t n, const double *y, size_t m, double shift)
{
    double rank_sum = 0; /* of x, ranks averaged within a group of ties */
    size_t i = 0, j = 0;
    while (i < n) {
        double next = x[i];
        if (j < m && y[j] + shift < next)
            next = y[j] + shift;
        size_t xs = 0, ys = 0, before = i + j;
        for (; i < n && x[i] <= next + TIE; i++)
            xs++;
        for (; j < m && y[j] + shift <= next + TIE; j++)
            ys++;
        rank_sum += (double)xs * ((double)before + (double)(xs + ys + 1) / 2);
    }
    return rank_sum - (double)n * ((double)n + 1) / 2;
}

/* P(U <= q) without ties, from the Gaussian binomial coefficient: its q-coefficients count the arrangements. All
 * counts fit 64 bits while n + m <= 65. */
static double exact_cdf(size_t n, size_t m, double q)
{
    if (q < 0)
        return 0;
    size_t top = n * m;
    uint64_t *counts = calloc(top + 1, sizeof *counts);
    if (counts == NULL)
        return NAN;
    counts[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        for (size_t k = top; k >= m + i && k <= top; k--) /* times (1 - q^(m+i)), modulo 2^64 */
            counts[k] -= counts[k - m - i];
        for (size_t k = i; k <= top; k++) /* divided by (1 - q^i) */
            counts[k] += counts[k - i];
    }
    long double below = 0, all = 0;
    for (size_t k = 0; k <= top; k++) {
        all += counts[k];
        if ((double)k <= q)
            below += counts[k];
    }
    free(counts);
    return (double)(below / all);
}

double mann_whitney(const double *x, size_t n, const double *y, size_t m, double shift)
{
    if (n == 0 || m == 0)
        return NAN;
    double u = mann_whitney_u(x, n, y, m, shift);
    if (n + m <= EXACT_MAX)
        return 1 - exact_cdf(n, m, floor(u) - 1);
    double nm = (double)n * (double)m;
    double z = (u - nm / 2) / sqrt(nm * ((double)n + (double)m + 1) / 12);
    return normal_cdf(-z);
}

double welch(double mean_x, double var_x, size_t n, double mean_y, double var_y, size_t m, double shift)
{
    if (n < 2 || m < 2)
        return NAN;
    double a = var_x / (double)n, b = var_y / (double)m;
    double difference = mean_x - mean_y - shift;
    if (a + b <= 0)
        return difference > 0 ? 0 : 1;
    double df = (a + b) * (a + b) / (a * a / ((double)n - 1) + b * b / ((double)m - 1));
    return student_cdf(-difference / sqrt(a + b), df);
}
