#include "text/injection_mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Samples ---- */

static void add(injection_samples *samples, hg_slice text)
{
    if (samples->count == samples->cap) {
        samples->cap = samples->cap ? samples->cap * 2 : 1024;
        samples->items = realloc(samples->items, samples->cap * sizeof *samples->items);
    }
    char *copy = malloc(text.len + 1);
    if (samples->items == NULL || copy == NULL)
        abort();
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    samples->items[samples->count++] = hg_slice_of(copy, text.len);
}

static unsigned hex(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], 0};
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Decodes the JSON string whose text starts at `at`, in place. */
static hg_slice decode(char *at)
{
    char *out = at, *s = at;
    for (; *s != '\0' && *s != '"'; s++) {
        if (*s != '\\') {
            *out++ = *s;
            continue;
        }
        static const char names[] = "nrtbf", values[] = "\n\r\t\b\f";
        const char *name = strchr(names, *++s);
        if (*s == 'u') {
            *out++ = (char)hex(s + 1);
            s += 4;
        } else {
            *out++ = name ? values[name - names] : *s;
        }
    }
    return hg_slice_of(at, (size_t)(out - at));
}

static bool read_lines(injection_samples *samples, const char *path, hg_slice (*take)(char *line))
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    if (file == NULL) {
        perror(path);
        return false;
    }
    while (getline(&line, &room, file) >= 0)
        add(samples, take(line));
    free(line);
    fclose(file);
    return true;
}

static hg_slice take_json(char *line)
{
    char *cell = strstr(line, "\t\"");
    return cell ? decode(cell + 2) : hg_slice_of(line, 0);
}

static hg_slice take_word(char *line)
{
    return hg_slice_of(line, strcspn(line, "\t\n"));
}

bool injection_add_table(injection_samples *samples, const char *path)
{
    return read_lines(samples, path, take_json);
}

bool injection_add_list(injection_samples *samples, const char *path)
{
    return read_lines(samples, path, take_word);
}

