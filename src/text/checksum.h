/* Check digits of numbers in text. */
#ifndef HG_TEXT_CHECKSUM_H
#define HG_TEXT_CHECKSUM_H

#include "hotgate/base.h"

/* ISO/IEC 7812-1 (Luhn): all bytes but digits are skipped; false without digits. */
bool hg_checksum_luhn(hg_slice s);

#endif
