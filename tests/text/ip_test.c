#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "guarded.h"
#include "text/ipset.h"

static bool parses(hg_slice text)
{
    guarded g = guarded_new(text);
    hg_ip ip;
    bool ok = hg_ip_parse(g.bytes, &ip);
    guarded_free(&g);
    return ok;
}

static void texts_that_are_addresses(void **state)
{
    (void)state;
    assert_true(parses(HG_SLICE("1.2.3.4")));
    assert_true(parses(HG_SLICE("0.0.0.0")));
    assert_true(parses(HG_SLICE("1.2.3.4\0junk")));
    assert_true(parses(HG_SLICE("::")));
    assert_true(parses(HG_SLICE("::1\0this is ignored too")));
    assert_true(parses(HG_SLICE("1:2:3:4:5:6:7::")));
    assert_true(parses(HG_SLICE("::2:3:4:5:6:7:8")));
    assert_true(parses(HG_SLICE("0000:0000:0000:0000:0000:ffff:255.255.255.255")));
}

static void texts_that_are_none(void **state)
{
    (void)state;
    assert_false(parses(HG_SLICE("")));
    assert_false(parses(HG_SLICE(" 1.2.3.4")));
    assert_false(parses(HG_SLICE("01.2.3.4")));
    assert_false(parses(HG_SLICE("1.2.3.256")));
    assert_false(parses(HG_SLICE("1.2.3")));
    assert_false(parses(HG_SLICE("1.2.3.4.")));
    assert_false(parses(HG_SLICE("1.2.3.4\0more than sixteen")));
    assert_false(parses(HG_SLICE("fe80::1%eth0")));
    assert_false(parses(HG_SLICE("[::1]")));
    assert_false(parses(HG_SLICE(":1")));
    assert_false(parses(HG_SLICE("1:")));
    assert_false(parses(HG_SLICE("1::2::3")));
    assert_false(parses(HG_SLICE("1:2:3:4:5:6:7:8::")));
    assert_false(parses(HG_SLICE("1:2:3:4:5:6:7:8:9")));
    assert_false(parses(HG_SLICE("12345::")));
    assert_false(parses(HG_SLICE("0000:0000:0000:0000:0000:ffff:255.255.255.255\0")));
}

/* The C library is the oracle. */
static void addresses_are_read_as_inet_pton_does(void **state)
{
    (void)state;
    static const char alphabet[] = "0012:::::..5fg";
    srand(3);
    for (int round = 0; round < 400000; round++) {
        char text[24];
        size_t len = (size_t)rand() % (sizeof text - 1);
        for (size_t i = 0; i < len; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        text[len] = 0;
        uint8_t six[16];
        uint8_t four[4];
        hg_ip ip;
        bool is_six = inet_pton(AF_INET6, text, six) == 1;
        assert_int_equal(hg_ipv6_parse(hg_slice_of(text, len), &ip), is_six);
        if (is_six)
            for (int i = 0; i < 16; i++)
                assert_int_equal(six[i], (uint8_t)((i < 8 ? ip.high : ip.low) >> (56 - i % 8 * 8)));
        bool is_four = inet_pton(AF_INET, text, four) == 1;
        assert_int_equal(hg_ipv4_parse(hg_slice_of(text, len), &ip), is_four);
        if (is_four)
            for (int i = 0; i < 4; i++)
                assert_int_equal(four[i], (uint8_t)(ip.low >> (24 - i * 8)));
    }
}

static uint64_t find_in(const char *entry, const char *address)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_slice text = hg_slice_from(entry);
    const hg_ipset *set = hg_ipset_build(&text, NULL, 1, &arena);
    assert_non_null(set);
    hg_ip ip;
    assert_true(hg_ip_parse(hg_slice_from(address), &ip));
    uint64_t answer = hg_ipset_find(set, ip);
    hg_arena_close(&arena);
    return answer;
}

static void ranges_hold_what_their_bits_say(void **state)
{
    (void)state;
    assert_int_equal(find_in("192.168.0.1/16", "192.168.200.1"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("192.168.0.1/16", "192.169.0.1"), HG_ABSENT);
    assert_int_equal(find_in("1.2.3.4", "::ffff:1.2.3.4"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("0.0.0.0/0", "255.255.255.255"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("0.0.0.0/0", "::1"), HG_ABSENT);
    assert_int_equal(find_in("::/0", "1.2.3.4"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("fc00::/7", "fdff::1"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("fc00::/7", "fe00::1"), HG_ABSENT);
    assert_int_equal(find_in("2001:db8:1234:1a00::/56", "2001:db8:1234:1aff::"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("1.1.1.1/8x", "1.9.9.9"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("1.1.1.1/+8", "1.9.9.9"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("1.1.1.1/ 8", "1.9.9.9"), HG_NEVER_EXPIRES);
    assert_int_equal(find_in("1.1.1.1/33", "1.1.1.1"), HG_ABSENT);
    assert_int_equal(find_in("1.1.1.1/", "1.1.1.1"), HG_ABSENT);
    assert_int_equal(find_in("1.1.1.1/-1", "1.1.1.1"), HG_ABSENT);
    assert_int_equal(find_in("1.1.1.1/0008", "1.1.1.1"), HG_ABSENT);
    assert_int_equal(find_in("nonsense", "1.1.1.1"), HG_ABSENT);
}

/* Random nested ranges against looking at each of them. */
static void the_last_expiry_around_an_address_counts(void **state)
{
    (void)state;
    srand(11);
    for (int round = 0; round < 2000; round++) {
        enum { COUNT = 12 };
        char texts[COUNT][32];
        hg_slice slices[COUNT];
        uint64_t expirations[COUNT];
        for (int i = 0; i < COUNT; i++) {
            snprintf(texts[i], sizeof texts[i], "10.0.0.%d/%d", rand() % 256, rand() % 9 ? 24 + rand() % 9 : 0);
            slices[i] = hg_slice_from(texts[i]);
            expirations[i] = (uint64_t)rand() % 4;
        }
        hg_arena arena;
        hg_arena_init(&arena, NULL);
        const hg_ipset *set = hg_ipset_build(slices, expirations, COUNT, &arena);
        assert_non_null(set);
        for (uint64_t last = 0; last < 512; last++) {
            hg_ip ip = {0, 0xFFFF0A000000u + last};
            uint64_t want = HG_ABSENT;
            for (int i = 0; i < COUNT; i++) {
                hg_ip a, b;
                assert_true(hg_ip_range_parse(slices[i], &a, &b));
                uint64_t expiry = hg_expiry_of(expirations[i]);
                if (hg_ip_compare(a, ip) <= 0 && hg_ip_compare(ip, b) <= 0 && expiry > want)
                    want = expiry;
            }
            assert_int_equal(hg_ipset_find(set, ip), want);
        }
        hg_arena_close(&arena);
    }
}

static void an_empty_set_holds_nothing(void **state)
{
    (void)state;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_ipset *set = hg_ipset_build(NULL, NULL, 0, &arena);
    assert_int_equal(hg_ipset_find(set, (hg_ip){0, 0}), HG_ABSENT);
    hg_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_addresses),
        cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(addresses_are_read_as_inet_pton_does),
        cmocka_unit_test(ranges_hold_what_their_bits_say),
        cmocka_unit_test(the_last_expiry_around_an_address_counts),
        cmocka_unit_test(an_empty_set_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
