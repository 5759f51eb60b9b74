#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guarded.h"
#include "text/uri.h"

static char shown[256];

/* scheme|userinfo|host|port|path|query|fragment, or "invalid". */
static const char *parts(const char *text)
{
    guarded g = guarded_new(hg_slice_from(text));
    hg_uri u;
    if (hg_uri_parse(g.bytes, &u))
        snprintf(shown, sizeof shown, "%.*s|%.*s|%.*s|%u|%.*s|%.*s|%.*s", (int)u.scheme.len, u.scheme.ptr,
                 (int)u.userinfo.len, u.userinfo.ptr, (int)u.host.len, u.host.ptr, u.port, (int)u.path.len, u.path.ptr,
                 (int)u.query.len, u.query.ptr, (int)u.fragment.len, u.fragment.ptr);
    else
        snprintf(shown, sizeof shown, "invalid");
    guarded_free(&g);
    return shown;
}

static void uris_are_taken_apart(void **state)
{
    (void)state;
    assert_string_equal(parts("http://usr:pw@host:80/p/a?x=1#frag"), "http|usr:pw|host|80|/p/a|x=1|frag");
    assert_string_equal(parts(""), "|||0|||");
    assert_string_equal(parts("http:"), "http|||0|||");
    assert_string_equal(parts("http:///p"), "http|||0|/p||");
    assert_string_equal(parts("http://@h"), "http||h|0|||");
    assert_string_equal(parts("http://u@"), "http|u||0|||");
    assert_string_equal(parts("http://:80"), "http|||80|||");
    assert_string_equal(parts("http://h:"), "http||h|0|||");
    assert_string_equal(parts("http://h?#f"), "http||h|0|||f");
    assert_string_equal(parts("mailto:x@y"), "mailto|||0|x@y||");
    assert_string_equal(parts("HTTP://H"), "HTTP||H|0|||");
    assert_string_equal(parts("http://h/%zz"), "http||h|0|/%zz||");
    assert_string_equal(parts("/rel?q"), "|||0|/rel|q|");
    assert_string_equal(parts("//"), "|||0|||");
    assert_string_equal(parts("///p"), "|||0|/p||");
    assert_string_equal(parts("//?q"), "|||0||q|");
    assert_string_equal(parts("http://?q"), "http|||0||q|");
    assert_string_equal(parts("//@"), "|||0|||");
    assert_string_equal(parts("//:@h"), "|:|h|0|||");
    assert_string_equal(parts("http:?q"), "http|||0||q|");
    assert_string_equal(parts("http:#f"), "http|||0|||f");
    assert_string_equal(parts("a:b:c"), "a|||0|b:c||");
    assert_string_equal(parts("http://u@/p"), "http|u||0|/p||");
    assert_string_equal(parts("http://u@:80"), "http|u||80|||");
    assert_string_equal(parts("http://[::1]:"), "http||::1|0|||");
    assert_string_equal(parts("http://%41"), "http||%41|0|||");
    assert_string_equal(parts("http://256.1.1.1"), "http||256.1.1.1|0|||");
    assert_string_equal(parts("http://^abc?q"), "http|||0||abc?q|");
    assert_string_equal(parts("http://u@@?x"), "http|u||0||?x|");
    assert_string_equal(parts("http://@@a/p?q#f"), "http|||0|@a/p|q|f");
}

static void what_is_no_uri_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"x",
                                      "\xC3\xA9",
                                      "http://a b",
                                      "http://h:99999",
                                      "http://[::1]x",
                                      "http://[]",
                                      "http://[1::g]",
                                      "?q",
                                      "#f",
                                      "1a:x",
                                      "http://a@b@c",
                                      "http://h:80:80",
                                      "http://h:8a",
                                      "http://[::ffff:1.2.3.4]/",
                                      "http://h/[x]",
                                      "http://h/?[x]#[",
                                      "http://h:99999999999999999999",
                                      "http://^a",
                                      "http://^/x",
                                      "http://@@",
                                      "http://@@a#q"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_string_equal(parts(bad[i]), "invalid");
}

static void positions_and_addresses_are_told(void **state)
{
    (void)state;
    hg_uri u;
    assert_true(hg_uri_parse(HG_SLICE("http://u@10.0.0.1:8/p?q"), &u));
    assert_int_equal(u.authority_at, 7);
    assert_int_equal(u.host_at, 9);
    assert_int_equal(u.path_at, 19);
    assert_int_equal(u.query_at, 22);
    assert_true(hg_slice_equal(u.origin, HG_SLICE("http://u@10.0.0.1:8")));
    assert_true(u.host_is_ip);
    assert_int_equal(u.ip.low, 0xFFFF0A000001);
    assert_true(hg_uri_parse(HG_SLICE("http://[fe80::1]"), &u));
    assert_true(u.host_is_ip);
    assert_int_equal(u.path_at, HG_URI_NOWHERE);
    assert_true(hg_uri_parse(HG_SLICE("http://256.1.1.1"), &u));
    assert_false(u.host_is_ip);
    assert_true(hg_uri_parse(HG_SLICE("/p"), &u));
    assert_int_equal(u.authority_at, HG_URI_NOWHERE);
    assert_int_equal(u.origin.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uris_are_taken_apart),
        cmocka_unit_test(what_is_no_uri_is_refused),
        cmocka_unit_test(positions_and_addresses_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
