/* The byte sets of a program: kept once each, and the byte classes that follow from them. */
#include "regex/grow.h"
#include "regex/program.h"

static size_t hash_set(const rx_byteset *set)
{
    uint64_t h = 0;
    for (int w = 0; w < 4; w++)
        h = (h ^ set->words[w]) * 0x9E3779B97F4A7C15ull ^ (h >> 29);
    return (size_t)(h >> 32);
}

static bool grow_table(rx_program *p)
{
    size_t size = p->set_table_size ? p->set_table_size * 4 : 128;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < p->set_count; i++) {
        size_t at = hash_set(&p->sets[i]) & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(p->set_table);
    p->set_table = table;
    p->set_table_size = size;
    return true;
}

bool rx_program_set(rx_program *program, const rx_byteset *set, uint32_t *index)
{
    if (program->set_count * 2 >= program->set_table_size && !grow_table(program))
        return false;
    size_t mask = program->set_table_size - 1, at = hash_set(set) & mask;
    for (; program->set_table[at] != 0; at = (at + 1) & mask) {
        *index = program->set_table[at] - 1;
        if (memcmp(&program->sets[*index], set, sizeof *set) == 0)
            return true;
    }
    if (!rx_grow(&program->sets, program->set_count, &program->set_cap, sizeof *set))
        return false;
    program->sets[program->set_count] = *set;
    *index = (uint32_t)program->set_count++;
    program->set_table[at] = *index + 1;
    return true;
}

/* ---- Byte classes ---- */

typedef struct partition {
    rx_program *program;
    uint16_t size[256]; /* bytes of each class */
    uint16_t inside[256];
    uint16_t moved_to[256]; /* class + 1 */
} partition;

/* The members, or the others when most bytes beyond ASCII are members: splitting by either side is the same. */
static unsigned list_one_side(const rx_byteset *set, uint8_t out[256])
{
    unsigned count = 0;
    uint64_t flip = set->words[2] == ~(uint64_t)0 ? ~(uint64_t)0 : 0;
    for (unsigned w = 0; w < 4; w++) {
        for (uint64_t bits = set->words[w] ^ flip; bits != 0; bits &= bits - 1)
            out[count++] = (uint8_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
    }
    return count;
}

/* Splits the classes that the set divides. */
static void refine(partition *p, const rx_byteset *set)
{
    uint8_t bytes[256], *class_of = p->program->class_of;
    unsigned count = list_one_side(set, bytes);
    for (unsigned i = 0; i < count; i++)
        p->inside[class_of[bytes[i]]]++;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = class_of[bytes[i]];
        if (p->inside[k] == p->size[k])
            continue;
        if (p->moved_to[k] == 0)
            p->moved_to[k] = (uint16_t)(++p->program->class_count);
        class_of[bytes[i]] = (uint8_t)(p->moved_to[k] - 1);
        p->size[p->moved_to[k] - 1]++;
        p->size[k]--;
        p->inside[k]--;
    }
    memset(p->inside, 0, sizeof p->inside);
    memset(p->moved_to, 0, sizeof p->moved_to);
}

void rx_number_classes(rx_program *program)
{
    partition p = {.program = program, .size = {256}};
    rx_byteset singles = {{0}}, words = {{0}}, newline = {{1u << '\n'}};
    program->class_count = 1;
    for (size_t i = 0; i < program->count; i++) {
        if (program->insts[i].op == RX_OP_BYTE)
            rx_byteset_add(&singles, program->insts[i].arg);
    }
    for (unsigned b = 0; b < 256; b++) {
        rx_byteset one = {{0}};
        rx_byteset_add(&one, b);
        if (rx_byteset_has(&singles, b))
            refine(&p, &one);
        if (rx_word_byte((int)b))
            rx_byteset_add(&words, b);
    }
    for (size_t i = 0; i < program->set_count; i++)
        refine(&p, &program->sets[i]);
    if (program->assertions & (RX_WORD | RX_NOT_WORD))
        refine(&p, &words);
    if (program->assertions & (RX_BEGIN_LINE | RX_END_LINE))
        refine(&p, &newline);
}
