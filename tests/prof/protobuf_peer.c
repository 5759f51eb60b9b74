/* Decodes a plain pprof file with protobuf-c and prints a line a sample: stack leaf first, values, labels. */
#include "profile.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

static Pprof__Function *function(const Pprof__Profile *p, uint64_t id)
{
    for (size_t i = 0; i < p->n_function; i++)
        if (p->function[i]->id == id)
            return p->function[i];
    exit(3);
}

static void print_stack(const Pprof__Profile *p, const Pprof__Sample *s)
{
    for (size_t i = 0; i < s->n_location_id; i++)
        for (size_t k = 0; k < p->n_location; k++)
            if (p->location[k]->id == s->location_id[i]) {
                const Pprof__Line *line = p->location[k]->line[0];
                const Pprof__Function *f = function(p, line->function_id);
                printf("%s%s:%s:%lld", i ? ";" : "", p->string_table[f->name], p->string_table[f->filename],
                       (long long)line->line);
            }
}

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 24];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    Pprof__Profile *p = pprof__profile__unpack(NULL, size, bytes);
    if (p == NULL)
        return 3;
    for (size_t i = 0; i < p->n_sample; i++) {
        print_stack(p, p->sample[i]);
        for (size_t k = 0; k < p->sample[i]->n_value; k++)
            printf("%c%lld", k ? ',' : ' ', (long long)p->sample[i]->value[k]);
        for (size_t k = 0; k < p->sample[i]->n_label; k++) {
            const Pprof__Label *l = p->sample[i]->label[k];
            if (l->str)
                printf(" %s=%s", p->string_table[l->key], p->string_table[l->str]);
            else
                printf(" %s=%lld", p->string_table[l->key], (long long)l->num);
        }
        printf("\n");
    }
    pprof__profile__free_unpacked(p, NULL);
    return 0;
}
