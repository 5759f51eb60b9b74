/* Names for native addresses, at export: the process's mappings, and the symbol tables (.symtab, else .dynsym) of the
 * files behind them; source files where there is debug information. A file is read once an export. ELF: gABI, chapters
 * 4 and 5. */
#include "prof/dwarf.h"
#include "prof/internal.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct symbol {
    uint64_t start, size;
    const char *name; /* in the mapped file */
} symbol;

typedef struct object {
    char *path;
    const char *data;
    size_t size;
    symbol *symbols; /* sorted by start; addresses as in the file */
    size_t count;
    const Elf64_Phdr *segments;
    size_t segment_count;
    dwarf debug;
} object;

typedef struct mapping {
    uint64_t start, end, offset;
    size_t object;
} mapping;

typedef struct symbols {
    growing mappings, objects;
} symbols;

static int by_start(const void *a, const void *b)
{
    uint64_t x = ((const symbol *)a)->start, y = ((const symbol *)b)->start;
    return (x > y) - (x < y);
}

static bool inside(const object *o, uint64_t offset, uint64_t size)
{
    return offset <= o->size && size <= o->size - offset;
}

static void read_table(object *o, const Elf64_Shdr *list, const Elf64_Shdr *strings)
{
    if (!inside(o, list->sh_offset, list->sh_size) || !inside(o, strings->sh_offset, strings->sh_size) ||
        strings->sh_size == 0 || o->data[strings->sh_offset + strings->sh_size - 1] != '\0' || list->sh_offset % 8 != 0)
        return;
    const Elf64_Sym *items = (const Elf64_Sym *)(o->data + list->sh_offset);
    size_t count = list->sh_size / sizeof *items;
    o->symbols = malloc((count + 1) * sizeof *o->symbols);
    for (size_t i = 0; o->symbols != NULL && i < count; i++) {
        unsigned type = ELF64_ST_TYPE(items[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || items[i].st_value == 0 || items[i].st_name >= strings->sh_size)
            continue;
        o->symbols[o->count++] = (symbol){items[i].st_value, items[i].st_size,
                                          o->data + strings->sh_offset + items[i].st_name};
    }
    if (o->count > 0)
        qsort(o->symbols, o->count, sizeof *o->symbols, by_start);
}

static void note_section(object *o, const Elf64_Shdr *section, const Elf64_Shdr *names)
{
    static const struct {
        const char *name;
        size_t field;
    } wanted[] = {{".debug_aranges", offsetof(dwarf, aranges)}, {".debug_info", offsetof(dwarf, info)},
                  {".debug_abbrev", offsetof(dwarf, abbrev)},   {".debug_str", offsetof(dwarf, str)},
                  {".debug_line_str", offsetof(dwarf, line_str)}};
    if (section->sh_type != SHT_PROGBITS || (section->sh_flags & SHF_COMPRESSED) || section->sh_name >= names->sh_size ||
        !inside(o, section->sh_offset, section->sh_size))
        return;
    const char *name = o->data + names->sh_offset + section->sh_name;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strncmp(name, wanted[i].name, names->sh_size - section->sh_name) == 0)
            *(hg_slice *)((char *)&o->debug + wanted[i].field) = hg_slice_of(o->data + section->sh_offset, section->sh_size);
}

static void read_object(object *o)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)o->data;
    if (o->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64)
        return;
    if (head->e_phoff % 8 == 0 && inside(o, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr))) {
        o->segments = (const Elf64_Phdr *)(o->data + head->e_phoff);
        o->segment_count = head->e_phnum;
    }
    if (head->e_shoff % 8 != 0 || !inside(o, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(o->data + head->e_shoff), *best = NULL;
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && best == NULL))
            best = &sections[i];
    if (best != NULL && best->sh_link < head->e_shnum)
        read_table(o, best, &sections[best->sh_link]);
    if (head->e_shstrndx >= head->e_shnum || !inside(o, sections[head->e_shstrndx].sh_offset, sections[head->e_shstrndx].sh_size))
        return;
    for (size_t i = 0; i < head->e_shnum; i++)
        note_section(o, &sections[i], &sections[head->e_shstrndx]);
}

