/* Text of forms in the charsets that forms come in. */
#ifndef VALUE_CHARSET_H
#define VALUE_CHARSET_H

#include "hotgate/body.h"
#include "value/encoder.h"

/* The charset of that name (WHATWG labels of the three), or `otherwise`. */
hg_charset charset_named(hg_slice name, hg_charset otherwise);

/* Pushes text as a value or key. */
bool charset_push(hg_encoder *e, hg_slice s, hg_charset charset, bool borrow, bool is_key);

#endif
