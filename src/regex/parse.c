/* Pattern text to tree, with RE2's refusals. One pass from left to right, no recursion: open groups live on a
 * stack of their own. Characters, escapes and classes are in parse_class.c. */
#include "regex/parse.h"

#include <stdlib.h>

static bool push_item(rx_parser *p, uint32_t node)
{
    if (!rx_grow(&p->items, p->item_count, &p->item_cap, sizeof *p->items))
        return rx_parse_nomem(p);
    p->items[p->item_count++] = node;
    return true;
}

static bool add_node(rx_parser *p, rx_node node, uint32_t *id)
{
    rx_syntax *s = p->syntax;
    if (!rx_grow(&s->nodes, s->node_count, &s->node_cap, sizeof *s->nodes))
        return rx_parse_nomem(p);
    *id = (uint32_t)s->node_count;
    s->nodes[s->node_count++] = node;
    return true;
}

static bool push_node(rx_parser *p, rx_node node)
{
    uint32_t id;
    return add_node(p, node, &id) && push_item(p, id);
}

static bool push_assertion(rx_parser *p, rx_assertion which)
{
    return push_node(p, (rx_node){.kind = RX_ASSERT, .arg = which, .nullable = true, .repeats = 1});
}

static bool push_literal(rx_parser *p, uint32_t code)
{
    bool insensitive = (p->flags & RX_FOLD) != 0;
    bool fold = insensitive && rx_fold_next(code) != code;
    return push_node(p, (rx_node){.kind = RX_CHAR, .arg = code, .fold = fold, .insensitive = insensitive,
                                  .repeats = 1});
}

static uint32_t *recent_class(rx_parser *p)
{
    uint64_t h = 0;
    for (size_t i = 0; i < p->builder.count; i++)
        h = (h ^ p->builder.ranges[i].lo ^ (uint64_t)p->builder.ranges[i].hi << 32) * 0x9E3779B97F4A7C15ull ^ h >> 31;
    return &p->recent[(h >> 32) % RX_RECENT_CLASSES];
}

static bool is_class(const rx_syntax *s, uint32_t class, const rx_class_builder *b)
{
    const rx_class *c = &s->classes[class];
    return c->count == b->count &&
           (b->count == 0 || memcmp(s->ranges + c->first, b->ranges, b->count * sizeof *b->ranges) == 0);
}

static bool add_class(rx_parser *p)
{
    rx_syntax *s = p->syntax;
    rx_class class = {(uint32_t)s->range_count, (uint32_t)p->builder.count};
    for (size_t i = 0; i < p->builder.count; i++) {
        if (!rx_grow(&s->ranges, s->range_count, &s->range_cap, sizeof *s->ranges))
            return rx_parse_nomem(p);
        s->ranges[s->range_count++] = p->builder.ranges[i];
    }
    if (!rx_grow(&s->classes, s->class_count, &s->class_cap, sizeof *s->classes))
        return rx_parse_nomem(p);
    s->classes[s->class_count++] = class;
    return true;
}

/* Takes the class out of the builder. */
static bool push_class(rx_parser *p)
{
    rx_class_settle(&p->builder);
    if (p->builder.nomem)
        return rx_parse_nomem(p);
    uint32_t *recent = recent_class(p);
    if (*recent == 0 || !is_class(p->syntax, *recent - 1, &p->builder)) {
        if (!add_class(p))
            return false;
        *recent = (uint32_t)p->syntax->class_count;
    }
    p->builder.count = 0;
    return push_node(p, (rx_node){.kind = RX_CLASS, .arg = *recent - 1, .repeats = 1});
}

/* A property or a bracketed class at `at`. */
static bool read_class(rx_parser *p, bool (*read)(rx_parser *p))
{
    enum { LARGE = 32 };
    const bool fold = (p->flags & RX_FOLD) != 0;
    const size_t begin = p->at;
    for (size_t i = 0; i < RX_LARGE_CLASSES; i++) {
        const rx_written *w = &p->large[i];
        if (w->text.len == 0 || w->fold != fold || !hg_slice_equal(hg_slice_take(rx_rest(p), w->text.len), w->text))
            continue;
        p->at += w->text.len;
        return push_node(p, (rx_node){.kind = RX_CLASS, .arg = w->class, .repeats = 1});
    }
    if (!read(p))
        return false;
    bool large = p->builder.count >= LARGE;
    if (!push_class(p))
        return false;
    if (large)
        p->large[p->large_next++ % RX_LARGE_CLASSES] =
            (rx_written){rx_since(p, begin), fold, p->syntax->nodes[p->syntax->node_count - 1].arg};
    return true;
}

