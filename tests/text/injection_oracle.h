/* Another implementation of the detectors that a differential run compares with. */
#ifndef TESTS_INJECTION_ORACLE_H
#define TESTS_INJECTION_ORACLE_H

#include "hotgate/injection.h"

typedef struct injection_verdict {
    char fingerprint[16]; /* "" = no SQL injection */
    bool xss;
    int contexts; /* one bit a context of the XSS detector; -1 = the oracle does not tell */
} injection_verdict;

extern const char injection_oracle_name[];

/* Loads the library; false when it is not installed. */
bool injection_oracle_open(void);

void injection_oracle_close(void);

/* Judges a text behind which at least three NULs can be read: the reference may read two bytes too far. */
void injection_oracle_judge(hg_slice text, injection_verdict *verdict);

#endif
