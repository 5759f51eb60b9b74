/* How many humps a distribution has: Gregg's m-value over a histogram (marshalling R-8). The bin is
 * Scott's normal reference width; at most 512 bins. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST = 12, BINS_MAX = 512 };

static double m_value(const double *sorted, size_t count, double width)
{
    size_t heights[BINS_MAX + 2] = {0}; /* an empty bin on each side */
    double low = sorted[0];
    size_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bin = (size_t)((sorted[i] - low) / width) + 1;
        if (bin > BINS_MAX)
            bin = BINS_MAX;
        if (++heights[bin] > highest)
            highest = heights[bin];
    }
    double climb = 0;
    for (size_t i = 1; i < BINS_MAX + 2; i++)
        climb += fabs((double)heights[i] - (double)heights[i - 1]);
    return climb / (double)highest;
}

const char *modality_of(const double *sorted, size_t count)
{
    if (count < FEWEST)
        return "";
    double q1 = sorted_quantile(sorted, count, 0.25), q3 = sorted_quantile(sorted, count, 0.75);
    double low = q1 - 1.5 * (q3 - q1), high = q3 + 1.5 * (q3 - q1);
    while (count > 0 && sorted[count - 1] > high)
        count--;
    while (count > 0 && sorted[0] < low) {
        sorted++;
        count--;
    }
    if (count < FEWEST || sorted[count - 1] <= sorted[0])
        return "";
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += sorted[i];
    mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    double scott = 3.49 * sqrt(squares / (double)(count - 1)) / cbrt((double)count);
    double range = sorted[count - 1] - sorted[0];
    if (scott < range / BINS_MAX)
        scott = range / BINS_MAX;
    double m = m_value(sorted, count, scott);
    if (m > 4.2)
        return "multimodal";
    if (m > 3.2)
        return "bimodal";
    return m > 2.8 ? "several?" : "";
}
