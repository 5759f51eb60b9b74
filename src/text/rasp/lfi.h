/* Local file inclusion: does a parameter decide which file is opened? */
#ifndef HG_TEXT_LFI_H
#define HG_TEXT_LFI_H

#include "hotgate/base.h"

/* path ends with param, and param is the whole absolute path or climbs out of a directory. Linear in param. */
bool hg_lfi_is_injected(hg_slice path, hg_slice param);

#endif
