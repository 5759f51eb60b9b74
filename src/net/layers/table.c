/* The table of layers. */
#include "net/layers/layers.h"

#include <stddef.h>

const net_layer *const net_layers[] = {
#define NET_LAYER(id) &net_layer_##id,
#include "net/layers/layers.def"
#undef NET_LAYER
    NULL,
};
