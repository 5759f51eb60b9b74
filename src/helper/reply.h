/* Replies of the helper protocol, encoded. */
#ifndef HELPER_REPLY_H
#define HELPER_REPLY_H

#include "helper/session.h"

/* [[type, nil]] */
hg_status reply_error(hg_buffer *out);
hg_status reply_config_sync(hg_buffer *out);
hg_status reply_config_features(bool enabled, hg_buffer *out);

/* client_init: failure is NULL when all is well; announce: tell what loading the rules said. */
hg_status reply_client_init(hg_slice version, const generation *rules, const char *failure, bool announce, hg_buffer *out);

/* What an evaluation found, as the wire wants it. */
hg_status reply_request(const session *s, const char *command, const hg_value *result, bool force_keep, hg_buffer *out);

#endif
