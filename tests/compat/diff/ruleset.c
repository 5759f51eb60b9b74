/* Random rulesets: every operator, transformer, kind of exclusion, data, action and processor. */
#include "diff.h"

bool with_processors = true;

static void put_separator(hg_buffer *out, unsigned i)
{
    if (i > 0)
        hg_buffer_byte(out, ',');
}

/* ---- Conditions ---- */

static void put_key_path(rng *r, hg_buffer *out)
{
    static const char *const steps[] = {"a", "b", "k", "key", "0", "headers", "evil"};
    unsigned count = 1 + rng_below(r, 2);
    hg_buffer_append(out, HG_SLICE("\"key_path\":["));
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_string(out, hg_slice_from(PICK(r, steps)));
    }
    hg_buffer_byte(out, ']');
}

static void put_transformers(rng *r, hg_buffer *out)
{
    static const char *const names[] = {
        "lowercase", "remove_nulls", "compress_whitespace", "normalize_path", "normalize_path_win", "url_decode",
        "url_decode_iis", "css_decode", "js_decode", "html_entity_decode", "base64_decode", "base64url_decode",
        "base64_encode", "shell_unescape", "url_basename", "url_path", "url_querystring", "remove_comments",
        "unicode_normalize", "keys_only", "values_only", "removeNulls", "urlDecodeUni", "cmdLine",
    };
    unsigned count = rng_below(r, 4);
    hg_buffer_append(out, HG_SLICE("\"transformers\":["));
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_string(out, hg_slice_from(PICK(r, names)));
    }
    hg_buffer_byte(out, ']');
}

static void put_address(rng *r, const char *address, hg_buffer *out)
{
    hg_buffer_printf(out, "{\"address\":\"%s\"", address);
    if (rng_percent(r, 25)) {
        hg_buffer_byte(out, ',');
        put_key_path(r, out);
    }
    if (rng_percent(r, 25)) {
        hg_buffer_byte(out, ',');
        put_transformers(r, out);
    }
    hg_buffer_byte(out, '}');
}

static void put_inputs(rng *r, hg_buffer *out, const char *argument, unsigned max)
{
    unsigned count = 1 + rng_below(r, max);
    hg_buffer_printf(out, "\"%s\":[", argument);
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_address(r, pick_address(r), out);
    }
    hg_buffer_byte(out, ']');
}

static void put_resource(rng *r, hg_buffer *out, const char *usual)
{
    hg_buffer_append(out, HG_SLICE("\"resource\":["));
    put_address(r, rng_percent(r, 85) ? usual : pick_address(r), out);
    hg_buffer_append(out, HG_SLICE("],"));
    if (rng_percent(r, 60))
        hg_buffer_append(out, HG_SLICE("\"params\":[{\"address\":\"server.request.query\"}]"));
    else
        put_inputs(r, out, "params", 2);
}

static void put_regex(rng *r, hg_buffer *out)
{
    static const char *const patterns[] = {
        "ev.l", "(?i)evil", "^a", "a$", "\\bword\\b", "[a-z]+\\d", "(?:\\.\\./){2}", "<script", "\\w+=\\w+", ".{3,5}x",
        "(a|b)+c", "\\x{20ac}", "[^a-z]+", "(?s).*evil.*", "union\\s+select", "^$", "\\pL+", "(?m)^b", "[0-9]{13,16}",
        "k", "\\d{4}", "e?v?i?l?$", ".", "(?i)[^\\x00-\\x7f]", "/etc/(passwd|shadow)", "\\W\\W", "x*",
    };
    hg_buffer_append(out, HG_SLICE("\"regex\":"));
    put_string(out, hg_slice_from(PICK(r, patterns)));
    if (rng_percent(r, 40))
        hg_buffer_printf(out, ",\"options\":{\"case_sensitive\":%s,\"min_length\":%u}",
                         rng_percent(r, 50) ? "true" : "false", rng_below(r, 6));
}

static void put_list(rng *r, hg_buffer *out)
{
    unsigned count = rng_below(r, 5);
    hg_buffer_append(out, HG_SLICE("\"list\":["));
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_text(r, out);
    }
    hg_buffer_byte(out, ']');
}

