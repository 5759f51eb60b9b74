/* Scalars shown as strings: values and highlights of events, ids and tags of rulesets. */
#ifndef WAF_SCALAR_TEXT_H
#define WAF_SCALAR_TEXT_H

#include "hotgate/value.h"
#include "waf/profile.h"

/* Room that any number or boolean needs: the longest is the exact expansion of an integral double, 1.30.1 style. */
enum { HG_SCALAR_TEXT_MAX = 336 };

/* The text of a scalar: for strings their own bytes (inside *v for small ones), for others written into room. Empty
 * for anything that is not a scalar. */
hg_slice hg_scalar_text(const hg_profile *profile, const hg_value *v, char room[HG_SCALAR_TEXT_MAX]);

#endif
