/* The obfuscator (waf-config 13). The two default patterns are libddwaf's, part of its public behaviour. */
#include "waf/ruleset/items.h"

#include "base/log.h"

static const char default_key[] =
    "(?i)pass|pw(?:or)?d|secret|(?:api|private|public|access)[_-]?key|token|consumer[_-]?(?:id|key|secret)|"
    "sign(?:ed|ature)|bearer|authorization|jsessionid|phpsessid|asp\\.net[_-]sessionid|sid|jwt";

static const char default_value[] =
    "(?i)(?:p(?:ass)?w(?:or)?d|pass(?:[_-]?phrase)?|secret(?:[_-]?key)?|(?:(?:api|private|public|access)[_-]?)"
    "key(?:[_-]?id)?|(?:(?:auth|access|id|refresh)[_-]?)?token|consumer[_-]?(?:id|key|secret)|sign(?:ed|ature)?|"
    "auth(?:entication|orization)?|jsessionid|phpsessid|asp\\.net(?:[_-]|-)sessionid|sid|jwt)(?:\\s*=([^;&]+)|\"\\s*:"
    "\\s*(\"[^\"]+\"|\\d+))|bearer\\s+([a-z0-9\\._\\-]+)|token\\s*:\\s*([a-z0-9]{13})|gh[opsu]_([0-9a-zA-Z]{36})|"
    "ey[I-L][\\w=-]+\\.(ey[I-L][\\w=-]+(?:\\.[\\w.+\\/=-]+)?)|[\\-]{5}BEGIN[a-z\\s]+PRIVATE\\sKEY[\\-]{5}([^\\-]+)"
    "[\\-]{5}END[a-z\\s]+PRIVATE\\sKEY|ssh-rsa\\s*([a-z0-9\\/\\.+]{100,})";

#define TEXT(array) ((hg_slice){array, sizeof(array) - 1})

static bool compile(hg_reader *r, hg_slice pattern, hg_slice fallback, hg_regex **out, bool *is_default)
{
    *out = NULL;
    if (pattern.len == 0)
        return true;
    hg_regex_error error;
    *out = hg_read_regex(r, pattern, true, &error);
    *is_default = *out == NULL || hg_slice_equal(pattern, fallback);
    if (*out == NULL && r->failure == HG_FAILURE_NONE) {
        HG_LOG(HG_LOG_ERROR, "invalid obfuscator pattern (%s), the default is used", error.message);
        *out = hg_read_regex(r, fallback, true, &error);
    }
    return *out != NULL || hg_read_nomem(r);
}

bool hg_read_obfuscator(hg_reader *r, hg_slice key, hg_slice value, hg_obfuscator *out)
{
    bool ignored;
    return compile(r, key, TEXT(default_key), &out->key, &ignored) &&
           compile(r, value, TEXT(default_value), &out->value, &out->default_value);
}

bool hg_read_obfuscator_section(hg_reader *r, const hg_value *section, const hg_obfuscator **out)
{
    hg_table table;
    hg_slice key = TEXT(default_key);
    hg_slice value = TEXT(default_value);
    hg_obfuscator *obfuscator = HG_READ_NEW(r, hg_obfuscator, 1);
    if (obfuscator == NULL || !hg_cast_table(r, section, &table) ||
        !hg_read_optional(r, &table, HG_SLICE("key_regex"), hg_cast_view, &key) ||
        !hg_read_optional(r, &table, HG_SLICE("value_regex"), hg_cast_view, &value) ||
        !hg_read_obfuscator(r, key, value, obfuscator))
        return false;
    *out = obfuscator;
    return true;
}
