/* Which libinjection the detectors equal. The product is built with the WAF's copy; tests build the sources a
 * second time with HG_INJECTION_STOCK for the stock library, so that a stock binary can serve as an oracle. */
#ifndef TEXT_INJECTION_PROFILE_H
#define TEXT_INJECTION_PROFILE_H

#ifdef HG_INJECTION_STOCK
enum { HG_STOCK = 1 };
#else
enum { HG_STOCK = 0 };
#endif

#endif
