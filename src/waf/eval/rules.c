#include "waf/eval/context.h"
bool hg_rules_eval(hg_run *run, hg_verdict *verdict) { return hg_trace_rules(run, verdict); }