static size_t open_object(symbols *s, const char *path)
{
    object *objects = s->objects.items;
    for (size_t i = 0; i < s->objects.count; i++)
        if (strcmp(objects[i].path, path) == 0)
            return i;
    if (!grow(&s->objects, sizeof(object), 1))
        return SIZE_MAX;
    object o = {.path = strdup(path)};
    if (o.path == NULL)
        return SIZE_MAX;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            o.data = data;
            o.size = (size_t)st.st_size;
            read_object(&o);
        }
    }
    if (fd >= 0)
        close(fd);
    ((object *)s->objects.items)[s->objects.count] = o;
    return s->objects.count++;
}

static void read_mappings(symbols *s)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[4608], path[4096];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        mapping m;
        char permissions[8] = "";
        path[0] = '\0';
        int got = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &m.start, &m.end,
                         permissions, &m.offset, path);
        if (got < 5 || permissions[2] != 'x' || (path[0] != '/' && path[0] != '[') || !grow(&s->mappings, sizeof m, 1))
            continue;
        m.object = open_object(s, path);
        if (m.object != SIZE_MAX)
            ((mapping *)s->mappings.items)[s->mappings.count++] = m;
    }
    if (file != NULL)
        fclose(file);
}

static const symbol *find_symbol(const object *o, uint64_t address)
{
    size_t low = 0, high = o->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const symbol *found = &o->symbols[low - 1];
    return found->size == 0 || address < found->start + found->size ? found : NULL;
}

/* From the mapping's file offset to the address that the file's symbols use. */
static uint64_t file_address(const object *o, uint64_t offset)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        const Elf64_Phdr *p = &o->segments[i];
        if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
            return offset - p->p_offset + p->p_vaddr;
    }
    return offset;
}

static uint32_t function_at(epoch *e, const symbols *s, uint64_t address)
{
    const mapping *maps = s->mappings.items;
    char text[64];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    hg_slice name = hg_slice_from(text), file = HG_SLICE("");
    for (size_t i = 0; i < s->mappings.count; i++) {
        if (address < maps[i].start || address >= maps[i].end)
            continue;
        const object *o = (const object *)s->objects.items + maps[i].object;
        uint64_t in_file = file_address(o, address - maps[i].start + maps[i].offset);
        const symbol *found = find_symbol(o, in_file);
        hg_slice source = dwarf_unit_file(&o->debug, in_file);
        file = source.len > 0 ? source : hg_slice_from(o->path);
        const char *base = strrchr(o->path, '/');
        /* no symbol: one name a file; [vdso] has its brackets already */
        snprintf(text, sizeof text, o->path[0] == '[' ? "%.62s" : "[%.60s]", base ? base + 1 : o->path);
        name = hg_slice_from(found ? found->name : text);
        break;
    }
    uint32_t name_id = epoch_string(e, name), file_id = epoch_string(e, file);
    return name_id == UINT32_MAX || file_id == UINT32_MAX ? UINT32_MAX : epoch_function(e, name_id, file_id);
}

static void symbols_free(symbols *s)
{
    object *objects = s->objects.items;
    for (size_t i = 0; i < s->objects.count; i++) {
        free(objects[i].path);
        free(objects[i].symbols);
        if (objects[i].data != NULL)
            munmap((void *)objects[i].data, objects[i].size);
    }
    free(s->objects.items);
    free(s->mappings.items);
}

void symbolise(epoch *e)
{
    location_entry *locations = e->locations.items;
    symbols s = {0};
    bool read = false;
    for (size_t i = 0; i < e->locations.count; i++) {
        if (locations[i].function != UINT32_MAX)
            continue;
        if (!read)
            read_mappings(&s);
        read = true;
        locations[i].function = function_at(e, &s, locations[i].address);
    }
    symbols_free(&s);
}
