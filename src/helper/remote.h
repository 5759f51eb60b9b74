/* Remote configuration: a directory in shared memory that another process writes (a generation word, a list of files),
 * and the files it names. Read-only, by polling. Spec: helper protocol, section 13. */
#ifndef HELPER_REMOTE_H
#define HELPER_REMOTE_H

#include "hotgate/waf.h"

typedef struct remote remote;

/* Objects count only when `owner` owns them. NULL when out of memory. */
remote *remote_new(hg_slice path, unsigned owner);
void remote_free(remote *r); /* NULL is fine */

/* Where configurations go. */
typedef struct remote_target {
    hg_builder *builder;
    /* The first rules of remote configuration are about to be loaded: the initial ones have to go. */
    void (*replace_initial)(void *state);
    /* A configuration was loaded, or nothing of it could be. */
    void (*loaded)(void *state, const hg_value *diagnostics);
    void *state;
} remote_target;

enum { REMOTE_CONFIGURATION = 1, REMOTE_FEATURES = 2 };

/* Applies what has changed. A mask of what did; -1: the directory cannot be understood. */
int remote_update(remote *r, const remote_target *target);

/* Merged ASM_FEATURES: whether they enable; the mode of automatic user tracking ("undefined" by default). NULL: no
 * remote configuration. */
bool remote_enables(const remote *r);
const char *remote_user_mode(const remote *r);

/* Diagnostics (text of ruleset_version; counts and errors of `rules`) of the ASM_DD configuration loaded last; false:
 * none is loaded, the initial rules count. The slices are valid until the next update. */
typedef struct remote_rules {
    hg_slice version, errors;
    size_t loaded, failed; /* of all ASM_DD configurations */
} remote_rules;
bool remote_rules_of(const remote *r, remote_rules *out);

#endif
