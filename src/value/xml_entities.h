/* References in XML text: built-in, numeric, and the internal general entities of the document type. */
#ifndef VALUE_XML_ENTITIES_H
#define VALUE_XML_ENTITIES_H

#include "hotgate/value.h"

enum { XML_EXPANSION_MAX = 65536, XML_ENTITIES_MAX = 64, XML_ENTITY_NESTING = 8 };

typedef struct xml_entity {
    hg_slice name, text;
} xml_entity;

typedef struct xml_entities {
    xml_entity list[XML_ENTITIES_MAX];
    size_t count;
    size_t expanded; /* bytes that internal entities have given so far */
} xml_entities;

/* Notes <!ENTITY name "text"> ; the first declaration of a name counts, more than 64 are ignored. */
void xml_entities_declare(xml_entities *x, hg_slice name, hg_slice text);

/* Appends s with its references resolved. What is unknown, external, or beyond 64 KiB of expansion stays as written. */
void xml_entities_expand(xml_entities *x, hg_slice s, hg_buffer *out);

#endif
