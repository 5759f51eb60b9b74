/* What the detectors of injections at run time stand on: SQL and shell tokens cover parts of the text in order, URIs
 * are made of parts of theirs, and judging any occurrence is safe. The first two bytes say where the parameter lies. */
#include "guard.h"
#include "text/rasp/lfi.h"
#include "text/rasp/occurrences.h"
#include "text/rasp/shell_injection.h"
#include "text/rasp/sql_injection.h"
#include "text/rasp/ssrf.h"

static void check_sql(hg_slice text, size_t begin, size_t end, hg_arena *arena)
{
    for (int dialect = HG_SQL_GENERIC; dialect <= HG_SQL_SQLITE; dialect++) {
        hg_sql_statement s;
        if (hg_sql_statement_init(&s, text, (hg_sql_dialect)dialect, arena) != HG_OK)
            continue;
        size_t before = 0;
        for (size_t i = 0; i < s.count; i++) {
            const hg_sql_token *t = &s.tokens[i];
            if (t->at < before || t->len == 0 || t->at + t->prefix + t->len > text.len)
                abort();
            before = t->at + t->prefix + t->len;
        }
        hg_sql_is_injected(&s, begin, end);
        if (hg_sql_redacted(&s, arena).len > text.len)
            abort();
    }
}

static void check_shell(hg_slice text, size_t begin, size_t end, hg_arena *arena)
{
    hg_shell_line line;
    if (hg_shell_line_init(&line, text, arena) != HG_OK)
        abort();
    size_t before = 0;
    for (size_t i = 0; i < line.count; i++) {
        const hg_shell_token *t = &line.tokens[i];
        if (t->type == HG_SHELL_BLANK || t->at < before || t->len == 0 || t->at + t->len > text.len)
            abort();
        before = t->at + t->len;
    }
    hg_shell_is_injected(&line, begin, end);
}

static void check_part(hg_slice text, hg_slice part)
{
    if (part.len > 0 && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len))
        abort();
}

static void check_url(hg_slice text, hg_slice param, size_t at, hg_arena *arena)
{
    hg_ssrf_policy policy = {.options = {true, true, true, true, false}};
    policy.schemes = hg_exact_build(hg_ssrf_default_schemes, NULL, hg_ssrf_default_scheme_count, arena);
    policy.domains = hg_ssrf_default_domains;
    policy.domain_count = hg_ssrf_default_domain_count;
    policy.ips = hg_ipset_build(hg_ssrf_default_ips, NULL, hg_ssrf_default_ip_count, arena);
    hg_ssrf_target target;
    if (!hg_ssrf_target_init(&target, &policy, text))
        return;
    const hg_uri *u = &target.uri;
    const hg_slice parts[] = {u->scheme, u->userinfo, u->host, u->path, u->query, u->fragment, u->origin};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_part(text, parts[i]);
    hg_ssrf_is_forbidden(&target);
    hg_ssrf_param p = hg_ssrf_param_of(&target, param);
    hg_ssrf_judge(&target, &policy, &p, at);
}

static void check_occurrences(hg_slice text, hg_slice param, hg_arena *arena)
{
    hg_occurrences o = hg_occurrences_of(param, text, arena);
    size_t at, next = 0;
    while (hg_occurrences_next(&o, &at)) {
        if (at < next || memcmp(text.ptr + at, param.ptr, param.len) != 0)
            abort();
        next = at + 1;
    }
    hg_occurrences_end(&o);
    if (next == 0) /* it is a part of the text */
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    hg_slice text = guard(data + 2, size - 2);
    if (text.len == 0)
        return 0;
    size_t begin = data[0] % text.len;
    size_t end = begin + 1 + data[1] % (text.len - begin);
    hg_slice param = hg_slice_of(text.ptr + begin, end - begin);
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    check_sql(text, begin, end, &arena);
    check_shell(text, begin, end, &arena);
    check_url(text, param, begin, &arena);
    check_occurrences(text, param, &arena);
    hg_lfi_is_injected(text, param);
    hg_arena_close(&arena);
    return 0;
}
