#ifndef VALUE_FORM_H
#define VALUE_FORM_H

#include "hotgate/body.h"
#include "value/encoder.h"

/* Pushes a form body as one map. */
bool form_read_into(hg_slice text, unsigned flags, hg_charset charset, hg_encoder *e);

#endif
