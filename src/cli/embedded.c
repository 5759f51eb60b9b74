/* rules/hotgate.json inside the program. The path comes from the build (src/cli/room.cmake). */
#include "cli/rules.h"

__asm__(".section .rodata\n"
        ".global cli_embedded_rules\n"
        ".global cli_embedded_rules_len\n"
        "cli_embedded_rules:\n"
        ".incbin \"" HG_EMBEDDED_RULES "\"\n"
        "cli_embedded_rules_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        "cli_embedded_rules_len:\n"
        ".quad cli_embedded_rules_end - cli_embedded_rules\n"
        ".previous\n");
