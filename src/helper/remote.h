/* Remote configuration: a directory in shared memory that another process writes (a generation word, a list of files),
 * and the files it names. Read-only, by polling. Spec: helper protocol, section 13. */
#ifndef HELPER_REMOTE_H
#define HELPER_REMOTE_H

#include "hotgate/waf.h"

typedef struct remote remote;

/* NULL when out of memory. */
remote *remote_new(hg_slice path);
void remote_free(remote *r);

/* Applies what has changed to the builder. 1: something did; 0: nothing; -1: the directory cannot be understood. NULL is
 * nothing. */
int remote_update(remote *r, hg_builder *builder);

/* Merged ASM_FEATURES: whether they enable; the mode of automatic user tracking ("undefined" by default). */
bool remote_enables(const remote *r);
const char *remote_user_mode(const remote *r);

/* ruleset_version of the last ASM_DD configuration; empty: none. */
hg_slice remote_rules_version(const remote *r);

#endif
