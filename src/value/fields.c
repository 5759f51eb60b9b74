#include "value/fields.h"

#include "base/hash.h"
#include "value/charset.h"
#include "value/form.h"
#include "value/json.h"
#include "value/scratch.h"

enum { NEST_MAX = 16 }; /* brackets; what is deeper stays part of the name */

void fields_init(fields *f, const hg_limits *limits, unsigned flags, hg_charset charset)
{
    *f = (fields){.flags = flags, .charset = charset, .seed = hg_hash_seed()};
    f->max_entries = limits ? limits->max_entries : hg_limits_of(HG_LIMITS_DEFAULT).max_entries;
    f->failed = !scratch_grow((void **)&f->nodes, &f->node_room, sizeof *f->nodes);
    if (!f->failed)
        f->nodes[f->node_count++] = (field_node){.name = {NULL, 0}};
}

void fields_end(fields *f)
{
    scratch_free(f->nodes);
    scratch_free(f->values);
    scratch_free(f->table);
}

static uint64_t hash_of(const fields *f, uint32_t parent, hg_slice name)
{
    return hg_hash(name, f->seed + parent);
}

static uint32_t *locate(const fields *f, uint32_t parent, hg_slice name)
{
    size_t mask = f->table_room - 1, i = (size_t)hash_of(f, parent, name) & mask;
    for (; f->table[i] != 0; i = (i + 1) & mask) {
        const field_node *node = &f->nodes[f->table[i] - 1];
        if (node->parent == parent && hg_slice_equal(node->name, name))
            break;
    }
    return &f->table[i];
}

static bool grow_table(fields *f)
{
    size_t room = f->table_room ? 2 * f->table_room : 32;
    uint32_t *table = scratch_zeroed(room, sizeof *table);
    if (table == NULL)
        return false;
    scratch_free(f->table);
    f->table = table;
    f->table_room = room;
    for (size_t i = 1; i < f->node_count; i++) {
        if (!f->nodes[i].numbered)
            *locate(f, f->nodes[i].parent, f->nodes[i].name) = (uint32_t)i + 1;
    }
    return true;
}

/* A new last child. 0 when the limits leave no room, or memory does not. */
static uint32_t add_child(fields *f, uint32_t parent, hg_slice name, bool borrow, bool numbered)
{
    if (f->nodes[parent].children >= f->max_entries) {
        f->nodes[parent].refused_children++;
        return 0;
    }
    if (f->node_count == f->node_room && !scratch_grow((void **)&f->nodes, &f->node_room, sizeof *f->nodes)) {
        f->failed = true;
        return 0;
    }
    uint32_t index = (uint32_t)f->node_count++;
    f->nodes[index] = (field_node){.name = name, .borrow = borrow, .numbered = numbered, .parent = parent};
    field_node *above = &f->nodes[parent];
    if (above->last_child != 0)
        f->nodes[above->last_child - 1].next = index + 1;
    else
        above->first_child = index + 1;
    above->last_child = index + 1;
    above->children++;
    return index;
}

static uint32_t child_named(fields *f, uint32_t parent, hg_slice name, bool borrow)
{
    if (2 * (f->node_count + 1) > f->table_room && !grow_table(f)) {
        f->failed = true;
        return 0;
    }
    uint32_t *slot = locate(f, parent, name);
    if (*slot != 0)
        return *slot - 1;
    uint32_t index = add_child(f, parent, name, borrow, false);
    if (index != 0)
        *slot = index + 1;
    return index;
}

static void add_value(fields *f, uint32_t node, field_value value)
{
    field_node *n = &f->nodes[node];
    if (n->values >= f->max_entries) {
        n->refused_values++;
        return;
    }
    if (f->value_count == f->value_room && !scratch_grow((void **)&f->values, &f->value_room, sizeof *f->values)) {
        f->failed = true;
        return;
    }
    value.next = 0;
    f->values[f->value_count++] = value;
    uint32_t link = (uint32_t)f->value_count;
    if (n->last_value != 0)
        f->values[n->last_value - 1].next = link;
    else
        n->first_value = link;
    n->last_value = link;
    n->values++;
}

