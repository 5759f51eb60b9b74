#include "waf/operators/regex_params.h"

#include "text/checksum.h"

typedef struct regex_options {
    int64_t min_length;
    bool case_sensitive;
} regex_options;

static bool read_options(hg_reader *r, const hg_table *parameters, regex_options *out)
{
    hg_table options = {NULL};
    if (!hg_read_optional(r, parameters, HG_SLICE("options"), hg_cast_table, &options))
        return false;
    if (options.map == NULL)
        return true;
    if (!hg_read_optional(r, &options, HG_SLICE("min_length"), hg_cast_signed, &out->min_length))
        return false;
    if (out->min_length < 0)
        return HG_READ_ERROR(r, hg_table_find(&options, HG_SLICE("min_length")),
                             HG_SLICE("min_length is a negative number"));
    return hg_read_optional(r, &options, HG_SLICE("case_sensitive"), hg_cast_bool, &out->case_sensitive);
}

static bool read_checksum(hg_reader *r, const hg_table *parameters, hg_regex_params *out)
{
    hg_slice name;
    if (!hg_read(r, parameters, HG_SLICE("checksum"), hg_cast_view, &name))
        return false;
    if (!hg_slice_equal(name, HG_SLICE("luhn")))
        return HG_READ_ERROR(r, hg_table_find(parameters, HG_SLICE("checksum")),
                             HG_SLICE("unknown checksum algorithm: '"), name, HG_SLICE("'"));
    out->checksum = hg_checksum_luhn;
    return true;
}

bool hg_read_regex_params(hg_reader *r, const hg_table *parameters, bool with_checksum, hg_matcher *m)
{
    hg_regex_params *params = HG_READ_NEW(r, hg_regex_params, 1);
    regex_options options = {0, false};
    hg_slice pattern;
    if (params == NULL || !hg_read(r, parameters, HG_SLICE("regex"), hg_cast_string, &pattern) ||
        !read_options(r, parameters, &options) || (with_checksum && !read_checksum(r, parameters, params)))
        return false;
    hg_regex_error error;
    params->min_length = (size_t)options.min_length;
    params->case_sensitive = options.case_sensitive;
    params->regex = hg_read_regex(r, pattern, !options.case_sensitive, &error);
    m->params = params;
    return params->regex != NULL || HG_READ_ERROR(r, hg_table_find(parameters, HG_SLICE("regex")),
                                                  HG_SLICE("invalid regular expression: "), error.argument);
}

hg_slice hg_regex_params_shown(const void *params)
{
    return hg_regex_pattern(((const hg_regex_params *)params)->regex);
}
