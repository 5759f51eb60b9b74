#include "text/rasp/command.h"

#include "text/bytes.h"

/* How a shell is told to run a string. Lists of options end with an empty one. */
typedef struct shell {
    const hg_slice *names;
    bool needs_option;   /* without a command option, an operand is a script */
    bool command_at_once; /* the argument after the option is the command */
    bool windows_style;
    hg_slice command_letters;
    const hg_slice *command_names;
    hg_slice argument_letters; /* short options that take an argument */
    const hg_slice *argument_names;
} shell;

static const hg_slice none[] = {{NULL, 0}};
static const hg_slice bash[] = {HG_SLICE("sh"), HG_SLICE("bash"), {NULL, 0}};
static const hg_slice bash_files[] = {HG_SLICE("init-file"), HG_SLICE("rcfile"), {NULL, 0}};
static const hg_slice ksh[] = {HG_SLICE("ksh"), HG_SLICE("rksh"), {NULL, 0}};
static const hg_slice fish[] = {HG_SLICE("fish"), {NULL, 0}};
static const hg_slice fish_command[] = {HG_SLICE("command"), {NULL, 0}};
static const hg_slice zsh[] = {HG_SLICE("zsh"), HG_SLICE("dash"), HG_SLICE("ash"), {NULL, 0}};
static const hg_slice powershell[] = {HG_SLICE("powershell"), HG_SLICE("pwsh"), {NULL, 0}};
static const hg_slice powershell_command[] = {HG_SLICE("command"), HG_SLICE("commandwithargs"), {NULL, 0}};

static const shell shells[] = {
    {bash, true, false, false, HG_SLICE("c"), none, HG_SLICE("Oo"), bash_files},
    {ksh, false, false, false, HG_SLICE("c"), none, HG_SLICE("oT"), none},
    {fish, true, true, false, HG_SLICE("c"), fish_command, {NULL, 0}, none},
    {zsh, true, false, false, HG_SLICE("c"), none, HG_SLICE("o"), none},
    {powershell, true, true, true, {NULL, 0}, powershell_command, {NULL, 0}, none},
};

static bool lists(const hg_slice *list, hg_slice name)
{
    for (; list->len > 0; list++)
        if (hg_slice_equal(*list, name))
            return true;
    return false;
}

static bool lists_nocase(const hg_slice *list, hg_slice name)
{
    for (; list->len > 0; list++)
        if (hg_equal_nocase(*list, name))
            return true;
    return false;
}

static bool has_letter(hg_slice letters, char letter)
{
    return hg_find_byte(letters, 0, (uint8_t)letter) < letters.len;
}

hg_slice hg_command_base(hg_slice path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    return slash ? hg_slice_skip(path, (size_t)(slash - path.ptr) + 1) : path;
}

static const shell *find_shell(hg_slice base)
{
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (lists(shells[i].names, base))
            return &shells[i];
    return NULL;
}

/* The state of going through the arguments. */
typedef struct walk {
    const shell *shell;
    const void *argv;
    size_t count;
    hg_command_argument argument;
    size_t i;
    bool found; /* the next operand is a command */
    hg_slice line;
} walk;

static hg_slice argument_at(const walk *w, size_t i)
{
    return i < w->count ? w->argument(w->argv, i) : (hg_slice){NULL, 0};
}

typedef enum step { NEXT, DONE } step;

static step take(walk *w, hg_slice line)
{
    w->line = line;
    return DONE;
}

static step short_options(walk *w, hg_slice letters)
{
    for (size_t k = 0; k < letters.len; k++) {
        w->found |= has_letter(w->shell->command_letters, letters.ptr[k]);
        if (w->found && w->shell->command_at_once)
            return take(w, argument_at(w, w->i + 1));
        if (has_letter(w->shell->argument_letters, letters.ptr[k]))
            w->i++;
    }
    return NEXT;
}

static hg_slice unquoted(hg_slice s)
{
    if (s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
        return hg_slice_of(s.ptr + 1, s.len - 2);
    return s;
}

static step long_option(walk *w, hg_slice name, hg_slice value)
{
    const shell *sh = w->shell;
    w->found |= sh->windows_style ? lists_nocase(sh->command_names, name) : lists(sh->command_names, name);
    if (w->found && sh->command_at_once)
        return take(w, value.len > 0 ? value : argument_at(w, w->i + 1));
    if (lists(sh->argument_names, name))
        w->i++;
    return NEXT;
}

static step operand(walk *w, hg_slice text)
{
    return take(w, w->found ? text : (hg_slice){NULL, 0});
}

static step unix_argument(walk *w, hg_slice text)
{
    if (hg_starts_with(text, HG_SLICE("--"))) {
        if (text.len == 2)
            return operand(w, argument_at(w, w->i + 1));
        hg_slice name = hg_slice_skip(text, 2);
        size_t equal = hg_find_byte(name, 0, '=');
        if (name.len < 3 || equal == 0 || equal + 1 >= name.len)
            return long_option(w, name, (hg_slice){NULL, 0});
        return long_option(w, hg_slice_take(name, equal), unquoted(hg_slice_skip(name, equal + 1)));
    }
    if (text.ptr[0] == '-' || text.ptr[0] == '+')
        return short_options(w, hg_slice_skip(text, 1));
    return operand(w, text);
}

static step windows_argument(walk *w, hg_slice text)
{
    size_t dashes = hg_starts_with(text, HG_SLICE("--")) ? 2 : text.ptr[0] == '-' || text.ptr[0] == '/';
    if (dashes == 0)
        return operand(w, text);
    return long_option(w, hg_slice_skip(text, dashes), (hg_slice){NULL, 0});
}

bool hg_command_find(hg_slice base, const void *argv, size_t count, hg_command_argument argument, hg_slice *line)
{
    walk w = {.shell = find_shell(base), .argv = argv, .count = count, .argument = argument};
    if (w.shell == NULL)
        return false;
    w.found = !w.shell->needs_option;
    for (w.i = 1; w.i < count; w.i++) {
        hg_slice text = argument_at(&w, w.i);
        if (text.len == 0)
            continue;
        if ((w.shell->windows_style ? windows_argument(&w, text) : unix_argument(&w, text)) == DONE)
            break;
    }
    *line = w.line;
    return w.line.len > 0;
}
