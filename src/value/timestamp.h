#ifndef VALUE_TIMESTAMP_H
#define VALUE_TIMESTAMP_H

#include "hotgate/base.h"

enum { TIMESTAMP_TEXT = 48 };

/* The payload of MessagePack's ext type -1 as RFC 3339 text in UTC, with nanoseconds when there are any; 0 when it is
 * malformed or its year has not four digits. */
size_t timestamp_from_msgpack(hg_slice payload, char out[TIMESTAMP_TEXT]);

#endif