static bool push_dot(rx_parser *p)
{
    if (p->flags & RX_DOT_NEWLINE) {
        rx_class_add(&p->builder, 0, RX_MAX_CODE);
    } else {
        rx_class_add(&p->builder, 0, '\n' - 1);
        rx_class_add(&p->builder, '\n' + 1, RX_MAX_CODE);
    }
    return push_class(p);
}

/* Replaces items[from..] by one node of that kind (CAT or ALT). */
static bool collapse(rx_parser *p, size_t from, rx_kind kind)
{
    rx_syntax *s = p->syntax;
    size_t count = p->item_count - from;
    if (count == 1)
        return true;
    if (count == 0)
        return push_node(p, (rx_node){.kind = RX_EMPTY, .nullable = true, .repeats = 1});
    rx_node node = {.kind = (uint8_t)kind, .arg = (uint32_t)s->kid_count, .count = (uint32_t)count, .repeats = 1};
    node.nullable = kind == RX_CAT;
    for (size_t i = from; i < p->item_count; i++) {
        const rx_node *kid = &s->nodes[p->items[i]];
        node.nullable = kind == RX_CAT ? node.nullable && kid->nullable : node.nullable || kid->nullable;
        if (kid->repeats > node.repeats)
            node.repeats = kid->repeats;
        if (!rx_grow(&s->kids, s->kid_count, &s->kid_cap, sizeof *s->kids))
            return rx_parse_nomem(p);
        s->kids[s->kid_count++] = p->items[i];
    }
    p->item_count = from;
    return push_node(p, node);
}

static rx_frame *top(rx_parser *p)
{
    return &p->frames[p->frame_count - 1];
}

static bool open_group(rx_parser *p, uint32_t number, unsigned outer_flags)
{
    if (!rx_grow(&p->frames, p->frame_count, &p->frame_cap, sizeof *p->frames))
        return rx_parse_nomem(p);
    p->frames[p->frame_count++] = (rx_frame){p->item_count, p->item_count, number, outer_flags};
    return true;
}

static bool next_branch(rx_parser *p)
{
    if (!collapse(p, top(p)->items, RX_CAT))
        return false;
    top(p)->items = p->item_count;
    return true;
}

static bool close_alternatives(rx_parser *p)
{
    return collapse(p, top(p)->items, RX_CAT) && collapse(p, top(p)->branches, RX_ALT);
}

static bool close_group(rx_parser *p)
{
    if (p->frame_count == 1)
        return rx_parse_fail(p, HG_REGEX_UNEXPECTED_PAREN, p->pattern);
    if (!close_alternatives(p))
        return false;
    rx_frame frame = *top(p);
    p->frame_count--;
    p->flags = frame.outer_flags;
    if (frame.number == RX_NO_GROUP)
        return true;
    uint32_t body = p->items[p->item_count - 1];
    const rx_node *kid = &p->syntax->nodes[body];
    rx_node node = {.kind = RX_GROUP, .arg = body, .count = frame.number, .nullable = kid->nullable,
                    .repeats = kid->repeats};
    uint32_t id;
    if (!add_node(p, node, &id))
        return false;
    p->items[p->item_count - 1] = id;
    return true;
}

/* `(?P<name>`; the name must be read even when it will be refused, for the error's argument. */
static bool open_named(rx_parser *p)
{
    hg_slice rest = rx_rest(p);
    const char *end = memchr(rest.ptr + 4, '>', rest.len - 4);
    if (end == NULL) {
        if (!rx_valid_utf8(rest))
            return rx_parse_fail(p, HG_REGEX_BAD_UTF8, (hg_slice){NULL, 0});
        return rx_parse_fail(p, HG_REGEX_BAD_NAMED_CAPTURE, rest);
    }
    hg_slice written = hg_slice_of(rest.ptr, (size_t)(end + 1 - rest.ptr));
    hg_slice name = hg_slice_of(rest.ptr + 4, written.len - 5);
    if (!rx_valid_utf8(name))
        return rx_parse_fail(p, HG_REGEX_BAD_UTF8, (hg_slice){NULL, 0});
    bool good = name.len > 0;
    for (size_t at = 0; good && at < name.len;) {
        uint32_t code;
        at += rx_decode(hg_slice_skip(name, at), &code);
        good = code < 0x80 ? rx_is_word(code) : rx_unicode_name_char(code);
    }
    if (!good)
        return rx_parse_fail(p, HG_REGEX_BAD_NAMED_CAPTURE, written);
    p->at += written.len;
    return open_group(p, ++p->syntax->groups, p->flags);
}

