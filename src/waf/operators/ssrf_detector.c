/* ssrf_detector: a parameter decides where a request goes (waf-operators 12.2). */
#include "waf/operators/hunt.h"

#include "text/rasp/ssrf.h"
#include "waf/ruleset/reader.h"

static bool read_options(hg_reader *r, const hg_table *parameters, hg_ssrf_options *options)
{
    hg_table table = {NULL};
    if (!hg_read_optional(r, parameters, HG_SLICE("options"), hg_cast_table, &table))
        return false;
    if (table.map == NULL)
        return true;
    return hg_read_optional(r, &table, HG_SLICE("authority-inspection"), hg_cast_bool,
                            &options->authority_inspection) &&
           hg_read_optional(r, &table, HG_SLICE("path-inspection"), hg_cast_bool, &options->path_inspection) &&
           hg_read_optional(r, &table, HG_SLICE("query-inspection"), hg_cast_bool, &options->query_inspection) &&
           hg_read_optional(r, &table, HG_SLICE("forbid-full-url-injection"), hg_cast_bool,
                            &options->forbid_full_url_injection) &&
           hg_read_optional(r, &table, HG_SLICE("enforce-policy-without-injection"), hg_cast_bool,
                            &options->enforce_policy_without_injection);
}

typedef struct lists {
    hg_slices schemes;
    hg_slices domains;
    hg_slices ips;
} lists;

static bool read_policy(hg_reader *r, const hg_table *parameters, lists *l)
{
    hg_table table = {NULL};
    if (!hg_read_optional(r, parameters, HG_SLICE("policy"), hg_cast_table, &table))
        return false;
    if (table.map == NULL)
        return true;
    return hg_read_optional_untied(r, &table, HG_SLICE("allowed-schemes"), hg_cast_strings, &l->schemes) &&
           hg_read_optional_untied(r, &table, HG_SLICE("forbidden-domains"), hg_cast_strings, &l->domains) &&
           hg_read_optional_untied(r, &table, HG_SLICE("forbidden-ips"), hg_cast_views, &l->ips);
}

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)data;
    lists l = {{hg_ssrf_default_schemes, (uint32_t)hg_ssrf_default_scheme_count},
               {hg_ssrf_default_domains, (uint32_t)hg_ssrf_default_domain_count},
               {hg_ssrf_default_ips, (uint32_t)hg_ssrf_default_ip_count}};
    hg_ssrf_policy *policy = HG_READ_NEW(r, hg_ssrf_policy, 1);
    if (policy == NULL)
        return false;
    policy->options = hg_ssrf_default_options;
    if (!read_options(r, parameters, &policy->options) || !read_policy(r, parameters, &l))
        return false;
    policy->schemes = hg_exact_build(l.schemes.items, NULL, l.schemes.count, r->arena);
    policy->ips = hg_ipset_build(l.ips.items, NULL, l.ips.count, r->arena);
    policy->domains = l.domains.items;
    policy->domain_count = l.domains.count;
    m->params = policy;
    return (policy->schemes != NULL && policy->ips != NULL) || hg_read_nomem(r);
}

/* Judges the parameters of one object. True: the answer is filled in. */
static bool hunt(const hg_ssrf_target *target, const hg_ssrf_policy *policy, hg_hunt *h)
{
    hg_ssrf_param param = {.text = {NULL, 0}};
    hg_slice candidate = {NULL, 0};
    size_t at;
    while (hg_hunt_next(h, &at)) {
        hg_slice text = hg_hunt_param(h);
        if (param.text.ptr != text.ptr || param.text.len != text.len)
            param = hg_ssrf_param_of(target, text);
        switch (hg_ssrf_judge(target, policy, &param, at)) {
        case HG_SSRF_INJECTION:
            return hg_hunt_report(h, target->url);
        case HG_SSRF_WHOLE_URL:
            return false;
        case HG_SSRF_CANDIDATE:
            if (candidate.len == 0) {
                candidate = text;
                hg_hunt_report(h, target->url);
            }
            break;
        case HG_SSRF_NOTHING:
            break;
        }
    }
    return candidate.len > 0 && !h->stopped;
}

static bool detect(const void *params, hg_detect *d)
{
    const hg_ssrf_policy *policy = params;
    hg_ssrf_target target;
    if (!hg_ssrf_target_init(&target, policy, hg_value_string(d->resource)))
        return false;
    if (policy->options.enforce_policy_without_injection && hg_ssrf_is_forbidden(&target)) {
        d->resource_text = target.url;
        d->param = (hg_slice){NULL, 0};
        d->highlight = target.uri.origin;
        return true;
    }
    for (size_t object = 0; object < d->object_count; object++) {
        hg_hunt h = hg_hunt_start(d, target.url, HG_SSRF_PARAM_MIN, object);
        if (hunt(&target, policy, &h))
            return true;
        d->marked = false;
        if (h.stopped)
            return false;
    }
    return false;
}

const hg_operator hg_operator_ssrf_detector = {
    .name = HG_SLICE("ssrf_detector"),
    .kind = HG_OPERATOR_DETECTOR,
    .max_version = 3,
    .arguments = {{HG_SLICE("resource"), false, HG_ARGUMENT_STRING}, {HG_SLICE("params"), true, HG_ARGUMENT_ANY}},
    .read = read,
    .detect = detect,
};
