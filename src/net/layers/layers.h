/* The layers by number. */
#ifndef NET_LAYERS_H
#define NET_LAYERS_H

#include "net/engine.h"

enum net_layer_id {
#define NET_LAYER(id) NET_LAYER_##id,
#include "net/layers/layers.def"
#undef NET_LAYER
};

#define NET_LAYER(id) extern const net_layer net_layer_##id;
#include "net/layers/layers.def"
#undef NET_LAYER

/* Where EtherTypes below 1536 lead (IEEE 802.3 lengths). */
enum { NET_KEY_SNAP = 1, NET_KEY_NOVELL = 2, NET_KEY_LLC = 3 };

#endif