/* The node for name[a][b][]..., 0 when it is not kept. */
static uint32_t nested_node(fields *f, hg_slice name, bool borrow)
{
    const char *open = memchr(name.ptr, '[', name.len);
    if (open == NULL || open == name.ptr)
        return child_named(f, 0, name, borrow);
    uint32_t node = child_named(f, 0, hg_slice_take(name, (size_t)(open - name.ptr)), borrow);
    hg_slice rest = hg_slice_skip(name, (size_t)(open - name.ptr));
    for (int level = 0; node != 0 && rest.len > 0 && rest.ptr[0] == '[' && level < NEST_MAX; level++) {
        const char *close = memchr(rest.ptr, ']', rest.len);
        if (close == NULL)
            break;
        hg_slice key = hg_slice_of(rest.ptr + 1, (size_t)(close - rest.ptr) - 1);
        node = key.len == 0 ? add_child(f, node, key, borrow, true) : child_named(f, node, key, borrow);
        rest = hg_slice_skip(rest, key.len + 2);
    }
    return node;
}

void fields_add(fields *f, hg_slice name, field_value value, bool borrow_name)
{
    if (f->failed)
        return;
    bool nested = (f->flags & HG_BODY_PHP_BRACKETS) && name.len > 0;
    uint32_t node = nested ? nested_node(f, name, borrow_name) : child_named(f, 0, name, borrow_name);
    if (node != 0)
        add_value(f, node, value);
}

/* ---- pushing ---- */

static bool push_value(const fields *f, const field_value *v, hg_encoder *e)
{
    if (v->format == FIELD_JSON && json_read_into(v->text, v->borrow, e))
        return true;
    if (encoder_failed(e))
        return false;
    if (v->format == FIELD_FORM)
        return form_read_into(v->text, f->flags | (v->borrow ? HG_BODY_BORROW : 0), (hg_charset)v->charset, e);
    return charset_push(e, v->text, (hg_charset)v->charset, v->borrow, false);
}

static bool push_values(const fields *f, const field_node *node, hg_encoder *e)
{
    for (uint32_t i = node->first_value; i != 0; i = f->values[i - 1].next) {
        if (!push_value(f, &f->values[i - 1], e))
            return false;
    }
    encoder_skipped(e, node->refused_values);
    return true;
}

static bool push_node(const fields *f, const field_node *node, hg_encoder *e);

static bool push_children(const fields *f, const field_node *node, bool keyed, hg_encoder *e)
{
    for (uint32_t i = node->first_child; i != 0; i = f->nodes[i - 1].next) {
        const field_node *child = &f->nodes[i - 1];
        if (keyed && !charset_push(e, child->name, f->charset, child->borrow, true))
            return false;
        if (!push_node(f, child, e))
            return false;
    }
    encoder_skipped(e, node->refused_children);
    return true;
}

/* An array when every child came from [], else a map. */
static bool push_container(const fields *f, const field_node *node, hg_encoder *e)
{
    bool numbered = node->first_child != 0;
    for (uint32_t i = node->first_child; i != 0; i = f->nodes[i - 1].next)
        numbered = numbered && f->nodes[i - 1].numbered;
    return encoder_open(e, numbered ? HG_ARRAY : HG_MAP, NULL) && push_children(f, node, !numbered, e) &&
           encoder_close(e);
}

/* Recursion is bounded by NEST_MAX. */
static bool push_node(const fields *f, const field_node *node, hg_encoder *e)
{
    bool has_children = node->children > 0;
    if (has_children && node->values == 0)
        return push_container(f, node, e);
    bool single = node->values == 1 && node->refused_values == 0 && !has_children;
    if (single && (node->numbered || !(f->flags & HG_BODY_ALWAYS_ARRAY)))
        return push_value(f, &f->values[node->first_value - 1], e);
    if (!encoder_open(e, HG_ARRAY, NULL) || !push_values(f, node, e))
        return false;
    return (!has_children || push_container(f, node, e)) && encoder_close(e);
}

bool fields_push(const fields *f, hg_encoder *e)
{
    if (f->failed) {
        e->b.failed = true;
        return false;
    }
    return encoder_open(e, HG_MAP, NULL) && push_children(f, &f->nodes[0], true, e) && encoder_close(e);
}