static void put_ips(rng *r, hg_buffer *out)
{
    static const char *const ips[] = {"1.2.3.4", "10.0.0.0/8", "::1", "2001:db8::/32", "0.0.0.0/0", "::/0", "127.0.0.1/ 8",
                                      "1.2.3.4/33", "169.254.0.0/16", "x"};
    unsigned count = rng_below(r, 4);
    hg_buffer_append(out, HG_SLICE("\"list\":["));
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_string(out, hg_slice_from(PICK(r, ips)));
    }
    hg_buffer_byte(out, ']');
}

static void put_operand(rng *r, hg_buffer *out, bool all_types)
{
    static const char *const operands[] = {
        "\"type\":\"unsigned\",\"value\":42", "\"type\":\"signed\",\"value\":-1", "\"type\":\"float\",\"value\":4.5",
        "\"type\":\"unsigned\",\"value\":18446744073709551615", "\"type\":\"signed\",\"value\":5",
        "\"type\":\"string\",\"value\":\"evil\"", "\"type\":\"boolean\",\"value\":true",
        "\"type\":\"float\",\"value\":4.5,\"delta\":0.1", "\"type\":\"string\",\"value\":\"\"",
    };
    hg_buffer_append(out, hg_slice_from(operands[rng_below(r, all_types ? 9 : 5)]));
}

static const char *const scalar_operators[] = {"match_regex", "match_regex_with_checksum", "phrase_match",
                                               "exact_match", "ip_match", "equals", "greater_than", "lower_than",
                                               "is_sqli", "is_xss", "hidden_ascii_match"};

static void put_matcher(rng *r, hg_buffer *out, unsigned operator_, bool with_data)
{
    switch (operator_) {
    case 0:
        put_regex(r, out);
        break;
    case 1:
        put_regex(r, out);
        hg_buffer_append(out, HG_SLICE(",\"checksum\":\"luhn\""));
        break;
    case 2:
        put_list(r, out);
        if (rng_percent(r, 40))
            hg_buffer_append(out, HG_SLICE(",\"options\":{\"enforce_word_boundary\":true}"));
        break;
    case 3:
    case 4:
        if (with_data && rng_percent(r, 40))
            hg_buffer_printf(out, "\"data\":\"d%u\"", rng_below(r, 3));
        else if (operator_ == 3)
            put_list(r, out);
        else
            put_ips(r, out);
        break;
    case 5:
        put_operand(r, out, true);
        break;
    default:
        put_operand(r, out, false);
    }
}

static void put_scalar(rng *r, hg_buffer *out, bool with_data)
{
    unsigned operator_ = rng_percent(r, 30) ? 0 : rng_below(r, 11);
    bool negated = operator_ <= 5 && rng_percent(r, 20);
    hg_buffer_printf(out, "\"operator\":\"%s%s\",\"parameters\":{", negated ? "!" : "", scalar_operators[operator_]);
    put_matcher(r, out, operator_, with_data);
    hg_buffer_byte(out, ',');
    put_inputs(r, out, "inputs", negated ? 1 : 3);
}

static void put_ssrf_options(rng *r, hg_buffer *out)
{
    static const char *const options[] = {"authority-inspection", "path-inspection", "query-inspection",
                                          "forbid-full-url-injection", "enforce-policy-without-injection"};
    hg_buffer_append(out, HG_SLICE(",\"options\":{"));
    for (unsigned i = 0; i < 5; i++)
        hg_buffer_printf(out, "%s\"%s\":%s", i > 0 ? "," : "", options[i], rng_percent(r, i == 4 ? 20 : 50) ? "true" : "false");
    hg_buffer_byte(out, '}');
    if (rng_percent(r, 30))
        hg_buffer_append(out, HG_SLICE(",\"policy\":{\"forbidden-domains\":[\"evil.com\"],\"allowed-schemes\":[\"http\"]}"));
}

static void put_detector(rng *r, hg_buffer *out)
{
    static const struct {
        const char *name;
        const char *usual;
    } detectors[] = {{"lfi_detector", "server.io.fs.file"},     {"ssrf_detector", "server.io.net.url"},
                     {"sqli_detector", "server.db.statement"},  {"shi_detector", "server.sys.shell.cmd"},
                     {"cmdi_detector", "server.sys.exec.cmd"},  {"lfi_detector@v2", "server.io.fs.file"}};
    unsigned i = rng_below(r, 6);
    hg_buffer_printf(out, "\"operator\":\"%s\",\"parameters\":{", detectors[i].name);
    put_resource(r, out, detectors[i].usual);
    if (i == 1 && rng_percent(r, 60))
        put_ssrf_options(r, out);
    if (i == 2)
        hg_buffer_append(out, HG_SLICE(",\"db_type\":[{\"address\":\"usr.id\"}]"));
}

