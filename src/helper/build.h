/* Building a service's rules: the daemon's or a file's, the obfuscator, and what remote configuration adds. All on the
 * maintenance thread (or before it has started). */
#ifndef HELPER_BUILD_H
#define HELPER_BUILD_H

#include "helper/service.h"

/* Builds for the first time: state becomes READY or FAILED. */
void build_service(service *s, hg_slice rules, const char *version);

/* With new rules of the daemon; false: they cannot be used and the old ones stay. */
bool rebuild_service(service *s, hg_slice rules, const char *version);

/* Lets a service use the instance of another that has the same rules and obfuscator: it is ready at once. Any thread. */
bool share_build(service *s, service *built);

/* Looks at the remote-configuration directory: 1 rebuilt, 0 nothing new, -1 what came cannot be used. */
int poll_remote(service *s, hg_slice rules, const char *version);

#endif
