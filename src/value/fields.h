/* Named fields as forms have them: repeats of a name are gathered in order of first appearance, brackets may nest. */
#ifndef VALUE_FIELDS_H
#define VALUE_FIELDS_H

#include "hotgate/body.h"
#include "value/encoder.h"

typedef enum field_format { FIELD_TEXT, FIELD_JSON, FIELD_FORM } field_format;

typedef struct field_value {
    hg_slice text;
    uint32_t next; /* 1 + index of the next value of the same name */
    uint8_t format;
    uint8_t charset;
    bool borrow;
} field_value;

typedef struct field_node {
    hg_slice name;
    bool borrow;
    bool numbered; /* from [] : an array's element */
    uint32_t parent;
    uint32_t next; /* all links are 1 + index; 0 = none */
    uint32_t first_child, last_child, children;
    uint32_t first_value, last_value, values;
    uint32_t refused_children, refused_values; /* more than the limits can keep */
} field_node;

typedef struct fields {
    field_node *nodes; /* [0] is the root */
    size_t node_count, node_room;
    field_value *values;
    size_t value_count, value_room;
    uint32_t *table; /* 1 + node index, by parent and name */
    size_t table_room;
    uint64_t seed;
    uint32_t max_entries;
    unsigned flags; /* HG_BODY_... */
    hg_charset charset;
    bool failed;
} fields;

void fields_init(fields *f, const hg_limits *limits, unsigned flags, hg_charset charset);
void fields_end(fields *f);

/* Adds one field. Name and text must live until fields_push; `borrow` says that they outlive the tree. */
void fields_add(fields *f, hg_slice name, field_value value, bool borrow_name);

/* Pushes all as one map. */
bool fields_push(const fields *f, hg_encoder *e);

#endif
