/* What look-ups in sets with expiry answer: the last second in which the member is there. The caller asks the clock,
 * and only for members that can expire. */
#ifndef HG_TEXT_EXPIRY_H
#define HG_TEXT_EXPIRY_H

#include "hotgate/base.h"

#define HG_ABSENT 0
#define HG_NEVER_EXPIRES UINT64_MAX

/* A configured expiration, where 0 means never, as an answer. */
static inline uint64_t hg_expiry_of(uint64_t configured)
{
    return configured == 0 ? HG_NEVER_EXPIRES : configured;
}

#endif