static unsigned flag_of(uint32_t letter)
{
    switch (letter) {
    case 'i':
        return RX_FOLD;
    case 'm':
        return RX_MULTI_LINE;
    case 's':
        return RX_DOT_NEWLINE;
    case 'U':
        return RX_SWAP_LAZY;
    default:
        return 0;
    }
}

/* `(?flags)` and `(?flags:`. */
static bool read_flags(rx_parser *p)
{
    size_t begin = p->at;
    p->at += 2;
    unsigned flags = p->flags;
    bool negated = false, seen = false;
    for (;;) {
        uint32_t c;
        if (p->at == p->pattern.len)
            break;
        if (!rx_next_code(p, &c))
            return false;
        if (c == ':' || c == ')') {
            if (negated && !seen)
                break;
            unsigned outer = p->flags;
            p->flags = flags;
            return c == ')' || open_group(p, RX_NO_GROUP, outer);
        }
        unsigned flag = flag_of(c);
        if (flag == 0 && (c != '-' || negated))
            break;
        if (flag == 0)
            negated = true;
        else
            flags = negated ? flags & ~flag : flags | flag;
        seen = flag != 0;
    }
    return rx_parse_fail(p, HG_REGEX_BAD_PERL_OP, rx_since(p, begin));
}

static bool open_paren(rx_parser *p)
{
    hg_slice rest = rx_rest(p);
    if (rest.len < 2 || rest.ptr[1] != '?') {
        p->at++;
        return open_group(p, ++p->syntax->groups, p->flags);
    }
    if (rest.len > 4 && rest.ptr[2] == 'P' && rest.ptr[3] == '<')
        return open_named(p);
    return read_flags(p);
}

/* A decimal number without a leading zero and of at most nine digits. */
static bool read_number(const rx_parser *p, size_t *at, int *number)
{
    size_t from = *at, i = from;
    int n = 0;
    while (i < p->pattern.len && p->pattern.ptr[i] >= '0' && p->pattern.ptr[i] <= '9') {
        if (i - from == 9)
            return false;
        n = n * 10 + (p->pattern.ptr[i++] - '0');
    }
    if (i == from || (p->pattern.ptr[from] == '0' && i - from > 1))
        return false;
    *at = i;
    *number = n;
    return true;
}

/* {n}, {n,} or {n,m} at p->at; false: the brace is a literal. */
static bool read_counter(const rx_parser *p, size_t *end, int *min, int *max)
{
    size_t at = p->at + 1, len = p->pattern.len;
    if (!read_number(p, &at, min) || at == len)
        return false;
    *max = *min;
    if (p->pattern.ptr[at] == ',') {
        at++;
        *max = RX_UNBOUNDED;
        if (at < len && p->pattern.ptr[at] != '}' && !read_number(p, &at, max))
            return false;
    }
    if (at == len || p->pattern.ptr[at] != '}')
        return false;
    *end = at + 1;
    return true;
}

static bool repeat_item(rx_parser *p, size_t begin, bool counter, int min, int max, bool lazy)
{
    hg_slice written = rx_since(p, begin);
    if (p->last_repeat != RX_NONE)
        return rx_parse_fail(p, HG_REGEX_REPEAT_OP, rx_since(p, p->last_repeat));
    if (counter && (min > RX_MAX_REPEAT || max > RX_MAX_REPEAT || (max >= 0 && max < min)))
        return rx_parse_fail(p, HG_REGEX_REPEAT_SIZE, written);
    if (p->item_count == top(p)->items)
        return rx_parse_fail(p, HG_REGEX_REPEAT_ARGUMENT, written);
    uint32_t *item = &p->items[p->item_count - 1];
    const rx_node *kid = &p->syntax->nodes[*item];
    unsigned factor = (unsigned)(max >= 0 ? max : min);
    unsigned repeats = kid->repeats * (factor ? factor : 1);
    if (repeats > RX_MAX_REPEAT) {
        if (counter && (min >= 2 || max >= 2))
            return rx_parse_fail(p, HG_REGEX_REPEAT_SIZE, written);
        repeats = RX_MAX_REPEAT + 1;
    }
    rx_node node = {.kind = RX_REPEAT, .arg = *item, .min = (int16_t)min, .max = (int16_t)max, .lazy = lazy,
                    .nullable = min == 0 || kid->nullable, .repeats = (uint16_t)repeats};
    return add_node(p, node, item);
}

