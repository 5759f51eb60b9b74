/* The objects of the marshalling benchmarks (marshalling 8.1 and 8.3), as sources with UTF-16 or UTF-8 texts. Built on the
 * heap, freed by nested_free. */
#ifndef TESTS_NESTED_MAP_H
#define TESTS_NESTED_MAP_H

#include "hotgate/encode.h"

#include <stdlib.h>

typedef struct nested {
    void **blocks;
    size_t count;
    bool utf8;
    hg_source root;
} nested;

static inline void *nested_block(nested *n, size_t size)
{
    n->blocks = realloc(n->blocks, (n->count + 1) * sizeof *n->blocks);
    return n->blocks[n->count++] = calloc(1, size ? size : 1);
}

static inline void nested_free(nested *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->blocks[i]);
    free(n->blocks);
}

static inline hg_source nested_text(nested *n, const char *ascii)
{
    size_t len = strlen(ascii);
    if (n->utf8)
        return (hg_source){.kind = HG_SOURCE_UTF8, .count = len, .as.text = ascii};
    uint16_t *units = nested_block(n, 2 * len);
    for (size_t i = 0; i < len; i++)
        units[i] = (uint8_t)ascii[i];
    return (hg_source){.kind = HG_SOURCE_UTF16, .count = len, .as.units = units};
}

static inline hg_source nested_int(int64_t i)
{
    return (hg_source){.kind = HG_SOURCE_SIGNED, .as.integer = i};
}

static inline hg_source nested_bool(bool b)
{
    return (hg_source){.kind = HG_SOURCE_BOOL, .as.boolean = b};
}

/* Adds a pair to a map whose block has room. */
static inline void nested_add(nested *n, hg_source *map, const char *key, hg_source val)
{
    hg_source_pair *pairs = (hg_source_pair *)map->as.pairs;
    pairs[map->count++] = (hg_source_pair){nested_text(n, key), val};
}

static inline hg_source nested_map_of(nested *n, size_t room)
{
    return (hg_source){.kind = HG_SOURCE_MAP, .as.pairs = nested_block(n, room * sizeof(hg_source_pair))};
}

static inline hg_source nested_list(nested *n, bool encode_variant)
{
    static const char *const extra[] = {"sit", "amet", "lorem", "ipsum", "dolor", "sit", "amet"};
    hg_source *items = nested_block(n, 20 * sizeof *items);
    size_t k = 0;
    static const bool bools[] = {true, false, false, false, true};
    for (size_t i = 0; i < 5; i++)
        items[k++] = nested_bool(bools[i]);
    items[k++] = nested_int(123);
    items[k++] = nested_text(n, "lorem");
    items[k++] = nested_text(n, "ipsum");
    items[k++] = nested_text(n, "dolor");
    for (size_t i = 0; encode_variant && i < 7; i++)
        items[k++] = nested_text(n, extra[i]);
    items[k++] = nested_text(n, "server.request.cookies");
    hg_source map = nested_map_of(n, 2);
    nested_add(n, &map, "something", nested_text(n, ".htaccess"));
    nested_add(n, &map, "something2", nested_text(n, ";shutdown--"));
    items[k++] = map;
    return (hg_source){.kind = HG_SOURCE_ARRAY, .count = k, .as.items = items};
}

/* NestedMap(depth, attack), or its encode variant. */
static inline nested nested_map(size_t depth, bool attack, bool encode_variant, bool utf8)
{
    nested n = {.utf8 = utf8};
    n.root = nested_map_of(&n, 4);
    hg_source first = nested_map_of(&n, 1);
    nested_add(&n, &first, "user-agent", nested_text(&n, attack ? "Arachni/v1" : "tata"));
    nested_add(&n, &n.root, attack ? "server.request.headers.no_cookies" : "toto", first);
    hg_source *current = &n.root;
    for (size_t i = 0; i < depth; i++) {
        if (i % 2 == 0)
            nested_add(&n, current, "list", nested_list(&n, encode_variant));
        hg_source map = nested_map_of(&n, 10);
        nested_add(&n, &map, "lorem", nested_text(&n, "ipsum"));
        nested_add(&n, &map, "dolor", nested_text(&n, "sit"));
        if (encode_variant)
            nested_add(&n, &map, "ipsum", nested_text(&n, "sit"));
        nested_add(&n, &map, "amet", nested_text(&n, "amet"));
        nested_add(&n, &map, "lorem2", nested_text(&n, "dolor2"));
        nested_add(&n, &map, "sit2", nested_bool(true));
        nested_add(&n, &map, "amet3", nested_int(4356));
        nested_add(&n, current, "item", map);
        current = (hg_source *)&current->as.pairs[current->count - 1].val;
    }
    return n;
}

/* ---- the more complex body (8.3), as plain C structs described by tables ---- */

typedef struct body_planet {
    const char *name;
} body_planet;
typedef struct body_continent {
    const char *name;
    body_planet planet;
} body_continent;
typedef struct body_country {
    const char *name;
    body_continent continent;
} body_country;
typedef struct body_city {
    const char *name;
    body_country country;
    const char *language;
} body_city;
typedef struct body_address {
    const char *street;
    int32_t number;
    bool is_house;
    body_city city;
} body_address;
typedef struct body_dog {
    const char *name;
    hg_source dogs;
} body_dog;
typedef struct body_complex {
    const char *name, *last_name;
    int32_t age;
    hg_source dogs;
    hg_source other_dogs;
    body_address address, address2;
    const char *gender;
} body_complex;

