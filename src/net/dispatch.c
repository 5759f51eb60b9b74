/* The dispatcher: small integers to layers. Tables are filled when the engine is made; a look-up is a subtraction,
 * a bound check and a load. */
#include "net/engine.h"
#include "net/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { TABLE_MOST = 1 << 17 }; /* widest span of keys a table may cover */

static uint32_t node_find(const hg_net *net, const char *name)
{
    for (uint32_t i = 0; i < net->node_count; i++)
        if (strcmp(net->nodes[i].layer->name, name) == 0)
            return i;
    return NET_NODES;
}

static hg_status table_put(net_node *node, uint64_t key, uint8_t child)
{
    if (node->span == 0)
        node->low = key;
    uint64_t low = key < node->low ? key : node->low;
    uint64_t high = node->low + node->span;
    if (high <= key)
        high = key + 1;
    if (high - low > TABLE_MOST)
        return HG_ERR_LIMIT;
    uint32_t span = (uint32_t)(high - low);
    if (span != node->span) {
        uint8_t *table = calloc(span, 1);
        if (table == NULL)
            return HG_ERR_NOMEM;
        if (node->span > 0)
            memcpy(table + (node->low - low), node->table, node->span);
        free(node->table);
        node->table = table;
        node->span = span;
        node->low = low;
    }
    node->table[key - low] = child;
    return HG_OK;
}

static hg_status node_register(hg_net *net, const char *parent_name, uint64_t key, uint32_t child)
{
    uint32_t at = node_find(net, parent_name);
    if (at == NET_NODES)
        return HG_ERR_ARGUMENT;
    net_node *parent = &net->nodes[at];
    uint8_t value = (uint8_t)(child + 1);
    if (key == NET_DEFAULT) {
        parent->fallback = value;
        return HG_OK;
    }
    if (key != NET_DETECTOR)
        return table_put(parent, key, value);
    if (parent->detector_count == NET_DETECTORS)
        return HG_ERR_LIMIT;
    parent->detectors[parent->detector_count++] = value;
    return HG_OK;
}

/* "NAME=PORT" from the options: one more UDP port for a tunnel. */
static hg_status port_register(hg_net *net, const char *text)
{
    const char *equals = strchr(text, '=');
    char name[32];
    if (equals == NULL || (size_t)(equals - text) >= sizeof name)
        return HG_ERR_ARGUMENT;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    char *end;
    unsigned long port = strtoul(equals + 1, &end, 10);
    uint32_t child = NET_NODES;
    for (uint32_t i = 0; i < net->node_count; i++)
        if (strcasecmp(net->nodes[i].layer->name, name) == 0)
            child = i;
    if (child == NET_NODES || *end != '\0' || port == 0 || port > 65535)
        return HG_ERR_ARGUMENT;
    net->server_ports[1][port >> 3] |= (uint8_t)(1u << (port & 7));
    return node_register(net, "UDP", port, child);
}

hg_status net_dispatch_init(hg_net *net)
{
    for (; net_layers[net->node_count] != NULL; net->node_count++) {
        if (net->node_count == NET_NODES)
            return HG_ERR_LIMIT;
        if (net_layers[net->node_count]->id != net->node_count)
            return HG_ERR_INTERNAL; /* layers/table.c and layers.h disagree */
        net->nodes[net->node_count].layer = net_layers[net->node_count];
    }
    for (uint32_t i = 0; i < net->node_count; i++)
        for (const net_parent *p = net_layers[i]->parents; p != NULL && p->name != NULL; p++) {
            if (p->extension && net->options.compat)
                continue;
            hg_status status = node_register(net, p->name, p->key, i);
            if (status != HG_OK)
                return status;
        }
    for (const char *const *p = net->options.ports; p != NULL && *p != NULL; p++) {
        hg_status status = port_register(net, *p);
        if (status != HG_OK)
            return status;
    }
    return HG_OK;
}

void net_dispatch_free(hg_net *net)
{
    for (uint32_t i = 0; i < net->node_count; i++)
        free(net->nodes[i].table);
}

static inline net_node *node_of(hg_net *net, const net_layer *layer)
{
    return &net->nodes[layer->id];
}

static bool too_deep(hg_net *net, net_packet *packet, const net_layer *parent)
{
    net_frame *frame = packet->frame;
    if (net->options.layer_depth == 0 || frame->entered < (uint32_t)net->options.layer_depth)
        return false;
    net->counters.layer_depth_exceeded++;
    net_weird_packet(net, packet, W_max_packet_analyzer_depth_exceeded, "", parent);
    if (packet->flow != NULL)
        net_flow_limit_hit(packet->flow);
    return true;
}

static uint8_t detect(const hg_net *net, const net_node *node, const uint8_t *data, size_t len)
{
    for (uint32_t i = 0; i < node->detector_count; i++)
        if (net->nodes[node->detectors[i] - 1].layer->detect(data, len))
            return node->detectors[i];
    return node->fallback;
}

static inline bool enter(hg_net *net, net_packet *packet, uint8_t child, const uint8_t *data, size_t len)
{
    net_frame *frame = packet->frame;
    if (frame->entered < NET_HISTORY)
        frame->history[frame->entered] = (uint8_t)(child - 1);
    frame->entered++;
    return net->nodes[child - 1].layer->enter(net, packet, data, len);
}

static bool forward(hg_net *net, net_packet *packet, const net_node *node, uint64_t key, const uint8_t *data,
                    size_t len)
{
    if (too_deep(net, packet, node->layer))
        return false;
    uint64_t offset = key - node->low;
    uint8_t child = offset < node->span ? node->table[offset] : 0;
    if (child == 0)
        child = detect(net, node, data, len);
    if (child == 0) {
        if (!node->layer->quiet)
            net_unknown(net, packet, node->layer, key, data, len);
        return false;
    }
    return enter(net, packet, child, data, len);
}

bool net_forward(hg_net *net, net_packet *packet, const net_layer *parent, uint64_t key, const uint8_t *data,
                 size_t len)
{
    return forward(net, packet, node_of(net, parent), key, data, len);
}

bool net_forward_link(hg_net *net, net_packet *packet, uint32_t link_type, const uint8_t *data, size_t len)
{
    return forward(net, packet, &net->nodes[0], link_type, data, len);
}

bool net_forward_default(hg_net *net, net_packet *packet, const net_layer *parent, const uint8_t *data, size_t len)
{
    if (too_deep(net, packet, parent))
        return false;
    const net_node *node = node_of(net, parent);
    uint8_t child = detect(net, node, data, len);
    if (child == 0) {
        if (!parent->quiet)
            net_weird_packet(net, packet, W_no_suitable_analyzer_found, "", parent);
        return false;
    }
    return enter(net, packet, child, data, len);
}
