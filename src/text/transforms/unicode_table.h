/* What unicode_normalize makes of each codepoint (data: unicode_table.c, written by tools/gen-unicode). */
#ifndef HG_TEXT_UNICODE_TABLE_H
#define HG_TEXT_UNICODE_TABLE_H

#include <stdint.h>

#define HG_UNICODE_PAGE_BITS 7
#define HG_UNICODE_PAGE (1 << HG_UNICODE_PAGE_BITS)

extern const uint8_t hg_unicode_page_of[0x110000 >> HG_UNICODE_PAGE_BITS];
extern const uint16_t hg_unicode_pages[][HG_UNICODE_PAGE];
extern const uint16_t hg_unicode_starts[];
extern const uint8_t hg_unicode_texts[];

#endif
