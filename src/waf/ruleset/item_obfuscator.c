/* The obfuscator (waf-config 13). The two default patterns are libddwaf's, part of its public behaviour. */
#include "waf/ruleset/items.h"

#include "base/log.h"
#include "hotgate/waf.h"

#include <stdlib.h>

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

/* ---- One that belongs to no ruleset ---- */

static hg_regex *own_regex(hg_slice pattern, hg_slice fallback, bool *is_default)
{
    const hg_regex_options options = {.case_insensitive = true};
    hg_regex_error error;
    hg_regex *regex = pattern.len > 0 ? hg_regex_compile(pattern, &options, &error) : NULL;
    if (regex == NULL && pattern.len > 0)
        HG_LOG(HG_LOG_ERROR, "invalid obfuscator pattern (%s), the default is used", error.message);
    *is_default = regex == NULL || hg_slice_equal(pattern, fallback);
    return regex != NULL ? regex : hg_regex_compile(fallback, &options, &error);
}

hg_obfuscator *hg_obfuscator_new(hg_slice key_regex, hg_slice value_regex)
{
    hg_obfuscator *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    bool ignored;
    o->key = own_regex(key_regex, TEXT(default_key), &ignored);
    o->value = own_regex(value_regex, TEXT(default_value), &o->default_value);
    if (o->key != NULL && o->value != NULL)
        return o;
    hg_obfuscator_free(o);
    return NULL;
}

void hg_obfuscator_free(hg_obfuscator *o)
{
    if (o == NULL)
        return;
    hg_regex_unref(o->key);
    hg_regex_unref(o->value);
    free(o);
}
