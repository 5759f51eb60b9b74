/* Layers and tunnels: what is opened, what is refused, and that no cut frame is over-read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/frames.h"

static void inner_udp(frame *f)
{
    ip4(f, 17, 5, 6, 8 + 4);
    udp(f, 1000, 2000, 4);
    add(f, "ping", 4);
}

static void geneve_with_inner_ipv4(frame *f)
{
    ethernet(f, 0x0800);
    ip4(f, 17, 1, 2, 8 + 16 + 32);
    udp(f, 3333, 6081, 16 + 32);
    add(f, "\x02\0\x08\0\0\x12\x34\0", 8);
    add(f, "\x01\x08\x01\x01\xaa\xbb\xcc\xdd", 8);
    inner_udp(f);
}

static void vxlan_with_inner_ethernet(frame *f)
{
    ethernet(f, 0x0800);
    ip4(f, 17, 1, 2, 8 + 8 + 14 + 32);
    udp(f, 3333, 4789, 8 + 14 + 32);
    add(f, "\x08\0\0\0\0\0\x2a\0", 8);
    ethernet(f, 0x0800);
    inner_udp(f);
}

static void gre_with_inner_ipv4(frame *f)
{
    ethernet(f, 0x8100);
    add16(f, 42);
    add16(f, 0x0800);
    ip4(f, 47, 1, 2, 4 + 32);
    add(f, "\0\0\x08\0", 4);
    inner_udp(f);
}

static void mpls_with_ip_in_ip(frame *f)
{
    ethernet(f, 0x8847);
    add(f, "\0\x10\0\x40\0\x10\x01\x40", 8);
    ip4(f, 4, 1, 2, 32);
    inner_udp(f);
}

static void gtp_with_inner_ipv4(frame *f)
{
    ethernet(f, 0x0800);
    ip4(f, 17, 1, 2, 8 + 8 + 32);
    udp(f, 2152, 2152, 8 + 32);
    add(f, "\x30\xff\0\x20\0\0\0\x01", 8);
    inner_udp(f);
}

typedef void maker(frame *f);

static const struct {
    maker *make;
    const char *tunnels;
} kinds[] = {{geneve_with_inner_ipv4, "GENEVE;"}, {vxlan_with_inner_ethernet, "VXLAN;"}, {gre_with_inner_ipv4, "GRE;"},
             {mpls_with_ip_in_ip, "IP;"},         {gtp_with_inner_ipv4, "GTPv1;"}};

static void each_tunnel_is_opened_and_its_inner_flow_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        frame f = {.len = 0};
        seen s;
        hg_net_options o = test_options();
        hg_net *net = engine(&s, &o);
        kinds[i].make(&f);
        give(net, 1000000, 1, &f);
        hg_net_finish(net);
        assert_string_equal(s.tunnels, kinds[i].tunnels);
        assert_non_null(strstr(s.conns, "udp S0 D  4/0;"));
        assert_string_equal(s.weirds, "");
        hg_net_free(net);
    }
}

static void no_prefix_of_a_frame_is_over_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        frame whole = {.len = 0};
        seen s;
        hg_net_options o = test_options();
        hg_net *net = engine(&s, &o);
        kinds[i].make(&whole);
        for (size_t len = 0; len <= whole.len; len++) {
            frame cut = whole;
            cut.len = len;
            give(net, 1000000 + (hg_net_time)len, 1, &cut);
        }
        hg_net_finish(net);
        hg_net_free(net);
    }
}

static void no_link_type_over_reads_short_frames(void **state)
{
    (void)state;
    static const uint32_t links[] = {0, 1, 9, 10, 50, 101, 105, 108, 113, 127, 239, 276, 147};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        seen s;
        hg_net_options o = test_options();
        hg_net *net = engine(&s, &o);
        for (unsigned fill = 0; fill < 256; fill += 15)
            for (size_t len = 0; len < 80; len++) {
                frame f = {.len = len};
                memset(f.data, (int)fill, len);
                give(net, 1000000, links[i], &f);
            }
        hg_net_finish(net);
        hg_net_free(net);
    }
}

static void a_fifth_layer_is_refused_and_counted(void **state)
{
    (void)state;
    frame f = {.len = 0};
    seen s;
    hg_net_options o = test_options();
    hg_net *net = engine(&s, &o);
    ethernet(&f, 0x0800);
    for (unsigned i = 0; i < 5; i++)
        ip4(&f, 4, 10 + i, 20 + i, (4 - i) * 20 + 32);
    inner_udp(&f);
    give(net, 1000000, 1, &f);
    hg_net_finish(net);
    assert_string_equal(s.weirds, "exceeded_tunnel_max_depth_in_tunnel;");
    assert_int_equal(hg_net_count(net)->tunnel_depth_exceeded, 1);
    assert_string_equal(s.conns, "");
    hg_net_free(net);
}

static void nested_frames_stop_at_the_limit_on_layers(void **state)
{
    (void)state;
    frame f = {.len = 0};
    seen s;
    hg_net_options o = test_options();
    hg_net *net = engine(&s, &o);
    for (int i = 0; i < 40; i++) {
        ethernet(&f, 0x88e7);
        add32(&f, 0);
    }
    give(net, 1000000, 1, &f);
    assert_string_equal(s.weirds, "max_packet_analyzer_depth_exceeded;");
    assert_int_equal(hg_net_count(net)->layer_depth_exceeded, 1);
    hg_net_free(net);
}

static void geneve_options_are_read_one_by_one(void **state)
{
    (void)state;
    hg_net_geneve_option option;
    hg_slice options = HG_SLICE("\x01\x08\x81\x01\xaa\xbb\xcc\xdd\x01\x08\x02\x00\x01\x08\x03\x02\xff");
    assert_true(hg_net_geneve_next(&options, &option));
    assert_int_equal(option.option_class, 0x108);
    assert_int_equal(option.type, 1);
    assert_true(option.critical);
    assert_int_equal(option.data.len, 4);
    assert_true(hg_net_geneve_next(&options, &option));
    assert_int_equal(option.type, 2);
    assert_int_equal(option.data.len, 0);
    assert_false(hg_net_geneve_next(&options, &option));
}

static void nsh_is_opened_only_outside_compat_mode(void **state)
{
    (void)state;
    for (int compat = 0; compat < 2; compat++) {
        frame f = {.len = 0};
        seen s;
        hg_net_options o = test_options();
        o.compat = compat;
        hg_net *net = engine(&s, &o);
        ethernet(&f, 0x894f);
        add(&f, "\0\x02\x01\x01\0\0\0\0", 8);
        inner_udp(&f);
        give(net, 1000000, 1, &f);
        hg_net_finish(net);
        assert_int_equal(strlen(s.conns) > 0, !compat);
        hg_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tunnel_is_opened_and_its_inner_flow_found),
        cmocka_unit_test(no_prefix_of_a_frame_is_over_read),
        cmocka_unit_test(no_link_type_over_reads_short_frames),
        cmocka_unit_test(a_fifth_layer_is_refused_and_counted),
        cmocka_unit_test(nested_frames_stop_at_the_limit_on_layers),
        cmocka_unit_test(geneve_options_are_read_one_by_one),
        cmocka_unit_test(nsh_is_opened_only_outside_compat_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
