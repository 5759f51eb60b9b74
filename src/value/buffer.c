/* The growing byte buffer of writers. */
#include "hotgate/value.h"

#include <stdarg.h>
#include <stdio.h>

/* Makes room for n more bytes. */
static bool reserve(hg_buffer *b, size_t n)
{
    if (b->failed)
        return false;
    if (n <= b->cap - b->len)
        return true;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len < n) {
        if (cap > SIZE_MAX / 2) {
            b->failed = true;
            return false;
        }
        cap *= 2;
    }
    const hg_allocator *a = b->a ? b->a : hg_heap();
    char *more = hg_acquire(a, cap, 1);
    if (more == NULL) {
        b->failed = true;
        return false;
    }
    if (b->len > 0)
        memcpy(more, b->ptr, b->len);
    hg_release(a, b->ptr, b->cap, 1);
    b->ptr = more;
    b->cap = cap;
    return true;
}

void hg_buffer_append(hg_buffer *b, hg_slice s)
{
    if (s.len == 0 || !reserve(b, s.len))
        return;
    memcpy(b->ptr + b->len, s.ptr, s.len);
    b->len += s.len;
}

void hg_buffer_byte(hg_buffer *b, char c)
{
    if (b->len < b->cap || reserve(b, 1))
        b->ptr[b->len++] = c;
}

char *hg_buffer_reserve(hg_buffer *b, size_t n)
{
    return reserve(b, n) ? b->ptr + b->len : NULL;
}

void hg_buffer_printf(hg_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && reserve(b, (size_t)n + 1)) {
        vsnprintf(b->ptr + b->len, (size_t)n + 1, format, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void hg_buffer_free(hg_buffer *b)
{
    hg_release(b->a ? b->a : hg_heap(), b->ptr, b->cap, 1);
    *b = (hg_buffer){.a = b->a};
}
