/* Scopes form a stack. In a command scope (the line itself, substitutions, groups) words, operators and openers are
 * tokens; in an expanded scope (quotes, arithmetic, parameters, arrays) only its end and further openers count. */
#include "text/bytes.h"
#include "text/shell/commands.h"
#include "text/shell/shell.h"

typedef enum scope_type {
    SCOPE_LINE,
    SCOPE_BACKTICK,
    SCOPE_COMMAND,
    SCOPE_PROCESS,
    SCOPE_SUBSHELL,
    SCOPE_COMPOUND,
    SCOPE_LAST_COMMAND = SCOPE_COMPOUND,
    SCOPE_QUOTE,
    SCOPE_PARAMETER,
    SCOPE_ARITHMETIC,
    SCOPE_OLD_ARITHMETIC,
    SCOPE_ARRAY,
    SCOPE_FILE
} scope_type;

typedef struct scope {
    scope_type type;
    size_t opener; /* index of its token */
} scope;

typedef struct scan {
    hg_slice s;
    size_t r;
    hg_arena *arena;
    hg_shell_token *tokens;
    size_t count;
    size_t room;
    scope *scopes;
    size_t depth;
    size_t scope_room;
    bool out_of_memory;
} scan;

static bool grow(scan *s, void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 16;
    void *grown = hg_arena_resize(s->arena, *items, *room * size, wanted * size, _Alignof(max_align_t));
    if (grown == NULL) {
        s->out_of_memory = true;
        s->r = s->s.len;
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

/* Records the next len bytes and goes past them. */
static void push(scan *s, hg_shell_type type, size_t len)
{
    if (!grow(s, (void **)&s->tokens, s->count, &s->room, sizeof *s->tokens))
        return;
    s->tokens[s->count++] = (hg_shell_token){s->r, len, type};
    s->r += len;
}

static void enter(scan *s, scope_type scope_entered, hg_shell_type opener, size_t len)
{
    push(s, opener, len);
    if (grow(s, (void **)&s->scopes, s->depth, &s->scope_room, sizeof *s->scopes))
        s->scopes[s->depth++] = (scope){scope_entered, s->count - 1};
}

static scope_type current(const scan *s)
{
    return s->depth ? s->scopes[s->depth - 1].type : SCOPE_LINE;
}

static void leave(scan *s, hg_shell_type closer, size_t len)
{
    s->depth--;
    push(s, closer, len);
}

/* Leaves an expanded scope: without a token in it, it is one token. */
static void leave_expanded(scan *s, size_t len)
{
    static const struct {
        hg_shell_type whole;
        hg_shell_type closer;
    } types[] = {
        [SCOPE_QUOTE] = {HG_SHELL_DOUBLE_QUOTED, HG_SHELL_QUOTE_CLOSE},
        [SCOPE_PARAMETER] = {HG_SHELL_VARIABLE, HG_SHELL_PARAMETER_CLOSE},
        [SCOPE_ARITHMETIC] = {HG_SHELL_ARITHMETIC, HG_SHELL_ARITHMETIC_CLOSE},
        [SCOPE_OLD_ARITHMETIC] = {HG_SHELL_ARITHMETIC, HG_SHELL_ARITHMETIC_CLOSE},
        [SCOPE_ARRAY] = {HG_SHELL_FIELD, HG_SHELL_ARRAY_CLOSE},
        [SCOPE_FILE] = {HG_SHELL_REDIRECTION, HG_SHELL_FILE_CLOSE},
    };
    scope left = s->scopes[s->depth - 1];
    if (left.opener + 1 < s->count) {
        leave(s, types[left.type].closer, len);
        return;
    }
    s->depth--;
    hg_shell_token *opener = &s->tokens[left.opener];
    s->r += len;
    opener->type = types[left.type].whole;
    opener->len = s->r - opener->at;
}

static uint8_t byte_at(const scan *s, size_t distance)
{
    return s->r + distance < s->s.len ? (uint8_t)s->s.ptr[s->r + distance] : 0;
}

static bool follows(const scan *s, hg_slice text)
{
    return hg_starts_with(hg_slice_skip(s->s, s->r), text);
}

/* An opener that begins with a dollar sign. False: there is none. */
static bool enter_by_dollar(scan *s)
{
    if (follows(s, HG_SLICE("$((")))
        enter(s, SCOPE_ARITHMETIC, HG_SHELL_ARITHMETIC_OPEN, 3);
    else if (follows(s, HG_SLICE("$(<")))
        enter(s, SCOPE_FILE, HG_SHELL_FILE_OPEN, 3);
    else if (follows(s, HG_SLICE("$(")))
        enter(s, SCOPE_COMMAND, HG_SHELL_COMMAND_OPEN, 2);
    else if (follows(s, HG_SLICE("$[")))
        enter(s, SCOPE_OLD_ARITHMETIC, HG_SHELL_ARITHMETIC_OPEN, 2);
    else if (follows(s, HG_SLICE("${")))
        enter(s, SCOPE_PARAMETER, HG_SHELL_PARAMETER_OPEN, 2);
    else
        return false;
    return true;
}

/* ---- Expanded scopes ---- */

/* The length of the closing delimiter at s->r, 0 when it is not there. */
static size_t closes(const scan *s, scope_type type)
{
    switch (type) {
    case SCOPE_QUOTE:
        return byte_at(s, 0) == '"';
    case SCOPE_PARAMETER:
        return byte_at(s, 0) == '}';
    case SCOPE_OLD_ARITHMETIC:
        return byte_at(s, 0) == ']';
    case SCOPE_ARITHMETIC:
        return byte_at(s, 0) == ')' && byte_at(s, 1) == ')' ? 2 : 0;
    default:
        return byte_at(s, 0) == ')';
    }
}

/* From here to the end of the scope or into the next one. */
static void scan_expanded(scan *s, scope_type type)
{
    bool escaped = false; /* from one backslash to the next */
    for (; s->r < s->s.len; s->r++) {
        uint8_t c = byte_at(s, 0);
        if (c == '\\') {
            escaped = !escaped;
        } else if (c == '`') {
            enter(s, SCOPE_BACKTICK, HG_SHELL_BACKTICK_OPEN, 1);
            return;
        } else if (!escaped) {
            size_t len = closes(s, type);
            if (len > 0) {
                leave_expanded(s, len);
                return;
            }
            if (c == '$' && enter_by_dollar(s))
                return;
        }
    }
}

/* ---- Command scopes ---- */

static bool is_field_byte(uint8_t c)
{
    return memchr("`${}[]()'\"#=|<>;&\n\t ", c, 20) == NULL;
}

static size_t field_length(const scan *s, size_t from)
{
    size_t len = from;
    while (s->r + len < s->s.len && is_field_byte(byte_at(s, len)))
        len++;
    return len;
}

static size_t digits_length(const scan *s, size_t from)
{
    size_t len = from;
    while (hg_is_digit(byte_at(s, len)))
        len++;
    return len;
}

/* The last token but one blank; NULL when there is none. */
static const hg_shell_token *last_token(const scan *s)
{
    size_t n = s->count;
    if (n > 0 && s->tokens[n - 1].type == HG_SHELL_BLANK)
        n--;
    return n > 0 ? &s->tokens[n - 1] : NULL;
}

static bool begins_command(const scan *s)
{
    if (s->count == 0)
        return true;
    const hg_shell_token *last = last_token(s);
    if (last == NULL)
        return false;
    switch (last->type) {
    case HG_SHELL_CONTROL:
    case HG_SHELL_BACKTICK_OPEN:
    case HG_SHELL_COMMAND_OPEN:
    case HG_SHELL_PROCESS_OPEN:
    case HG_SHELL_COMPOUND_OPEN:
    case HG_SHELL_SUBSHELL_OPEN:
        return true;
    default:
        return false;
    }
}

/* "&", digits if there are any, then perhaps "-", `from` bytes ahead; the length of all so far. */
static size_t descriptor_length(const scan *s, size_t from)
{
    if (byte_at(s, from) != '&')
        return from;
    size_t end = digits_length(s, from + 1);
    return end + (byte_at(s, end) == '-');
}

/* The length of the redirection operator whose "<" or ">" is `from` bytes ahead. */
static size_t redirection_length(const scan *s, size_t from)
{
    uint8_t next = byte_at(s, from + 1);
    if (byte_at(s, from) == '>')
        return next == '|' || next == '>' ? from + 2 : descriptor_length(s, from + 1);
    if (next == '>')
        return from + 2;
    if (next != '<')
        return descriptor_length(s, from + 1);
    uint8_t third = byte_at(s, from + 2);
    return third == '-' || third == '<' ? from + 3 : from + 2;
}

static void dollar(scan *s)
{
    if (enter_by_dollar(s))
        return;
    uint8_t next = byte_at(s, 1);
    if (next == 0 || (!hg_is_alnum(next) && memchr("_-?@#*$!", next, 8) == NULL)) {
        s->r++;
        return;
    }
    size_t len = 2;
    if (hg_is_alpha(next) || next == '_')
        while (hg_is_word(byte_at(s, len)))
            len++;
    push(s, HG_SHELL_VARIABLE, len);
}

static void close_parenthesis(scan *s)
{
    switch (current(s)) {
    case SCOPE_COMMAND:
        leave(s, HG_SHELL_COMMAND_CLOSE, 1);
        break;
    case SCOPE_PROCESS:
        leave(s, HG_SHELL_PROCESS_CLOSE, 1);
        break;
    case SCOPE_SUBSHELL:
        leave(s, HG_SHELL_SUBSHELL_CLOSE, 1);
        break;
    default:
        push(s, HG_SHELL_PARENTHESIS_CLOSE, 1);
    }
}

static void open_parenthesis(scan *s)
{
    if (s->count > 0 && s->tokens[s->count - 1].type == HG_SHELL_EQUAL)
        enter(s, SCOPE_ARRAY, HG_SHELL_ARRAY_OPEN, 1);
    else if (byte_at(s, 1) == '(')
        enter(s, SCOPE_ARITHMETIC, HG_SHELL_ARITHMETIC_OPEN, 2);
    else if (begins_command(s))
        enter(s, SCOPE_SUBSHELL, HG_SHELL_SUBSHELL_OPEN, 1);
    else
        push(s, HG_SHELL_PARENTHESIS_OPEN, 1);
}

static void backtick(scan *s)
{
    if (current(s) == SCOPE_BACKTICK)
        leave(s, HG_SHELL_BACKTICK_CLOSE, 1);
    else
        enter(s, SCOPE_BACKTICK, HG_SHELL_BACKTICK_OPEN, 1);
}

static void open_curly(scan *s)
{
    if (byte_at(s, 1) != ' ' || !begins_command(s)) {
        push(s, HG_SHELL_CURLY_OPEN, 1);
        return;
    }
    enter(s, SCOPE_COMPOUND, HG_SHELL_COMPOUND_OPEN, 1);
    s->r++; /* the blank belongs to the brace */
}

static void close_curly(scan *s)
{
    const hg_shell_token *last = last_token(s);
    if (current(s) == SCOPE_COMPOUND && last && last->type == HG_SHELL_CONTROL &&
        (s->s.ptr[last->at] == ';' || s->s.ptr[last->at] == '\n'))
        leave(s, HG_SHELL_COMPOUND_CLOSE, 1);
    else
        push(s, HG_SHELL_CURLY_CLOSE, 1);
}

static void ampersand(scan *s)
{
    if (byte_at(s, 1) == '>')
        push(s, HG_SHELL_REDIRECTION, byte_at(s, 2) == '>' ? 3 : 2);
    else
        push(s, HG_SHELL_CONTROL, byte_at(s, 1) == '&' ? 2 : 1);
}

static void angle(scan *s)
{
    if (byte_at(s, 1) == '(')
        enter(s, SCOPE_PROCESS, HG_SHELL_PROCESS_OPEN, 2);
    else
        push(s, HG_SHELL_REDIRECTION, redirection_length(s, 0));
}

static void single_quote(scan *s)
{
    size_t close = hg_find_byte(s->s, s->r + 1, '\'');
    push(s, HG_SHELL_SINGLE_QUOTED, (close < s->s.len ? close + 1 : close) - s->r);
}

static void digit(scan *s)
{
    size_t len = digits_length(s, 1);
    if (byte_at(s, len) != '<' && byte_at(s, len) != '>') {
        push(s, HG_SHELL_FIELD, field_length(s, len));
        return;
    }
    push(s, HG_SHELL_REDIRECTION, redirection_length(s, len));
    s->r++; /* the byte after it is lost: so do the rules expect it */
}

static void field(scan *s)
{
    size_t len = field_length(s, 1);
    push(s, byte_at(s, len) == '=' ? HG_SHELL_DEFINITION : HG_SHELL_FIELD, len);
}

static void blanks(scan *s)
{
    size_t len = 1;
    while (byte_at(s, len) == ' ' || byte_at(s, len) == '\t')
        len++;
    push(s, HG_SHELL_BLANK, len);
}

static void scan_command(scan *s)
{
    uint8_t c = byte_at(s, 0);
    switch (c) {
    case ' ':
    case '\t':
        blanks(s);
        break;
    case '"':
        enter(s, SCOPE_QUOTE, HG_SHELL_QUOTE_OPEN, 1);
        break;
    case '$':
        dollar(s);
        break;
    case ')':
        close_parenthesis(s);
        break;
    case '`':
        backtick(s);
        break;
    case '(':
        open_parenthesis(s);
        break;
    case '=':
        push(s, HG_SHELL_EQUAL, 1);
        break;
    case '\n':
    case ';':
    case '!':
        push(s, HG_SHELL_CONTROL, 1);
        break;
    case '|':
        push(s, HG_SHELL_CONTROL, byte_at(s, 1) == '|' ? 2 : 1);
        break;
    case '&':
        ampersand(s);
        break;
    case '{':
        open_curly(s);
        break;
    case '}':
        close_curly(s);
        break;
    case '\'':
        single_quote(s);
        break;
    case '<':
    case '>':
        angle(s);
        break;
    default:
        if (hg_is_digit(c))
            digit(s);
        else
            field(s);
    }
}

hg_status hg_shell_tokenize(hg_slice line, hg_arena *arena, hg_shell_token **tokens, size_t *count)
{
    scan s = {.s = line, .arena = arena};
    *tokens = NULL;
    *count = 0;
    while (s.r < line.len) {
        scope_type type = current(&s);
        if (type <= SCOPE_LAST_COMMAND)
            scan_command(&s);
        else
            scan_expanded(&s, type);
    }
    if (s.out_of_memory)
        return HG_ERR_NOMEM;
    *tokens = s.tokens;
    return hg_shell_find_commands(s.tokens, s.count, arena, count);
}