void put_condition(rng *r, hg_buffer *out, bool with_data)
{
    unsigned kind = rng_below(r, 20);
    hg_buffer_byte(out, '{');
    if (kind < 14) {
        put_scalar(r, out, with_data);
    } else if (kind < 16) {
        bool negated = rng_percent(r, 40);
        hg_buffer_printf(out, "\"operator\":\"%sexists\",\"parameters\":{", negated ? "!" : "");
        put_inputs(r, out, "inputs", negated ? 1 : 2);
    } else {
        put_detector(r, out);
    }
    hg_buffer_append(out, HG_SLICE("}}"));
}

static void put_conditions(rng *r, hg_buffer *out, unsigned least, unsigned most)
{
    unsigned count = least + rng_below(r, most - least + 1);
    hg_buffer_append(out, HG_SLICE("\"conditions\":["));
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_condition(r, out, true);
    }
    hg_buffer_byte(out, ']');
}

/* ---- Rules ---- */

static const char *pick_action(rng *r)
{
    static const char *const actions[] = {"block", "redir", "stack_trace", "extract_schema", "monitor", "nope", "log"};
    return PICK(r, actions);
}

static void put_on_match(rng *r, hg_buffer *out)
{
    unsigned count = rng_below(r, 3);
    hg_buffer_append(out, HG_SLICE("\"on_match\":["));
    for (unsigned i = 0; i < count; i++)
        hg_buffer_printf(out, "%s\"%s\"", i > 0 ? "," : "", pick_action(r));
    hg_buffer_byte(out, ']');
}

/* Literals, and addresses without key path: those with one are resolved wrongly by the official library when they have
 * to wait for their address. */
static void put_output(rng *r, hg_buffer *out, unsigned rule)
{
    hg_buffer_printf(out, "\"output\":{\"keep\":%s,", rng_percent(r, 70) ? "true" : "false");
    if (rng_percent(r, 30))
        hg_buffer_append(out, HG_SLICE("\"event\":false,"));
    hg_buffer_printf(out, "\"attributes\":{\"r%u.x\":{\"value\":%s}", rule,
                     PICK(r, ((const char *const[]){"5", "-5", "1.5", "\"text\"", "true"})));
    if (rng_percent(r, 60))
        hg_buffer_printf(out, ",\"r%u.y\":{\"address\":\"%s\"}", rule, pick_address(r));
    hg_buffer_append(out, HG_SLICE("}}"));
}

static void put_tags(rng *r, hg_buffer *out)
{
    static const char *const modules[] = {"network-acl", "authentication-acl", "custom-acl", "configuration",
                                          "business-logic", "rasp", "other"};
    hg_buffer_printf(out, "\"tags\":{\"type\":\"t%u\",\"category\":\"c%u\"", rng_below(r, 4), rng_below(r, 2));
    if (rng_percent(r, 35))
        hg_buffer_printf(out, ",\"module\":\"%s\"", PICK(r, modules));
    hg_buffer_byte(out, '}');
}

static void put_rule(rng *r, hg_buffer *out, unsigned id)
{
    hg_buffer_printf(out, "{\"id\":\"r%u\",\"name\":\"rule %u\",", id, id);
    put_tags(r, out);
    hg_buffer_byte(out, ',');
    put_conditions(r, out, 1, rng_percent(r, 25) ? 3 : 1);
    if (rng_percent(r, 30)) {
        hg_buffer_byte(out, ',');
        put_transformers(r, out);
    }
    if (rng_percent(r, 50)) {
        hg_buffer_byte(out, ',');
        put_on_match(r, out);
    }
    if (rng_percent(r, 20)) {
        hg_buffer_byte(out, ',');
        put_output(r, out, id);
    }
    if (rng_percent(r, 8))
        hg_buffer_append(out, HG_SLICE(",\"enabled\":false"));
    hg_buffer_byte(out, '}');
}

