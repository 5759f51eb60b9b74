/* Which source file an address comes from, by the unit tables of a program built with -g. DWARF 5, sections 6.1.2, 7.5. */
#ifndef PROF_DWARF_H
#define PROF_DWARF_H

#include "hotgate/base.h"

/* Sections of one file; empty ones are absent. */
typedef struct dwarf {
    hg_slice aranges, info, abbrev, str, line_str;
} dwarf;

/* The source file of the unit that has this address (as in the file), as the compiler was given it; empty when it is not
 * known. Any bytes are safe. Linear in the number of units. */
hg_slice dwarf_unit_file(const dwarf *d, uint64_t address);

#endif