#define BODY_MEMBER(type, text, field, member_kind)                                                                   \
    {.name = {text, sizeof(text) - 1}, .offset = offsetof(type, field), .kind = member_kind}
#define BODY_NESTED(type, text, field, its_layout)                                                                    \
    {.name = {text, sizeof(text) - 1}, .offset = offsetof(type, field), .kind = HG_MEMBER_STRUCT, .layout = &its_layout}
#define BODY_LAYOUT(name, ...)                                                                                        \
    static const hg_member name##_members[] = {__VA_ARGS__};                                                          \
    static const hg_layout name = {name##_members, sizeof name##_members / sizeof name##_members[0]}

BODY_LAYOUT(planet_layout, BODY_MEMBER(body_planet, "Name", name, HG_MEMBER_C_STRING));
BODY_LAYOUT(continent_layout, BODY_MEMBER(body_continent, "Name", name, HG_MEMBER_C_STRING),
            BODY_NESTED(body_continent, "Planet", planet, planet_layout));
BODY_LAYOUT(country_layout, BODY_MEMBER(body_country, "Name", name, HG_MEMBER_C_STRING),
            BODY_NESTED(body_country, "Continent", continent, continent_layout));
BODY_LAYOUT(city_layout, BODY_MEMBER(body_city, "Name", name, HG_MEMBER_C_STRING),
            BODY_NESTED(body_city, "Country", country, country_layout),
            BODY_MEMBER(body_city, "Language", language, HG_MEMBER_C_STRING));
BODY_LAYOUT(address_layout, BODY_MEMBER(body_address, "NameStreet", street, HG_MEMBER_C_STRING),
            BODY_MEMBER(body_address, "Number", number, HG_MEMBER_INT32),
            BODY_MEMBER(body_address, "IsHouse", is_house, HG_MEMBER_BOOL),
            BODY_NESTED(body_address, "City", city, city_layout));
BODY_LAYOUT(dog_layout, BODY_MEMBER(body_dog, "Name", name, HG_MEMBER_C_STRING),
            BODY_MEMBER(body_dog, "Dogs", dogs, HG_MEMBER_SOURCE));
BODY_LAYOUT(complex_layout, BODY_MEMBER(body_complex, "Name", name, HG_MEMBER_C_STRING),
            BODY_MEMBER(body_complex, "LastName", last_name, HG_MEMBER_C_STRING),
            BODY_MEMBER(body_complex, "Age", age, HG_MEMBER_INT32),
            BODY_MEMBER(body_complex, "Dogs", dogs, HG_MEMBER_SOURCE),
            BODY_MEMBER(body_complex, "OtherDogs", other_dogs, HG_MEMBER_SOURCE),
            BODY_NESTED(body_complex, "Address", address, address_layout),
            BODY_NESTED(body_complex, "Address2", address2, address_layout),
            BODY_MEMBER(body_complex, "Gender", gender, HG_MEMBER_C_STRING));

static inline hg_source nested_object(nested *n, const void *object, const hg_layout *layout)
{
    hg_source_object *o = nested_block(n, sizeof *o);
    *o = (hg_source_object){object, layout};
    return (hg_source){.kind = HG_SOURCE_STRUCT, .count = 1, .as.object = o};
}

/* A list of dogs from their names; NULL ends it. */
static inline hg_source nested_dogs(nested *n, const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    hg_source *items = nested_block(n, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        body_dog *dog = nested_block(n, sizeof *dog);
        *dog = (body_dog){names[i], {.kind = HG_SOURCE_NULL}};
        items[i] = nested_object(n, dog, &dog_layout);
    }
    return (hg_source){.kind = HG_SOURCE_ARRAY, .count = count, .as.items = items};
}

/* The seed's extractor lost the dogs: seed_form makes Dogs an empty map. */
static inline nested nested_complex_body(bool seed_form)
{
    static const char *const inner[3][4] = {{"titi", "titi", NULL}, {"tata", "tata", NULL}, {"titi", "titi", "tutu", NULL}};
    static const char *const outer[] = {"toto", "toto", "tata"};
    nested n = {.utf8 = true};
    body_complex *b = nested_block(&n, sizeof *b);
    hg_source *dogs = nested_block(&n, 3 * sizeof *dogs);
    for (size_t i = 0; i < 3; i++) {
        body_dog *dog = nested_block(&n, sizeof *dog);
        *dog = (body_dog){outer[i], nested_dogs(&n, inner[i])};
        dogs[i] = nested_object(&n, dog, &dog_layout);
    }
    body_planet earth = {"Earth"};
    body_continent europe = {"Europe", earth};
    *b = (body_complex){
        .name = "Tata", .last_name = "Toto", .age = 12, .gender = "Female",
        .dogs = {.kind = HG_SOURCE_ARRAY, .count = 3, .as.items = dogs},
        .other_dogs = {.kind = HG_SOURCE_NULL},
        .address = {"lorem ipsum dolor sit amet", 12, false, {"Paris", {"France", europe}, NULL}},
        .address2 = {"lorem ipsum dolor sit amet", 15, true, {"Madrid", {"Spain", europe}, NULL}}};
    if (seed_form)
        b->dogs = nested_map_of(&n, 0);
    n.root = nested_object(&n, b, &complex_layout);
    return n;
}

#endif
