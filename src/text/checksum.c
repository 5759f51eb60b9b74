#include "text/checksum.h"

#include "text/bytes.h"

bool hg_checksum_luhn(hg_slice s)
{
    unsigned sum = 0;
    size_t digits = 0;
    for (size_t i = s.len; i-- > 0;) {
        if (!hg_is_digit((uint8_t)s.ptr[i]))
            continue;
        unsigned digit = (unsigned)(s.ptr[i] - '0');
        if (digits++ % 2)
            digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
        sum = (sum + digit) % 10;
    }
    return digits > 0 && sum == 0;
}
