/* tunnel.log: tunnels met and lost. */
#include "net/log/log.h"

const log_column log_tunnel_columns[] = {
    {"ts", "time"},        {"uid", "string"},     {"id.orig_h", "addr"},   {"id.orig_p", "port"}, {"id.resp_h", "addr"},
    {"id.resp_p", "port"}, {"tunnel_type", "enum"}, {"action", "enum"}, {NULL, NULL},
};

void log_tunnel(void *state, const hg_net_tunnel_event *event)
{
    static const char *const actions[] = {"Tunnel::DISCOVER", "Tunnel::CLOSE", "Tunnel::EXPIRE"};
    hg_netlog *log = state;
    const hg_net_tunnel *tunnel = &event->tunnel;
    char type[32];
    log_row row;
    log_open(log, LOG_TUNNEL, &row);
    log_time(&row, event->time);
    if (tunnel->flow != 0)
        log_uid(log, &row, tunnel->flow);
    else
        log_unset(&row);
    log_endpoints(&row, &tunnel->orig, &tunnel->resp);
    int len = snprintf(type, sizeof type, "Tunnel::%s", hg_net_tunnel_name(tunnel->type));
    log_plain(&row, type, (size_t)len);
    log_plain(&row, actions[event->action], strlen(actions[event->action]));
    log_done(log, LOG_TUNNEL, &row);
}
