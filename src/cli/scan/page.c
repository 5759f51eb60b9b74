/* report.html inside the program. The path comes from the build (src/cli/room.cmake). */
#include "cli/scan/report.h"

__asm__(".section .rodata\n"
        ".global scan_report_page\n"
        "scan_report_page:\n"
        ".incbin \"" HG_REPORT_PAGE "\"\n"
        ".byte 0\n"
        ".previous\n");
