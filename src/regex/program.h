/* The byte program of a pattern: what every engine runs. */
#ifndef REGEX_PROGRAM_H
#define REGEX_PROGRAM_H

#include "regex/syntax.h"

typedef enum rx_op {
    RX_OP_BYTE,   /* the byte `arg` */
    RX_OP_SET,    /* a byte of sets[arg] */
    RX_OP_SPLIT,  /* try `out`, then `arg` */
    RX_OP_ASSERT, /* rx_assertion `arg` */
    RX_OP_SAVE,   /* record the place in slot `arg` */
    RX_OP_MATCH,
    RX_OP_FAIL
} rx_op;

typedef struct rx_inst {
    uint32_t op : 4;
    uint32_t arg : 28; /* also bounds how many instructions there may be */
    uint32_t out;
} rx_inst;

enum { RX_MOST_INSTRUCTIONS = (1 << 28) - 1 };

typedef struct rx_byteset {
    uint64_t words[4];
} rx_byteset;

static inline bool rx_byteset_has(const rx_byteset *s, unsigned byte)
{
    return (s->words[byte >> 6] >> (byte & 63)) & 1;
}

static inline void rx_byteset_add(rx_byteset *s, unsigned byte)
{
    s->words[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

typedef struct rx_program {
    rx_inst *insts;
    rx_byteset *sets;
    size_t count, set_count;
    size_t cap, set_cap;
    uint32_t *set_table; /* while compiling: hash of sets, index + 1 */
    size_t set_table_size;
    uint32_t start;
    uint32_t groups;
    bool anchored;          /* can only start at the begin of a text */
    unsigned assertions;    /* the kinds that occur */
    bool first_known;       /* every match begins with a byte of `first` */
    rx_byteset first;
    unsigned class_count;   /* bytes that no instruction tells apart share a class */
    uint8_t class_of[256];
} rx_program;

/* A byte-level form of one class: references are indices into insts or RX_NEXT, what follows the class. */
#define RX_NEXT UINT32_MAX
typedef struct rx_template {
    rx_inst *insts;
    size_t count, cap;
    uint32_t entry; /* RX_NEXT never; a class without members is one RX_OP_FAIL */
} rx_template;

/* Index of an equal set in the program, added when new; false when out of memory. */
bool rx_program_set(rx_program *program, const rx_byteset *set, uint32_t *index);

/* Fills class_of and class_count from the finished instructions. */
void rx_number_classes(rx_program *program);

/* Fills first from the finished instructions; without memory it stays unknown. */
void rx_find_first(rx_program *program);

/* Compiles ranges (settled) to bytes; what it held before is dropped. */
bool rx_template_build(rx_program *program, const rx_range *ranges, size_t count, rx_template *out);

/* The whole pattern; insts stay below `limit` or it fails with *too_large. */
bool rx_compile(const rx_syntax *syntax, size_t limit, rx_program *out, bool *too_large);

void rx_program_close(rx_program *program);

static inline bool rx_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';
}

/* Which assertions hold between two bytes; before or after is -1 at an end of the text. */
static inline unsigned rx_holds(int before, int after)
{
    return (before < 0 ? RX_BEGIN_TEXT | RX_BEGIN_LINE : before == '\n' ? RX_BEGIN_LINE : 0) |
           (after < 0 ? RX_END_TEXT | RX_END_LINE : after == '\n' ? RX_END_LINE : 0) |
           (rx_word_byte(before) != rx_word_byte(after) ? RX_WORD : RX_NOT_WORD);
}

#endif
