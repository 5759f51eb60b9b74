/* --profile of the verbs: samples of the program itself. */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include "hotgate/prof.h"

typedef struct cli_profile {
    hg_prof *prof; /* NULL: not wanted */
    hg_prof_thread *thread;
    const char *path;
} cli_profile;

/* One file, written at the end; samples the calling thread. False: complained on stderr. */
bool cli_profile_file(cli_profile *p, const char *verb, const char *path);

/* A file in the folder every 67 seconds and at the end; threads attach themselves. False: complained on stderr. */
bool cli_profile_folder(cli_profile *p, const char *verb, const char *folder);

/* Writes what is left and frees. All threads but the one of cli_profile_file must have detached. True also when no
 * profile was wanted. False: complained on stderr. */
bool cli_profile_end(cli_profile *p, const char *verb);

#endif
