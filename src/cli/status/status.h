/* Asking a running daemon how it is: what hotgate status and hotgate top share. */
#ifndef CLI_STATUS_STATUS_H
#define CLI_STATUS_STATUS_H

#include "hotgate/value.h"

#define STATUS_ADDRESS "unix:/run/hotgate/metrics.sock" /* as the unit has it */

enum { STATUS_BUCKETS = 16 };

typedef struct daemon_status {
    hg_value root; /* in the arena */
    hg_arena arena;
    hg_buffer text; /* as it came */
} daemon_status;

/* Asks the daemon at an address as serve's --metrics takes it. False: *why says what is wrong. */
bool status_fetch(const char *address, daemon_status *out, char why[256]);
void status_free(daemon_status *s);

/* A number of the status; 0 when it has none of that name. */
uint64_t status_number(const hg_value *map, const char *name);
hg_slice status_text(const hg_value *map, const char *name);

/* Microseconds that a share (0.5, 0.99) of the evaluations took at most, between two statuses (before may be NULL);
 * 0: there were none, UINT64_MAX: longer than the histogram tells. */
uint64_t status_quantile(const hg_value *before, const hg_value *now, double share);

#endif