bool injection_add_folder(injection_samples *samples, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        perror(path);
    for (int i = 0; i < count; i++) {
        char file_path[4096], text[INJECTION_LONGEST];
        snprintf(file_path, sizeof file_path, "%s/%s", path, entries[i]->d_name);
        FILE *file = entries[i]->d_name[0] != '.' ? fopen(file_path, "rb") : NULL;
        if (file != NULL) {
            add(samples, hg_slice_of(text, fread(text, 1, sizeof text, file)));
            fclose(file);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count >= 0;
}

void injection_free_samples(injection_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free((char *)samples->items[i].ptr);
    free(samples->items);
    *samples = (injection_samples){0};
}

/* ---- Mutations ---- */

static const hg_slice pieces[] = {
#define P(literal) {literal, sizeof literal - 1}
    P("'"), P("\""), P("`"), P("'"), P("\""), P("/*"), P("*/"), P("/*!"), P("--"), P("-- "), P("#"), P("\n"), P(" "),
    P("("), P(")"), P(","), P(";"), P("{"), P("}"), P("="), P("<"), P(">"), P("<=>"), P("!="), P("||"), P("&&"),
    P("::"), P(":"), P(":="), P("+"), P("-"), P("!"), P("~"), P("*"), P("/"), P("%"), P("^"), P("|"), P("&"), P("."),
    P("\\"), P("\\N"), P("?"), P("]"), P("["), P("[a b]"), P("@"), P("@@"), P("@x"), P("@@version"), P("@`a`"),
    P("@'a"), P("$"), P("$$"), P("$a$"), P("$tag$"), P("$1,000.00"), P("$."), P("1"), P("17"), P("0x1F"), P("0x"),
    P("0b01"), P("1.5e3"), P("1.e"), P("1e"), P(".5"), P("1d"), P("1f "), P("1fu"), P("x'41'"), P("b'01'"), P("x'4"),
    P("e'a'"), P("n'a'"), P("nq'(a)'"), P("q'[a]'"), P("q'!a!'"), P("u&'a'"), P("u&'"), P("''"), P("\\'"), P("'a'"),
    P("\"a\""), P("`a`"), P("``"), P("a"), P("foo"), P("a_b"), P("a.b"), P("select.1"), P(" or "), P(" and "), P("or"),
    P(" union select "), P("union"), P("select "), P(" from "), P("1=1"), P("'1'='1"), P(" like "), P(" not "), P("in"),
    P(" is null"), P(" order by 1"), P("sleep(1)"), P("user("), P("password("), P("if("), P(" into outfile "),
    P("collate "), P("binary "), P("sp_password"), P("drop table x"), P("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), P("\0"),
    P("\xA0"), P("\xFF"), P("\x7F"), P("\x01"), P("<"), P("</"), P("<!"), P("<!--"), P("-->"), P("--!>"), P("<?"),
    P("?>"), P("<%"), P("%>"), P("<![CDATA["), P("]]>"), P("<!DOCTYPE"), P("<!ENTITY"), P("<?import"), P("[if"),
    P("xml"), P("<script"), P("<script>"), P("</script>"), P("<img "), P("<a "), P("<svg/"), P("<iframe "), P("<b "),
    P("<x\0y"), P("</a "), P("/>"), P(" src="), P(" src=\""), P("https://www.youtube.com/"), P(" href="), P(" style="),
    P(" onclick="), P(" onerror"), P("onfoo="), P("xlink:href="), P("xmlns="), P("attributename="), P(" filter="),
    P("action="), P("to="), P("by="), P("javascript:"), P("java"), P("data:"), P("vbscript"), P("view-source:"),
    P("&#106;"), P("&#x6A"), P("&#x14A;"), P("&#0;"), P("&#10"), P("&#"), P("&#x"), P("&#x100100;"), P("&"), P("url"),
    P("expression"), P("exprexpression"), P("javascript"), P("/**/"), P("width=1"), P("title=\"x\""), P("\t"), P("\f"),
    P("\v"), P("\r"),
#undef P
};

static uint64_t draw(injection_mutator *m)
{
    /* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled". */
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return m->random * 0x2545F4914F6CDD1D;
}

static size_t below(injection_mutator *m, size_t bound)
{
    return (size_t)((draw(m) >> 32) * bound >> 32);
}

static hg_slice some_piece(injection_mutator *m)
{
    if (m->pieces.count > 0 && below(m, 3) == 0)
        return m->pieces.items[below(m, m->pieces.count)];
    return pieces[below(m, sizeof pieces / sizeof pieces[0])];
}

/* Replaces out[at, at + gone) by text, as far as there is room. */
static size_t put(char *out, size_t len, size_t at, size_t gone, hg_slice text)
{
    if (text.len > INJECTION_LONGEST - (len - gone))
        return len;
    memmove(out + at + text.len, out + at + gone, len - at - gone);
    memcpy(out + at, text.ptr, text.len);
    return len - gone + text.len;
}

static void flip_case(char *out, size_t from, size_t to)
{
    for (; from < to; from++)
        if ((out[from] | 32) >= 'a' && (out[from] | 32) <= 'z')
            out[from] ^= 32;
}

static size_t mutate_once(injection_mutator *m, char *out, size_t len)
{
    size_t at = below(m, len + 1), span = below(m, len - at < 12 ? len - at + 1 : 12);
    char byte = (char)draw(m), copy[16];
    switch (below(m, 9)) {
    case 0: /* a byte becomes another one */
        return at < len ? put(out, len, at, 1, hg_slice_of(&byte, 1)) : len;
    case 1:
    case 2:
        return put(out, len, at, 0, some_piece(m));
    case 3:
        return put(out, len, at, span, some_piece(m));
    case 4:
        return put(out, len, at, span, HG_SLICE(""));
    case 5: /* a range doubles */
        memcpy(copy, out + at, span);
        return put(out, len, at, 0, hg_slice_of(copy, span));
    case 6:
        flip_case(out, at, at + span);
        return len;
    case 7: /* head or tail only */
        return below(m, 2) ? at : put(out, len, 0, at, HG_SLICE(""));
    default: /* many of the same */
        for (size_t i = below(m, 24), piece = below(m, sizeof pieces / sizeof pieces[0]); i > 0; i--)
            len = put(out, len, at, 0, pieces[piece]);
        return len;
    }
}

static size_t take_sample(injection_mutator *m, char *out)
{
    hg_slice sample = m->samples.items[below(m, m->samples.count)];
    size_t most = below(m, 16) == 0 ? INJECTION_LONGEST : 160;
    if (sample.len > most)
        sample = hg_slice_take(hg_slice_skip(sample, below(m, sample.len - most)), most);
    return put(out, 0, 0, 0, sample);
}

static size_t mix_pieces(injection_mutator *m, char *out)
{
    size_t len = 0;
    bool spaced = below(m, 2) == 0;
    for (size_t i = 1 + below(m, 10); i > 0; i--) {
        len = put(out, len, len, 0, some_piece(m));
        if (spaced && below(m, 3) > 0)
            len = put(out, len, len, 0, HG_SLICE(" "));
    }
    return len;
}

size_t injection_mutate(injection_mutator *m, char *out)
{
    if (m->samples.count == 0 || below(m, 3) == 0)
        return mix_pieces(m, out);
    size_t len = take_sample(m, out);
    if (below(m, 8) == 0) { /* the head of one, the tail of another */
        char other[INJECTION_LONGEST];
        size_t more = take_sample(m, other), at = below(m, len + 1), from = below(m, more + 1);
        len = put(out, len, at, len - at, hg_slice_of(other + from, more - from));
    }
    for (size_t i = 1 + below(m, 4); i > 0; i--)
        len = mutate_once(m, out, len);
    return len;
}
