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

static inline bool hg_need_met(const hg_need *need, hg_slice text)
{
    for (uint8_t i = 0; i < need->count; i++) {
        bool found = false;
        for (uint8_t k = 0; k < need->classes[i].count && !found; k++)
            found = memchr(text.ptr, need->classes[i].bytes[k], text.len) != NULL;
        if (!found)
            return false;
    }
    return true;
}

#endif
