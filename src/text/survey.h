/* The kernels of hg_text_survey. */
#ifndef HG_TEXT_SURVEY_H
#define HG_TEXT_SURVEY_H

#include "base/cpu.h"
#include "text/transform.h"

/* Any string. */
uint32_t hg_survey_bytes(hg_slice s);

#if defined(__x86_64__) && defined(__GNUC__)
#define HG_SURVEY_AVX2 1

/* Shorter strings are done sooner by the other kernel. */
enum { HG_SURVEY_SHORT = 64 };

/* A string that is not empty, on a CPU with AVX2. */
uint32_t hg_survey_avx2(hg_slice s);
#endif

#endif
