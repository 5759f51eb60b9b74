/* Every reply is held against what its command must be answered with. */
#include "cli/load/load.h"

#include "hotgate/msgpack.h"

static const struct {
    hg_slice name;
    size_t entries;
    hg_slice quiet; /* how a reply begins that says nothing matched */
} shapes[] = {
    [LOAD_CLIENT_INIT] = {{"client_init", 11}, 6, {NULL, 0}},
    [LOAD_REQUEST_INIT] = {{"request_init", 12}, 4, {"\x91\x92\xac" "request_init\x94\x90\x90", 18}},
    [LOAD_REQUEST_EXEC] = {{"request_exec", 12}, 4, {"\x91\x92\xac" "request_exec\x94\x90\x90", 18}},
    [LOAD_REQUEST_SHUTDOWN] = {{"request_shutdown", 16}, 6, {"\x91\x92\xb0" "request_shutdown\x96\x90\x90", 22}},
};

static bool init_right(const load_options *o, const hg_value *entries)
{
    return hg_slice_equal(hg_value_string(&entries[0]), HG_SLICE("ok")) &&
           hg_slice_equal(hg_value_string(&entries[1]), hg_slice_from(o->version)) && hg_is_array(&entries[2]) &&
           hg_is_map(&entries[3]) && hg_is_map(&entries[4]);
}

/* The strongest verdict of the actions; NULL when one is malformed. "ok" means that nothing is to be done. */
static const char *verdict_of(const hg_value *actions)
{
    static const char *const order[] = {"ok", "stack_trace", "record", "block", "redirect"};
    size_t strongest = 0;
    for (size_t i = 0; i < hg_value_size(actions); i++) {
        const hg_value *action = &hg_array_items(actions)[i];
        if (!hg_is_array(action) || hg_value_size(action) != 2 || !hg_is_map(&hg_array_items(action)[1]))
            return NULL;
        for (size_t k = 0; k < sizeof order / sizeof *order; k++)
            if (hg_slice_equal(hg_value_string(&hg_array_items(action)[0]), hg_slice_from(order[k])) && k > strongest)
                strongest = k;
    }
    return order[strongest];
}

static bool attack_right(load_expect expect, const char *verdict, size_t triggers)
{
    static const char *const wanted[] = {
        [LOAD_EXPECT_RECORD] = "record", [LOAD_EXPECT_BLOCK] = "block", [LOAD_EXPECT_REDIRECT] = "redirect"};
    if (triggers == 0)
        return false;
    if (expect == LOAD_EXPECT_ANY)
        return verdict[0] == 'r' || verdict[0] == 'b';
    return strcmp(verdict, wanted[expect]) == 0;
}

static bool verdict_right(const load_options *o, bool attack, const hg_value *entries, size_t count)
{
    if (!hg_is_array(&entries[0]) || !hg_is_array(&entries[1]) || entries[2].type != HG_BOOL || !hg_is_map(&entries[3]) ||
        (count == 6 && (!hg_is_map(&entries[4]) || !hg_is_map(&entries[5]))))
        return false;
    const char *verdict = verdict_of(&entries[0]);
    size_t triggers = hg_value_size(&entries[1]);
    if (verdict == NULL)
        return false;
    return attack ? attack_right(o->expect, verdict, triggers) : triggers == 0 && strcmp(verdict, "ok") == 0;
}

static bool starts_with(hg_slice s, hg_slice prefix)
{
    return s.len >= prefix.len && memcmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

bool load_reply_right(const load_options *o, load_command command, bool attack, hg_slice body, hg_arena *arena)
{
    size_t used;
    if (!attack && command != LOAD_CLIENT_INIT && starts_with(body, shapes[command].quiet))
        return hg_msgpack_length(body, &used) == HG_OK && used == body.len;
    const hg_msgpack_options options = {.borrow = true};
    hg_value message;
    bool right = false;
    if (hg_msgpack_read(body, &options, &message, &used, hg_arena_allocator(arena)) == HG_OK && used == body.len &&
        hg_is_array(&message) && hg_value_size(&message) == 1) {
        const hg_value *reply = hg_array_items(&message);
        const hg_value *parts = hg_is_array(reply) && hg_value_size(reply) == 2 ? hg_array_items(reply) : NULL;
        if (parts != NULL && hg_slice_equal(hg_value_string(&parts[0]), shapes[command].name) && hg_is_array(&parts[1]) &&
            hg_value_size(&parts[1]) == shapes[command].entries) {
            const hg_value *entries = hg_array_items(&parts[1]);
            right = command == LOAD_CLIENT_INIT ? init_right(o, entries)
                                                : verdict_right(o, attack, entries, shapes[command].entries);
        }
    }
    hg_arena_reset(arena);
    return right;
}