static void put_rules(rng *r, hg_buffer *out, const char *section, unsigned first, unsigned count)
{
    hg_buffer_printf(out, ",\"%s\":[", section);
    for (unsigned i = 0; i < count; i++) {
        put_separator(out, i);
        put_rule(r, out, first + i);
    }
    hg_buffer_byte(out, ']');
}

/* ---- The rest ---- */

static void put_actions(rng *r, hg_buffer *out)
{
    hg_buffer_append(out, HG_SLICE(",\"actions\":["));
    hg_buffer_printf(out, "{\"id\":\"redir\",\"type\":\"redirect_request\",\"parameters\":{\"location\":\"%s\","
                          "\"status_code\":%u}},",
                     PICK(r, ((const char *const[]){"/blocked", "http://h/x", "//h", "nowhere", "ftp://h"})),
                     300 + rng_below(r, 9));
    hg_buffer_append(out, HG_SLICE("{\"id\":\"log\",\"type\":\"my_log\",\"parameters\":{\"level\":3,\"x\":\"y\"}}"));
    if (rng_percent(r, 20))
        hg_buffer_append(out, HG_SLICE(",{\"id\":\"block\",\"type\":\"block_request\",\"parameters\":{\"status_code\":"
                                       "\"418\",\"type\":\"html\"}}"));
    if (rng_percent(r, 10))
        hg_buffer_append(out, HG_SLICE(",{\"id\":\"monitor\",\"type\":\"my_monitor\",\"parameters\":{}}"));
    hg_buffer_byte(out, ']');
}

static void put_data(rng *r, hg_buffer *out, const char *section)
{
    static const char *const ip_values[] = {"1.2.3.4", "10.0.0.0/8", "::1", "bad"};
    hg_buffer_printf(out, ",\"%s\":[", section);
    for (unsigned i = 0; i < 2; i++) {
        bool ip = rng_percent(r, 50);
        hg_buffer_printf(out, "%s{\"id\":\"d%u\",\"type\":\"%s_with_expiration\",\"data\":[", i > 0 ? "," : "", i,
                         ip ? "ip" : "data");
        unsigned count = 1 + rng_below(r, 3);
        for (unsigned k = 0; k < count; k++) {
            put_separator(out, k);
            hg_buffer_append(out, HG_SLICE("{\"value\":"));
            if (ip)
                put_string(out, hg_slice_from(PICK(r, ip_values)));
            else
                put_text(r, out);
            hg_buffer_printf(out, ",\"expiration\":%s}",
                             PICK(r, ((const char *const[]){"0", "5", "99999999999"})));
        }
        hg_buffer_append(out, HG_SLICE("]}"));
    }
    hg_buffer_byte(out, ']');
}

static void put_targets(rng *r, hg_buffer *out, unsigned rules)
{
    hg_buffer_append(out, HG_SLICE("\"rules_target\":["));
    if (rng_percent(r, 60))
        hg_buffer_printf(out, "{\"rule_id\":\"r%u\"}", rng_below(r, rules));
    else if (rng_percent(r, 90))
        hg_buffer_printf(out, "{\"tags\":{\"type\":\"t%u\"}}", rng_below(r, 4));
    else
        hg_buffer_printf(out, "{\"tags\":{\"category\":\"c0\"}},{\"id\":\"r%u\"}", rng_below(r, rules));
    hg_buffer_byte(out, ']');
}

static void put_filter_inputs(rng *r, hg_buffer *out)
{
    static const char *const steps[] = {"a", "b", "k", "*", "*", "key", "password", "0", "headers"};
    unsigned count = 1 + rng_below(r, 3);
    hg_buffer_append(out, HG_SLICE(",\"inputs\":["));
    for (unsigned i = 0; i < count; i++) {
        hg_buffer_printf(out, "%s{\"address\":\"%s\",\"key_path\":[", i > 0 ? "," : "", pick_address(r));
        unsigned depth = rng_below(r, 4);
        for (unsigned k = 0; k < depth; k++)
            hg_buffer_printf(out, "%s\"%s\"", k > 0 ? "," : "", PICK(r, steps));
        hg_buffer_append(out, HG_SLICE("]}"));
    }
    hg_buffer_byte(out, ']');
}

