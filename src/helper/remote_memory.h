/* The shared-memory objects of remote configuration. They belong to another process that may change or cut them at any
 * time, so they are read by system calls and never mapped. */
#ifndef HELPER_REMOTE_MEMORY_H
#define HELPER_REMOTE_MEMORY_H

#include "hotgate/memory.h"
#include "hotgate/value.h"

enum { REMOTE_DIRECTORY_MAX = 4 << 20, REMOTE_FILE_MAX = 64 << 20, REMOTE_NAME_SIZE = 256, REMOTE_PATH_SIZE = 1024 };

typedef enum remote_state {
    REMOTE_SAME,   /* nothing new, or no directory yet */
    REMOTE_NEW,    /* *text is filled */
    REMOTE_BROKEN
} remote_state;

/* The text of the directory, unless its generation word still is *generation; that is then updated. The text is the
 * caller's to free. */
remote_state remote_directory_read(const char *name, unsigned owner, uint64_t *generation, hg_buffer *text);

/* An object's whole content, in the arena. */
hg_status remote_object_read(const char *name, unsigned owner, hg_arena *arena, hg_slice *out);

/* A line of the directory: "<object>:<index>:<base64url of the path>". Both texts are ended by NUL. */
bool remote_line_read(hg_slice line, char name[REMOTE_NAME_SIZE], char path[REMOTE_PATH_SIZE]);

#endif
