#include "waf/plan/lanes.h"
#include <stdlib.h>
hg_lanes *hg_lanes_new(hg_plan *plan) { (void)plan; return calloc(1, sizeof(hg_lanes)); }
void hg_lanes_free(hg_lanes *lanes) { free(lanes); }
