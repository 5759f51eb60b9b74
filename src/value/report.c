#include "hotgate/encode.h"

void hg_report_init(hg_report *report)
{
    memset(report, 0, sizeof *report);
}

void hg_report_merge(hg_report *report, const hg_report *other)
{
    if (report->reasons == 0 && other->reasons != 0) {
        report->path_len = other->path_len;
        memcpy(report->path, other->path, other->path_len);
    }
    report->reasons |= other->reasons;
    for (size_t i = 0; i < HG_REASONS; i++) {
        hg_truncation *to = &report->of[i];
        const hg_truncation *from = &other->of[i];
        to->count += from->count;
        to->sum += from->sum;
        to->max = to->max > from->max ? to->max : from->max;
    }
}

const hg_truncation *hg_report_reason(const hg_report *report, hg_reason reason)
{
    return &report->of[__builtin_ctz((unsigned)reason)];
}
