/* Documents in UTF-16 with a byte order mark. */
#ifndef VALUE_UTF16_TEXT_H
#define VALUE_UTF16_TEXT_H

#include "hotgate/value.h"

bool utf16_has_mark(hg_slice text);

/* Appends the text without its mark, as UTF-8 (lone surrogates in their 3-byte form, for the reader to judge). */
hg_status utf16_to_buffer(hg_slice text, hg_buffer *copy);

#endif
