/* The root: link types of tcpdump.org; what is not known is taken for raw IP (DLT 12, 14, 101, 228, 229 and others). */
#include "net/layers/layers.h"

const net_layer net_layer_root = {.name = "Root", .source = "ROOT", .id = NET_LAYER_root};
