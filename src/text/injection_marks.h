/* Which of the bytes that decide about an injection a text holds. */
#ifndef TEXT_INJECTION_MARKS_H
#define TEXT_INJECTION_MARKS_H

#include "hotgate/base.h"

enum {
    HG_MARK_LESS = 1,      /* < */
    HG_MARK_EQUALS = 2,    /* = */
    HG_MARK_SINGLE = 4,    /* ' */
    HG_MARK_DOUBLE = 8,    /* " */
    HG_MARK_BACKTICK = 16, /* ` */
    HG_MARK_ASTERISK = 32, /* * */
    HG_MARK_OTHER = 64     /* anything but A-Z a-z 0-9 _ */
};

/* One pass, 16 bytes at a time. */
unsigned hg_injection_marks(hg_slice text);

#endif