static void put_exclusions(rng *r, hg_buffer *out, unsigned rules)
{
    unsigned count = rng_below(r, 4);
    bool custom = false; /* which of several custom modes wins is not defined */
    hg_buffer_append(out, HG_SLICE(",\"exclusions\":["));
    for (unsigned i = 0; i < count; i++) {
        hg_buffer_printf(out, "%s{\"id\":\"e%u\",", i > 0 ? "," : "", i);
        put_targets(r, out, rules);
        if (rng_percent(r, 60)) {
            hg_buffer_byte(out, ',');
            put_conditions(r, out, 1, 2);
        }
        if (rng_percent(r, 50)) {
            put_filter_inputs(r, out);
        } else if (rng_percent(r, 60)) {
            bool own = !custom && rng_percent(r, 50);
            custom |= own;
            hg_buffer_printf(out, ",\"on_match\":\"%s\"", own ? pick_action(r) : "monitor");
        }
        hg_buffer_byte(out, '}');
    }
    hg_buffer_byte(out, ']');
}

static void put_overrides(rng *r, hg_buffer *out, unsigned rules)
{
    unsigned count = rng_below(r, 3);
    bool replaced = false;
    hg_buffer_append(out, HG_SLICE(",\"rules_override\":["));
    for (unsigned i = 0; i < count; i++) {
        hg_buffer_printf(out, "%s{", i > 0 ? "," : "");
        bool by_tags = i == 0 && rng_percent(r, 40);
        if (by_tags)
            hg_buffer_printf(out, "\"rules_target\":[{\"tags\":{\"type\":\"t%u\"}}]", rng_below(r, 4));
        else
            hg_buffer_printf(out, "\"id\":\"r%u\"", rng_below(r, rules));
        if (by_tags || (!replaced && rng_percent(r, 50))) { /* which of two by id wins is not defined */
            replaced = !by_tags;
            hg_buffer_byte(out, ',');
            put_on_match(r, out);
        }
        hg_buffer_printf(out, ",\"tags\":{\"added%u\":\"x\"%s}", i, rng_percent(r, 20) ? ",\"module\":\"rasp\"" : "");
        hg_buffer_byte(out, '}');
    }
    hg_buffer_byte(out, ']');
}

static void put_mapping_input(rng *r, hg_buffer *out, const char *name, const char *usual)
{
    hg_buffer_printf(out, "\"%s\":[{\"address\":\"%s\"}],", name, rng_percent(r, 85) ? usual : pick_address(r));
}

static void put_mapping(rng *r, hg_buffer *out, unsigned generator, unsigned processor)
{
    hg_buffer_byte(out, '{');
    switch (generator) {
    case 0:
    case 5:
    case 6:
        put_mapping_input(r, out, "inputs", generator == 6 ? "server.io.net.url" : pick_address(r));
        break;
    case 1:
        put_mapping_input(r, out, "method", "usr.id");
        put_mapping_input(r, out, "uri_raw", "server.request.uri.raw");
        put_mapping_input(r, out, "query", "server.request.query");
        put_mapping_input(r, out, "body", "server.request.body");
        break;
    case 2:
    case 3:
        put_mapping_input(r, out, "headers", "a.b");
        break;
    default:
        put_mapping_input(r, out, "cookies", "a.c");
        put_mapping_input(r, out, "session_id", "a.b");
        put_mapping_input(r, out, "user_id", "usr.id");
    }
    hg_buffer_printf(out, "\"output\":\"out.%u\"}", processor);
}

