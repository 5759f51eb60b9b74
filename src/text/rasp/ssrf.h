/* Server-side request forgery: does a parameter decide where a request goes? */
#ifndef HG_TEXT_SSRF_H
#define HG_TEXT_SSRF_H

#include "text/exact.h"
#include "text/ipset.h"
#include "text/uri.h"

enum { HG_SSRF_PARAM_MIN = 4 };

typedef struct hg_ssrf_options {
    bool authority_inspection;
    bool path_inspection;
    bool query_inspection;
    bool forbid_full_url_injection;
    bool enforce_policy_without_injection;
} hg_ssrf_options;

/* What libddwaf assumes when nothing is configured. */
extern const hg_ssrf_options hg_ssrf_default_options;
extern const hg_slice hg_ssrf_default_schemes[];
extern const size_t hg_ssrf_default_scheme_count;
extern const hg_slice hg_ssrf_default_domains[];
extern const size_t hg_ssrf_default_domain_count;
extern const hg_slice hg_ssrf_default_ips[];
extern const size_t hg_ssrf_default_ip_count;

typedef struct hg_ssrf_policy {
    hg_ssrf_options options;
    const hg_exact *schemes;  /* allowed */
    const hg_slice *domains;  /* forbidden ends of host names */
    size_t domain_count;
    const hg_ipset *ips;      /* forbidden */
} hg_ssrf_policy;

/* A URL with what the policy says of it. */
typedef struct hg_ssrf_target {
    hg_slice url;
    hg_uri uri;
    bool scheme_allowed;
    bool ip_forbidden;
    hg_slice forbidden_domain; /* the entry that the host ends with; empty: none */
} hg_ssrf_target;

/* False when url is no URI. O(url.len + domains). */
bool hg_ssrf_target_init(hg_ssrf_target *t, const hg_ssrf_policy *policy, hg_slice url);

/* Does the policy forbid the target by itself? */
bool hg_ssrf_is_forbidden(const hg_ssrf_target *t);

/* What can be said of a parameter whatever its position. Linear in param. */
typedef struct hg_ssrf_param {
    hg_slice text;
    bool names_domain;   /* contains the forbidden domain */
    bool hides_slash;    /* contains %2f or %5c in any case */
    size_t slash;        /* the first one; SIZE_MAX: none */
    size_t question;     /* the same for ? */
    bool has_ampersand;
} hg_ssrf_param;

hg_ssrf_param hg_ssrf_param_of(const hg_ssrf_target *t, hg_slice param);

typedef enum hg_ssrf_finding {
    HG_SSRF_NOTHING,
    HG_SSRF_INJECTION,
    HG_SSRF_CANDIDATE, /* an injection unless the whole URL turns out to be a parameter of the same object */
    HG_SSRF_WHOLE_URL  /* the parameter is the URL and that is allowed: the object is no source of injections */
} hg_ssrf_finding;

/* Judges an occurrence of the parameter at position `at` of the URL. O(1) but for parameters with "..". */
hg_ssrf_finding hg_ssrf_judge(const hg_ssrf_target *t, const hg_ssrf_policy *policy, const hg_ssrf_param *param,
                              size_t at);

#endif
