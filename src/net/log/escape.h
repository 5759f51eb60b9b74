/* Escaping of text values. */
#ifndef NET_ESCAPE_H
#define NET_ESCAPE_H

#include "net/log/row.h"

/* TSV: backslash doubled; separator, control characters and broken UTF-8 as \xHH. in_list: commas too. */
void log_escape_tsv(log_text *text, hg_slice value, bool in_list);

/* The inside of a JSON string. */
void log_escape_json(log_text *text, hg_slice value);

#endif
