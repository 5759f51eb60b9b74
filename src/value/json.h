/* JSON inside another carrier. */
#ifndef VALUE_JSON_H
#define VALUE_JSON_H

#include "value/encoder.h"

/* Pushes a lenient JSON document as the next value. False when nothing of it could be read (nothing is pushed then) or
 * memory ran out (encoder_failed tells). */
bool json_read_into(hg_slice text, bool borrow, hg_encoder *e);

#endif
