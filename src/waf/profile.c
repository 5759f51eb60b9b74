/* The three profiles. What differs from libddwaf 2.0.1 in libddwaf 1.30.1 is listed in its own initialiser. */
#include "waf/profile.h"

#define VERSION_2 \
    .version = {2, 0, 1}, .attribute_addresses = true, .index_steps = true, .config_obfuscator = true, .max_container_size = UINT32_MAX, \
    .max_container_depth = UINT32_MAX, .max_string_length = UINT32_MAX, .evaluate_unchanged = true, \
    .final_clock_check = true, .processors_overwrite = true, .literal_empty_steps = true, \
    .hidden_ascii_heap_only = true, .lookup_size = UINT32_MAX

const hg_profile hg_profile_native = {VERSION_2};

const hg_profile hg_profile_ddwaf2 = {VERSION_2};

const hg_profile hg_profile_ddwaf1 = {
    .version = {1, 30, 1},
    .attribute_addresses = true,
    .legacy_schema = true,
    .empty_keys = true,
    .empty_phrases = true,
    .lax_numbers = true,
    .max_key_path = 20,
    .max_container_size = 256,
    .max_container_depth = 20,
    .max_string_length = 4096,
    .match_by_rules = true,
    .mistyped_maps_present = true,
    .schema_empty_keys = true,
    .missing_equals_nothing = true,
    .keep_dead_override = true,
    .pending_unchecked = true,
    .lookup_size = 256,
    .string_indices = true,
    .tags_first = true,
    .no_evaluated = true,
    .float_style = HG_FLOAT_SHORTER,
};
