#include "diff.h"

#include <stdio.h>

typedef struct place {
    char text[256];
    size_t length;
} place;

static bool differ(const place *p, char where[256])
{
    memcpy(where, p->text, p->length);
    where[p->length] = '\0';
    return false;
}

static void enter(place *p, const char *step, size_t length)
{
    size_t room = sizeof p->text - 1 - p->length;
    int n = snprintf(p->text + p->length, room, "/%.*s", (int)length, step);
    p->length += (size_t)n < room ? (size_t)n : room - 1;
}

static hg_slice name_of(const ddwaf1_object *o)
{
    return hg_slice_of(o->name, o->name_len);
}

/* 8-4-4-4-12 hexadecimal digits, as libddwaf makes them. */
static bool is_id(hg_slice s)
{
    static const char pattern[] = "xxxxxxxx-xxxx-4xxx-1bxx-xxxxxxxxxxxx";
    if (s.len != sizeof pattern - 1)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        bool hex = (s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f');
        if (pattern[i] == 'x' ? !hex : s.ptr[i] != pattern[i])
            return false;
    }
    return true;
}

static bool is_named(const ddwaf1_object *o, const char *name)
{
    return hg_slice_equal(name_of(o), hg_slice_from(name));
}

static bool agree(const ddwaf1_object *a, const ddwaf1_object *b, bool any_order, place p, char where[256]);

/* Every entry of a has its own equal one in b. */
static bool sets_agree(const ddwaf1_object *a, const ddwaf1_object *b, bool any_order, place p, char where[256])
{
    bool used[1024] = {false};
    if (a->size > 1024)
        return differ(&p, where);
    for (uint64_t i = 0; i < a->size; i++) {
        const ddwaf1_object *entry = &a->items[i];
        place inner = p;
        enter(&inner, entry->name != NULL ? entry->name : "*", entry->name != NULL ? entry->name_len : 1);
        uint64_t k = 0;
        bool named = false;
        for (; k < b->size; k++) {
            bool same_name = a->type == DDWAF1_ARRAY || hg_slice_equal(name_of(entry), name_of(&b->items[k]));
            named |= same_name;
            if (!used[k] && same_name && agree(entry, &b->items[k], any_order, inner, where))
                break;
        }
        if (k == b->size)
            return named ? false : differ(&inner, where);
        used[k] = true;
    }
    return true;
}

static bool lists_agree(const ddwaf1_object *a, const ddwaf1_object *b, place p, char where[256])
{
    for (uint64_t i = 0; i < a->size; i++) {
        char step[24];
        place inner = p;
        enter(&inner, step, (size_t)snprintf(step, sizeof step, "%llu", (unsigned long long)i));
        if (!agree(&a->items[i], &b->items[i], false, inner, where))
            return false;
    }
    return true;
}

static bool scalars_agree(const ddwaf1_object *a, const ddwaf1_object *b)
{
    switch (a->type) {
    case DDWAF1_STRING:
        if (a->name != NULL && (is_named(a, "stack_id") || is_named(a, "security_response_id")))
            return is_id(hg_slice_of(a->string, a->size)) && is_id(hg_slice_of(b->string, b->size));
        return hg_slice_equal(hg_slice_of(a->string, a->size), hg_slice_of(b->string, b->size));
    case DDWAF1_BOOL:
        return a->boolean == b->boolean;
    case DDWAF1_SIGNED:
    case DDWAF1_UNSIGNED:
    case DDWAF1_FLOAT:
        return (a->name != NULL && is_named(a, "duration")) || a->u64 == b->u64;
    default:
        return true;
    }
}

static bool agree(const ddwaf1_object *a, const ddwaf1_object *b, bool any_order, place p, char where[256])
{
    if (a->type != b->type)
        return differ(&p, where);
    if (a->type != DDWAF1_ARRAY && a->type != DDWAF1_MAP)
        return scalars_agree(a, b) || differ(&p, where);
    if (a->size != b->size)
        return differ(&p, where);
    any_order |= a->name != NULL && is_named(a, "attributes");
    if (a->type == DDWAF1_MAP || any_order)
        return sets_agree(a, b, any_order, p, where);
    return lists_agree(a, b, p, where);
}

bool objects_agree(const ddwaf1_object *a, const ddwaf1_object *b, char where[256])
{
    place p = {.length = 0};
    return agree(a, b, false, p, where);
}

void put_object(const ddwaf1_object *o, hg_buffer *out)
{
    switch (o->type) {
    case DDWAF1_STRING:
        if (o->string == NULL)
            hg_buffer_append(out, HG_SLICE("\"<no bytes>\""));
        else
            put_string(out, hg_slice_of(o->string, o->size));
        break;
    case DDWAF1_BOOL:
        hg_buffer_printf(out, "%s", o->boolean ? "true" : "false");
        break;
    case DDWAF1_SIGNED:
        hg_buffer_printf(out, "%lld", (long long)o->i64);
        break;
    case DDWAF1_UNSIGNED:
        hg_buffer_printf(out, "%llu", (unsigned long long)o->u64);
        break;
    case DDWAF1_FLOAT:
        hg_buffer_printf(out, "%.17g", o->f64);
        break;
    case DDWAF1_ARRAY:
    case DDWAF1_MAP:
        hg_buffer_byte(out, o->type == DDWAF1_MAP ? '{' : '[');
        for (uint64_t i = 0; i < o->size; i++) {
            if (i > 0)
                hg_buffer_byte(out, ',');
            if (o->type == DDWAF1_MAP) {
                put_string(out, o->items[i].name != NULL ? name_of(&o->items[i]) : HG_SLICE("<no key>"));
                hg_buffer_byte(out, ':');
            }
            put_object(&o->items[i], out);
        }
        hg_buffer_byte(out, o->type == DDWAF1_MAP ? '}' : ']');
        break;
    default:
        hg_buffer_printf(out, "%s", o->type == DDWAF1_NULL ? "null" : "\"<invalid>\"");
    }
}
