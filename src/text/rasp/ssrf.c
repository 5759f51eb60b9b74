#include "text/rasp/ssrf.h"

#include "text/bytes.h"

const hg_ssrf_options hg_ssrf_default_options = {.authority_inspection = true};

const hg_slice hg_ssrf_default_schemes[] = {HG_SLICE("https"), HG_SLICE("http"), HG_SLICE("ftps"), HG_SLICE("ftp")};
const size_t hg_ssrf_default_scheme_count = sizeof hg_ssrf_default_schemes / sizeof hg_ssrf_default_schemes[0];

const hg_slice hg_ssrf_default_domains[] = {
    HG_SLICE("metadata.google"), HG_SLICE("burpcollaborator.net"), HG_SLICE(".local"),    HG_SLICE(".internal"),
    HG_SLICE("ram.aliyuncs.com"), HG_SLICE("ifconfig.pro"),        HG_SLICE("localhost"), HG_SLICE("localtest.me")};
const size_t hg_ssrf_default_domain_count = sizeof hg_ssrf_default_domains / sizeof hg_ssrf_default_domains[0];

const hg_slice hg_ssrf_default_ips[] = {
    HG_SLICE("169.254.0.0/16"), HG_SLICE("127.0.0.1/32"),  HG_SLICE("10.0.0.0/8"), HG_SLICE("172.16.0.0/12"),
    HG_SLICE("192.168.0.0/16"), HG_SLICE("100.64.0.0/10"), HG_SLICE("::1/128"),    HG_SLICE("fc00::/7"),
    HG_SLICE("fe80::/10"),      HG_SLICE("2001:db8:1234:1a00::/56")};
const size_t hg_ssrf_default_ip_count = sizeof hg_ssrf_default_ips / sizeof hg_ssrf_default_ips[0];

bool hg_ssrf_target_init(hg_ssrf_target *t, const hg_ssrf_policy *policy, hg_slice url)
{
    *t = (hg_ssrf_target){.url = url};
    if (!hg_uri_parse(url, &t->uri))
        return false;
    t->scheme_allowed = t->uri.scheme.len > 0 && hg_exact_find(policy->schemes, t->uri.scheme) != HG_ABSENT;
    t->ip_forbidden = t->uri.host_is_ip && hg_ipset_find(policy->ips, t->uri.ip) != HG_ABSENT;
    for (size_t i = 0; i < policy->domain_count && t->forbidden_domain.len == 0; i++)
        if (hg_ends_with(t->uri.host, policy->domains[i]))
            t->forbidden_domain = policy->domains[i];
    return true;
}

bool hg_ssrf_is_forbidden(const hg_ssrf_target *t)
{
    return !t->scheme_allowed || t->forbidden_domain.len > 0 || t->ip_forbidden;
}

static bool hides_slash(hg_slice s)
{
    for (size_t r = hg_find_byte(s, 0, '%'); r + 2 < s.len; r = hg_find_byte(s, r + 1, '%')) {
        char high = s.ptr[r + 1];
        char low = s.ptr[r + 2] | 0x20;
        if ((high == '2' && low == 'f') || (high == '5' && low == 'c'))
            return true;
    }
    return false;
}

static size_t find_or_never(hg_slice s, uint8_t byte)
{
    size_t at = hg_find_byte(s, 0, byte);
    return at < s.len ? at : SIZE_MAX;
}

hg_ssrf_param hg_ssrf_param_of(const hg_ssrf_target *t, hg_slice param)
{
    return (hg_ssrf_param){
        .text = param,
        .names_domain = t->forbidden_domain.len > 0 && hg_find(param, 0, t->forbidden_domain) != SIZE_MAX,
        .hides_slash = hides_slash(param),
        .slash = find_or_never(param, '/'),
        .question = find_or_never(param, '?'),
        .has_ampersand = hg_find_byte(param, 0, '&') < param.len,
    };
}

/* The parameter at `at` touches the authority. */
static bool decides_authority(const hg_ssrf_target *t, const hg_ssrf_policy *policy, const hg_ssrf_param *param,
                              size_t at)
{
    const hg_uri *u = &t->uri;
    size_t end = at + param->text.len;
    if (u->authority_at == HG_URI_NOWHERE || at < u->authority_at || at >= u->origin.len)
        return false;
    if (end - 1 > u->origin.len)
        return true;
    if (at <= u->host_at && end >= u->host_at + u->host.len && t->ip_forbidden)
        return true;
    return param->names_domain && !policy->options.enforce_policy_without_injection;
}

/* A part ".." of the path that the parameter, which is at `at`, brings with it. */
static bool climbs(hg_slice url, hg_slice param, size_t at, size_t path_end)
{
    for (size_t r = 0; (r = hg_find(param, r, HG_SLICE(".."))) != SIZE_MAX; r += 2) {
        size_t dots = at + r;
        if (dots >= path_end)
            return false;
        if (dots > 0 && dots + 2 < url.len && url.ptr[dots - 1] == '/' && url.ptr[dots + 2] == '/')
            return true;
    }
    return false;
}

typedef enum answer { NO, YES, GO_ON } answer;

static answer decides_path(const hg_ssrf_target *t, const hg_ssrf_param *param, size_t at)
{
    size_t length = param->text.len;
    size_t begin = t->uri.path_at;
    size_t path_end = begin + t->uri.path.len;
    if (length == t->uri.path.len)
        return NO;
    if (t->uri.path.ptr[0] == '/' && at == begin + 1 && length == t->uri.path.len - 1)
        return NO;
    if (at < path_end && at + length > begin && param->hides_slash)
        return YES;
    if (param->slash != SIZE_MAX && at + param->slash < path_end && climbs(t->url, param->text, at, path_end))
        return YES;
    return at < path_end && at + length == t->url.len ? NO : GO_ON;
}

static bool decides_query(const hg_ssrf_target *t, const hg_ssrf_param *param, size_t at)
{
    size_t begin = t->uri.query_at;
    size_t end = at + param->text.len;
    if (param->question != SIZE_MAX && at + param->question == begin - 1)
        return end == t->url.len || t->url.ptr[end] != '&';
    if (end <= begin - 1 || at >= begin + t->uri.query.len)
        return false;
    return param->has_ampersand;
}

static bool decides_rest(const hg_ssrf_target *t, const hg_ssrf_options *options, const hg_ssrf_param *param,
                         size_t at)
{
    if (options->path_inspection && t->uri.path.len > 0) {
        answer a = decides_path(t, param, at);
        if (a != GO_ON)
            return a == YES;
    }
    return options->query_inspection && t->uri.query.len > 0 && decides_query(t, param, at);
}

hg_ssrf_finding hg_ssrf_judge(const hg_ssrf_target *t, const hg_ssrf_policy *policy, const hg_ssrf_param *param,
                              size_t at)
{
    const hg_ssrf_options *options = &policy->options;
    if (param->text.len == t->url.len)
        return options->forbid_full_url_injection ? HG_SSRF_INJECTION : HG_SSRF_WHOLE_URL;
    if (options->authority_inspection && decides_authority(t, policy, param, at))
        return HG_SSRF_INJECTION;
    if (t->uri.scheme.len > 0 && at == 0 && param->text.len > t->uri.scheme.len && !t->scheme_allowed)
        return HG_SSRF_INJECTION;
    return decides_rest(t, options, param, at) ? HG_SSRF_CANDIDATE : HG_SSRF_NOTHING;
}
