/* Hotgate: SQL-injection and XSS detectors with libinjection's verdicts and fingerprints, as the WAF's copy of it
 * gives them. Pure functions of the bytes: no state, no allocation, no copy of the input, thread-safe; a call
 * takes time linear in the input and a small fixed amount of stack. Any bytes are legal input, NULs included. */
#ifndef HOTGATE_INJECTION_H
#define HOTGATE_INJECTION_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HG_SQLI_FINGERPRINT_SIZE = 8 }; /* bytes of room a fingerprint needs: up to five letters and a NUL */

/* Is text a piece of SQL that breaks out of a value? fingerprint (may be NULL) gets the token letters that
 * decided, e.g. "s&1c" or "X", NUL-terminated; the empty string when the answer is no. Empty text: no. */
HG_API bool hg_sqli(hg_slice text, char fingerprint[HG_SQLI_FINGERPRINT_SIZE]);

/* Would text run script in an HTML page: as page text, inside a tag, or inside an attribute value quoted with
 * any of the three quotes? Empty text: no. */
HG_API bool hg_xss(hg_slice text);

#ifdef __cplusplus
}
#endif
#endif
