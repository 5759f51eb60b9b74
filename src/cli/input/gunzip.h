/* gzip input through zlib, where this build has it. */
#ifndef CLI_INPUT_GUNZIP_H
#define CLI_INPUT_GUNZIP_H

#include "hotgate/base.h"

struct cli_gunzip;

/* NULL: out of memory, or this build has no zlib. */
struct cli_gunzip *cli_gunzip_new(void);
void cli_gunzip_free(struct cli_gunzip *gunzip);
bool cli_gunzip_built(void);

/* Inflates from *in (advanced) into room; several gzip members in a row are one stream. Returns the bytes written; with
 * none written and *in empty more input is wanted. *broken: the data is not gzip from here on. */
size_t cli_gunzip_run(struct cli_gunzip *gunzip, hg_slice *in, char *room, size_t size, bool *broken);

/* Is a member unfinished? */
bool cli_gunzip_open(const struct cli_gunzip *gunzip);

#endif
