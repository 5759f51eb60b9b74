/* flame.html as bytes in the binary. */
#include "cli/prof/prof.h"

__asm__(".section .rodata\n"
        ".global cli_flame_page_start\n"
        ".global cli_flame_page_end\n"
        "cli_flame_page_start:\n"
        ".incbin \"" HG_FLAME_PAGE "\"\n"
        "cli_flame_page_end:\n"
        ".previous\n");

extern const char cli_flame_page_start[], cli_flame_page_end[];

hg_slice flame_page(void)
{
    return hg_slice_of(cli_flame_page_start, (size_t)(cli_flame_page_end - cli_flame_page_start));
}
