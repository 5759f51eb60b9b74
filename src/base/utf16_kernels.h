#ifndef BASE_UTF16_KERNELS_H
#define BASE_UTF16_KERNELS_H

#include "base/utf.h"

/* Transcodes from t on as far as whole vectors without surrogates reach, and adds to t. Writes at most `room` bytes in all;
 * may leave bytes behind t->written (inside room) undefined. */
void utf16_kernel(const uint16_t *units, size_t n, char *out, size_t room, hg_transcoded *t);

#endif
