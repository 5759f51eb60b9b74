/* ASM_FEATURES: whether the client is to be active, and how users are tracked. */
#ifndef HELPER_REMOTE_FEATURES_H
#define HELPER_REMOTE_FEATURES_H

#include "hotgate/value.h"

typedef struct remote_features {
    bool has_enabled, enabled;
    const char *mode; /* static; NULL: not said */
} remote_features;

/* False: the file is not as it should be and says nothing. */
bool remote_features_read(const hg_value *tree, remote_features *out);

/* What `later` says prevails. */
void remote_features_merge(remote_features *into, const remote_features *later);

#endif
