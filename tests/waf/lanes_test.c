/* Lanes: places that rules look at share pattern sets, and still find only what their own rules look for. */
#include "judge.h"

#include "waf/plan/lanes.h"

/* A rule that looks for pN at an address. */
static void put_rule(hg_buffer *out, const char *address, unsigned n)
{
    hg_buffer_printf(out,
                     "%s{\"id\":\"%s%u\",\"name\":\"n\",\"tags\":{\"type\":\"%s%u\"},\"conditions\":[{\"operator\":"
                     "\"match_regex\",\"parameters\":{\"inputs\":[{\"address\":\"%s\"}],\"regex\":\"p%u[a-c]+\"}}]}",
                     out->len > 0 ? "," : "", address, n, address, n, address, n);
}

static void put_rules(hg_buffer *out, const char *address, unsigned first, unsigned end)
{
    for (unsigned n = first; n < end; n++)
        put_rule(out, address, n);
}

static const hg_regex_set *set_of(const hg_waf *waf, const char *address)
{
    const hg_lanes *lanes = waf->plan.lanes;
    for (uint32_t i = 0; i < lanes->count; i++)
        if (hg_slice_equal(waf->plan.addresses.names[lanes->lanes[i].address], hg_slice_from(address)))
            return lanes->lanes[i].set;
    return NULL;
}

static hg_waf *load(hg_buffer *rules)
{
    hg_buffer_byte(rules, '\0');
    assert_false(rules->failed);
    hg_waf *waf = judge_load(rules->ptr, "");
    hg_buffer_free(rules);
    return waf;
}

static void lanes_with_nearly_the_same_patterns_share_a_set(void **state)
{
    (void)state;
    hg_buffer rules = {0};
    put_rules(&rules, "a", 10, 40);
    put_rules(&rules, "b", 12, 42);
    put_rules(&rules, "c", 10, 20); /* a third of the patterns only */
    put_rules(&rules, "d", 60, 90); /* none of them */
    hg_waf *waf = load(&rules);
    assert_non_null(set_of(waf, "a"));
    assert_ptr_equal(set_of(waf, "a"), set_of(waf, "b"));
    assert_ptr_not_equal(set_of(waf, "a"), set_of(waf, "c"));
    assert_ptr_not_equal(set_of(waf, "a"), set_of(waf, "d"));
    hg_waf_unref(waf);
}

static void small_sets_are_joined_when_they_overlap(void **state)
{
    (void)state;
    hg_buffer rules = {0};
    put_rules(&rules, "a", 10, 15);
    put_rules(&rules, "b", 14, 16);
    put_rules(&rules, "c", 50, 52);
    hg_waf *waf = load(&rules);
    assert_ptr_equal(set_of(waf, "a"), set_of(waf, "b"));
    assert_ptr_not_equal(set_of(waf, "a"), set_of(waf, "c"));
    hg_waf_unref(waf);
}

static void patterns_of_other_lanes_in_a_shared_set_are_of_no_interest(void **state)
{
    (void)state;
    hg_buffer rules = {0};
    put_rules(&rules, "a", 10, 40);
    put_rules(&rules, "b", 12, 42);
    hg_waf *waf = load(&rules);
    hg_context *context = hg_context_new(waf);
    assert_string_equal(judge_events(judge(context, "{\"a\":\"p41abc p10a\",\"b\":\"p10a p41c p12b\"}")), "a10,b12,b41");
    hg_context_free(context);
    hg_waf_unref(waf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JUDGE_TEST(lanes_with_nearly_the_same_patterns_share_a_set),
        JUDGE_TEST(small_sets_are_joined_when_they_overlap),
        JUDGE_TEST(patterns_of_other_lanes_in_a_shared_set_are_of_no_interest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
