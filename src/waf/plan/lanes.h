#ifndef WAF_PLAN_LANES_H
#define WAF_PLAN_LANES_H
#include "waf/plan/plan.h"
struct hg_lanes { int unused; };
hg_lanes *hg_lanes_new(hg_plan *plan);
void hg_lanes_free(hg_lanes *lanes);
#endif
