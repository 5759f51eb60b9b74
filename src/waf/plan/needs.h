/* What a text must contain for a pattern to occur in it: single bytes, found without scanning. Used to spare work for
 * texts that a chain of shrinking transforms would have to make first: such a chain only deletes, lowers case, or writes
 * spaces and slashes, so what is missing before is missing after. */
#ifndef WAF_PLAN_NEEDS_H
#define WAF_PLAN_NEEDS_H

#include "text/transform.h"
#include "waf/operators/operator.h"

enum { HG_NEED_CLASSES = 3, HG_NEED_BYTES = 6 };

/* Of each class some byte must be there. No classes: nothing is known. */
typedef struct hg_need {
    uint8_t count;
    struct {
        uint8_t count;
        char bytes[HG_NEED_BYTES];
    } classes[HG_NEED_CLASSES];
} hg_need;

/* What the matcher needs to find in the text before a chain of shrinking transforms. */
hg_need hg_need_of(const hg_matcher *matcher);

/* Does the chain consist of shrinking transforms only? */
bool hg_chain_shrinks(const hg_transform_chain *chain);

/* The classes of all needs of a lane, numbered, so that a text is looked through once for all of them. */
typedef struct hg_need_index {
    uint8_t of_byte[256]; /* mask of the classes that a byte is in */
    char bytes[8 * HG_NEED_BYTES];
    uint8_t byte_count;
    uint8_t class_count;
} hg_need_index;

/* The mask of the need's classes, which are added; 0 if there is no room for them or nothing is needed. */
uint8_t hg_need_index_add(hg_need_index *index, const hg_need *need);

/* The mask of classes that have a byte in the text. */
static inline uint8_t hg_need_find(const hg_need_index *index, hg_slice text)
{
    enum { LONG = 256 }; /* bytes from which on searching for each is faster */
    uint8_t found = 0;
    if (text.len >= LONG) {
        for (uint8_t i = 0; i < index->byte_count; i++)
            if (memchr(text.ptr, index->bytes[i], text.len) != NULL)
                found |= index->of_byte[(unsigned char)index->bytes[i]];
        return found;
    }
    for (size_t i = 0; i < text.len; i++)
        found |= index->of_byte[(unsigned char)text.ptr[i]];
    return found;
}

#endif
