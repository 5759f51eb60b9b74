/* Comparing a value with JSON text written by hand. */
#ifndef TESTS_VALUE_EXPECT_H
#define TESTS_VALUE_EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/value.h"

/* Fails unless v prints as `expected` (compact JSON), then frees it. */
static inline void expect_json_at(const char *file, int line, hg_value *v, const char *expected)
{
    hg_buffer json = {0};
    hg_json_write(v, 0, &json);
    hg_buffer_byte(&json, 0);
    if (strcmp(json.ptr, expected) != 0) {
        print_error("%s:%d: %s\n   instead of %s\n", file, line, json.ptr, expected);
        fail();
    }
    hg_buffer_free(&json);
    hg_value_free(v, hg_heap());
}

#define expect_json(v, expected) expect_json_at(__FILE__, __LINE__, (v), (expected))

#endif
