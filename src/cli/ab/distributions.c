/* Distribution functions: normal, Student's t. The incomplete beta function by its continued fraction
 * (Abramowitz and Stegun 26.5.8), evaluated with Lentz's method. */
#include "cli/ab/ab.h"

#include <float.h>
#include <math.h>

double normal_cdf(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

static double nonzero(double v)
{
    return fabs(v) < DBL_MIN ? DBL_MIN : v;
}

static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m <= 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / nonzero(1 + even * d);
        c = nonzero(1 + even / c);
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / nonzero(1 + odd * d);
        c = nonzero(1 + odd / c);
        double step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return h;
}

/* Regularised incomplete beta I_x(a, b); y is 1 - x, given apart because it may be tiny. */
static double beta_regularised(double a, double b, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double student_cdf(double t, double df)
{
    if (isnan(t))
        return NAN;
    if (isinf(t))
        return t > 0 ? 1 : 0;
    double square = t * t;
    double tail = 0.5 * beta_regularised(df / 2, 0.5, df / (df + square), square / (df + square));
    return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double df)
{
    double low = -1, high = 1;
    while (student_cdf(low, df) > p && low > -1e12)
        low *= 2;
    while (student_cdf(high, df) < p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * fmax(1, fabs(low)); i++) {
        double middle = low + (high - low) / 2;
        if (student_cdf(middle, df) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}