static void put_processors(rng *r, hg_buffer *out)
{
    static const char *const generators[] = {"extract_schema", "http_endpoint_fingerprint", "http_header_fingerprint",
                                             "http_network_fingerprint", "session_fingerprint", "jwt_decode",
                                             "uri_parse"};
    unsigned count = rng_below(r, 3);
    hg_buffer_append(out, HG_SLICE(",\"processors\":["));
    for (unsigned i = 0; i < count; i++) {
        unsigned generator = rng_below(r, 7);
        hg_buffer_printf(out, "%s{\"id\":\"p%u\",\"generator\":\"%s\",\"output\":true,\"evaluate\":%s,", i > 0 ? "," : "",
                         i, generators[generator], rng_percent(r, 40) ? "true" : "false");
        if (rng_percent(r, 25)) {
            hg_buffer_append(out, HG_SLICE("\"conditions\":["));
            put_condition(r, out, false);
            hg_buffer_append(out, HG_SLICE("],"));
        }
        hg_buffer_append(out, HG_SLICE("\"parameters\":{\"mappings\":["));
        put_mapping(r, out, generator, i);
        hg_buffer_append(out, HG_SLICE("],\"scanners\":[{\"tags\":{\"category\":\"pii\"}}]}}"));
    }
    hg_buffer_append(out, HG_SLICE("],\"scanners\":[{\"id\":\"s\",\"tags\":{\"category\":\"pii\",\"type\":\"card\"},"));
    if (rng_percent(r, 50))
        hg_buffer_append(out, HG_SLICE("\"key\":{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"k|pass\"}},"));
    hg_buffer_append(out, HG_SLICE("\"value\":{\"operator\":\"phrase_match\",\"parameters\":{\"list\":[\"evil\",\"4111\","
                                   "\"a\"]}}}]"));
}

/* A ruleset of the current schema. */
static void put_current(rng *r, hg_buffer *out)
{
    unsigned base = 1 + rng_below(r, 6), custom = rng_below(r, 3);
    hg_buffer_append(out, HG_SLICE("{\"version\":\"2.2\""));
    put_rules(r, out, "rules", 0, base);
    if (custom > 0)
        put_rules(r, out, "custom_rules", base, custom);
    if (rng_percent(r, 60))
        put_actions(r, out);
    if (rng_percent(r, 50))
        put_data(r, out, "rules_data");
    if (rng_percent(r, 30))
        put_data(r, out, "exclusion_data");
    if (rng_percent(r, 50))
        put_exclusions(r, out, base + custom);
    if (rng_percent(r, 25))
        put_overrides(r, out, base);
    if (with_processors && rng_percent(r, 40))
        put_processors(r, out);
    hg_buffer_byte(out, '}');
}

/* ---- Schema version 1 ---- */

static void put_legacy_condition(rng *r, hg_buffer *out)
{
    static const char *const operations[] = {"phrase_match", "match_regex", "is_xss", "is_sqli", "ip_match"};
    unsigned operation = rng_percent(r, 95) ? rng_below(r, 4) : 4;
    hg_buffer_printf(out, "{\"operation\":\"%s\",\"parameters\":{", operations[operation]);
    if (operation == 0)
        put_list(r, out);
    else if (operation == 1)
        put_regex(r, out);
    hg_buffer_printf(out, "%s\"inputs\":[", operation < 2 ? "," : "");
    unsigned count = rng_below(r, 4);
    for (unsigned i = 0; i < count; i++)
        hg_buffer_printf(out, "%s\"%s%s\"", i > 0 ? "," : "", pick_address(r),
                         PICK(r, ((const char *const[]){"", "", ":a", ":k", ":", ":a:b"})));
    hg_buffer_append(out, HG_SLICE("]}}"));
}

void put_legacy(rng *r, hg_buffer *out)
{
    unsigned count = 1 + rng_below(r, 3);
    hg_buffer_append(out, HG_SLICE("{\"version\":\"1.1\",\"metadata\":{\"rules_version\":\"1\"},\"events\":["));
    for (unsigned i = 0; i < count; i++) {
        hg_buffer_printf(out, "%s{\"id\":\"l%u\",\"name\":\"legacy\",\"tags\":{\"type\":\"t%u\"},", i > 0 ? "," : "", i, i);
        if (rng_percent(r, 40)) {
            put_transformers(r, out);
            hg_buffer_byte(out, ',');
        }
        hg_buffer_append(out, HG_SLICE("\"conditions\":["));
        unsigned conditions = rng_below(r, 3);
        for (unsigned k = 0; k < conditions; k++) {
            put_separator(out, k);
            put_legacy_condition(r, out);
        }
        hg_buffer_append(out, HG_SLICE("]}"));
    }
    hg_buffer_append(out, HG_SLICE("]}"));
}

void put_ruleset(rng *r, hg_buffer *out)
{
    focus_addresses(r);
    if (rng_percent(r, 4))
        put_legacy(r, out);
    else
        put_current(r, out);
}
