/* ASCII hidden in tag characters (U+E0000-U+E007F), which nobody sees. */
#ifndef HG_TEXT_HIDDEN_ASCII_H
#define HG_TEXT_HIDDEN_ASCII_H

#include "hotgate/base.h"

/* Is there one in this UTF-8 text? Linear; invalid UTF-8 around it does not matter. */
bool hg_has_hidden_ascii(hg_slice s);

#endif
