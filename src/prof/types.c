/* Sample types: names, units, families, and how each is scaled up from samples to totals. */
#include "prof/internal.h"

#include <math.h>

static const struct {
    const char *name, *unit;
    unsigned families; /* all must be on */
    scaling scaling;
    hg_prof_type partner; /* the size of a count, the count of a size */
} types[HG_PROF_TYPES] = {
    [HG_PROF_SAMPLE] = {"sample", "count", HG_PROF_ON, SCALE_NONE, 0},
    [HG_PROF_WALL_TIME] = {"wall-time", "nanoseconds", HG_PROF_ON, SCALE_NONE, 0},
    [HG_PROF_CPU_TIME] = {"cpu-time", "nanoseconds", HG_PROF_CPU, SCALE_NONE, 0},
    [HG_PROF_ALLOC_SAMPLES] = {"alloc-samples", "count", HG_PROF_ALLOCATION, SCALE_POISSON_COUNT, HG_PROF_ALLOC_SIZE},
    [HG_PROF_ALLOC_SIZE] = {"alloc-size", "bytes", HG_PROF_ALLOCATION, SCALE_POISSON_SIZE, HG_PROF_ALLOC_SAMPLES},
    [HG_PROF_HEAP_LIVE_SAMPLES] = {"heap-live-samples", "count", HG_PROF_ALLOCATION | HG_PROF_HEAP_LIVE,
                                   SCALE_POISSON_COUNT, HG_PROF_HEAP_LIVE_SIZE},
    [HG_PROF_HEAP_LIVE_SIZE] = {"heap-live-size", "bytes", HG_PROF_ALLOCATION | HG_PROF_HEAP_LIVE, SCALE_POISSON_SIZE,
                                HG_PROF_HEAP_LIVE_SAMPLES},
    [HG_PROF_TIMELINE] = {"timeline", "nanoseconds", HG_PROF_TIMELINE_ON, SCALE_NONE, 0},
    [HG_PROF_EXCEPTION_SAMPLES] = {"exception-samples", "count", HG_PROF_EXCEPTION, SCALE_FACTOR, 0},
#define IO(type, text, unit_text)                                                                                      \
    [HG_PROF_##type] = {text, unit_text, HG_PROF_IO, SCALE_POISSON_SIZE, HG_PROF_##type##_SAMPLES},                    \
    [HG_PROF_##type##_SAMPLES] = {text "-samples", "count", HG_PROF_IO, SCALE_POISSON_COUNT, HG_PROF_##type}
    IO(SOCKET_READ_TIME, "socket-read-time", "nanoseconds"),
    IO(SOCKET_WRITE_TIME, "socket-write-time", "nanoseconds"),
    IO(FILE_READ_TIME, "file-io-read-time", "nanoseconds"),
    IO(FILE_WRITE_TIME, "file-io-write-time", "nanoseconds"),
    IO(SOCKET_READ_SIZE, "socket-read-size", "bytes"),
    IO(SOCKET_WRITE_SIZE, "socket-write-size", "bytes"),
    IO(FILE_READ_SIZE, "file-io-read-size", "bytes"),
    IO(FILE_WRITE_SIZE, "file-io-write-size", "bytes"),
#undef IO
};

const char *hg_prof_type_name(hg_prof_type type)
{
    return type < HG_PROF_TYPES ? types[type].name : "";
}

const char *hg_prof_type_unit(hg_prof_type type)
{
    return type < HG_PROF_TYPES ? types[type].unit : "";
}

uint32_t hg_prof_type_mask(unsigned families)
{
    if (!(families & HG_PROF_ON))
        return 0;
    uint32_t mask = 0;
    for (unsigned i = 0; i < HG_PROF_TYPES; i++)
        if ((types[i].families & families) == types[i].families)
            mask |= 1u << i;
    return mask;
}

scaling type_scaling(hg_prof_type type, hg_prof_type *partner)
{
    *partner = types[type].partner;
    return types[type].scaling;
}

double type_distance(const hg_prof *prof, hg_prof_type type)
{
    if (type >= HG_PROF_SOCKET_READ_SIZE)
        return (double)prof->settings.io_size_distance;
    if (type >= HG_PROF_SOCKET_READ_TIME)
        return (double)prof->settings.io_time_distance;
    if (type == HG_PROF_EXCEPTION_SAMPLES)
        return (double)prof->settings.exception_distance;
    return (double)prof->settings.allocation_distance;
}

/* With distances drawn from an exponential distribution an event of this size is sampled with probability
 * 1 - e^(-size/distance); its sample stands for the inverse. */
double weight_of(int64_t size, double distance)
{
    return size > 0 && distance > 0 ? -1 / expm1(-(double)size / distance) : 1;
}

void weigh(const hg_prof *prof, uint32_t mask, const int64_t *values, double *out)
{
    int64_t by_type[HG_PROF_TYPES];
    unsigned at = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        by_type[__builtin_ctz(left)] = values[at++];
    at = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1, at++) {
        hg_prof_type type = (hg_prof_type)__builtin_ctz(left), partner;
        scaling how = type_scaling(type, &partner);
        double factor = 1;
        if (how == SCALE_FACTOR)
            factor = type_distance(prof, type);
        else if (how == SCALE_POISSON_SIZE)
            factor = weight_of(by_type[type], type_distance(prof, type));
        else if (how == SCALE_POISSON_COUNT && (mask >> partner & 1))
            factor = weight_of(by_type[partner], type_distance(prof, type));
        out[at] = (double)values[at] * factor;
    }
}