static bool read_repeat(rx_parser *p, bool *was_repeat)
{
    size_t begin = p->at, end = p->at + 1;
    char op = p->pattern.ptr[begin];
    int min = op == '+', max = op == '?' ? 1 : RX_UNBOUNDED;
    if (op == '{' && !read_counter(p, &end, &min, &max)) {
        p->at++;
        return push_literal(p, '{');
    }
    p->at = end;
    bool lazy = (p->flags & RX_SWAP_LAZY) != 0;
    if (end < p->pattern.len && p->pattern.ptr[end] == '?') {
        lazy = !lazy;
        p->at++;
    }
    if (!repeat_item(p, begin, op == '{', min, max, lazy))
        return false;
    p->last_repeat = begin;
    *was_repeat = true;
    return true;
}

static bool read_quoted(rx_parser *p)
{
    p->at += 2;
    while (p->at < p->pattern.len) {
        hg_slice rest = rx_rest(p);
        if (rest.len >= 2 && rest.ptr[0] == '\\' && rest.ptr[1] == 'E') {
            p->at += 2;
            return true;
        }
        uint32_t code;
        if (!rx_next_code(p, &code) || !push_literal(p, code))
            return false;
    }
    return true;
}

static bool read_backslash(rx_parser *p)
{
    hg_slice rest = rx_rest(p);
    char next = rest.len >= 2 ? rest.ptr[1] : 0;
    switch (rest.len >= 2 ? next : 0) {
    case 'b':
    case 'B':
        p->at += 2;
        return push_assertion(p, next == 'b' ? RX_WORD : RX_NOT_WORD);
    case 'A':
    case 'z':
        p->at += 2;
        return push_assertion(p, next == 'A' ? RX_BEGIN_TEXT : RX_END_TEXT);
    case 'C':
        p->at += 2;
        return push_node(p, (rx_node){.kind = RX_BYTE, .repeats = 1});
    case 'Q':
        return read_quoted(p);
    case 'p':
    case 'P':
        return read_class(p, rx_read_property);
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W':
        p->at += 2;
        rx_class_add_perl(&p->builder, next, (p->flags & RX_FOLD) != 0);
        return push_class(p);
    default:
        break;
    }
    uint32_t code;
    return rx_read_escape(p, &code) && push_literal(p, code);
}

static bool read_item(rx_parser *p, bool *was_repeat)
{
    uint32_t code;
    switch (p->pattern.ptr[p->at]) {
    case '(':
        return open_paren(p);
    case ')':
        p->at++;
        return close_group(p);
    case '|':
        p->at++;
        return next_branch(p);
    case '^':
        p->at++;
        return push_assertion(p, (p->flags & RX_MULTI_LINE) ? RX_BEGIN_LINE : RX_BEGIN_TEXT);
    case '$':
        p->at++;
        return push_assertion(p, (p->flags & RX_MULTI_LINE) ? RX_END_LINE : RX_END_TEXT);
    case '.':
        p->at++;
        return push_dot(p);
    case '[':
        return read_class(p, rx_read_class);
    case '*':
    case '+':
    case '?':
    case '{':
        return read_repeat(p, was_repeat);
    case '\\':
        return read_backslash(p);
    default:
        return rx_next_code(p, &code) && push_literal(p, code);
    }
}

static bool read_pattern(rx_parser *p)
{
    if (!open_group(p, RX_NO_GROUP, p->flags))
        return false;
    while (p->at < p->pattern.len) {
        bool was_repeat = false;
        if (!read_item(p, &was_repeat))
            return false;
        if (!was_repeat)
            p->last_repeat = RX_NONE;
    }
    if (p->frame_count > 1)
        return rx_parse_fail(p, HG_REGEX_MISSING_PAREN, p->pattern);
    if (!close_alternatives(p))
        return false;
    p->syntax->root = p->items[0];
    return true;
}

bool rx_parse(hg_slice pattern, bool fold, rx_syntax *out, hg_regex_error *error)
{
    *out = (rx_syntax){0};
    rx_parser p = {.pattern = pattern, .flags = fold ? RX_FOLD : 0, .last_repeat = RX_NONE, .syntax = out,
                   .error = error};
    bool ok = read_pattern(&p);
    if (!ok)
        rx_syntax_close(out);
    free(p.items);
    free(p.frames);
    rx_class_close(&p.builder);
    return ok;
}

void rx_syntax_close(rx_syntax *syntax)
{
    free(syntax->nodes);
    free(syntax->kids);
    free(syntax->classes);
    free(syntax->ranges);
    *syntax = (rx_syntax){0};
}
