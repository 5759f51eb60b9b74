/* How many humps a distribution has: Gregg's m-value over an adaptive histogram (marshalling R-8). A bin starts at a
 * value and is as wide as Scott's rule says; a gap of more than half a bin counts as an empty one. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST = 12 };

static double m_value(const double *sorted, size_t count, double width)
{
    size_t highest = 0, before = 0;
    double climb = 0;
    for (size_t i = 0; i < count;) {
        size_t start = i;
        while (i < count && sorted[i] < sorted[start] + width)
            i++;
        if (start > 0 && sorted[start] - sorted[start - 1] > width / 2) {
            climb += (double)before;
            before = 0;
        }
        size_t height = i - start;
        climb += fabs((double)height - (double)before);
        before = height;
        if (height > highest)
            highest = height;
    }
    return (climb + (double)before) / (double)highest;
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
    double m = m_value(sorted, count, scott);
    if (m > 4.2)
        return "multimodal";
    if (m > 3.2)
        return "bimodal";
    return m > 2.8 ? "several?" : "";
}
