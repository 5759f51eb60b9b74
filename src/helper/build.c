#include "helper/build.h"

#include "helper/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char OBFUSCATOR_PATH[] = "datadog/0/ASM_DD/0/config", RULES_PATH[] = "initial_ruleset";
enum { RULES_FILE_MAX = 64 << 20 };

/* What loading the rules said. */
typedef struct outcome {
    char *version;
    size_t loaded, failed;
    char *errors;
} outcome;

static void fail(service *s, const char *what, const char *detail)
{
    char text[512];
    snprintf(text, sizeof text, "%s: %s", what, detail);
    free(s->failure);
    s->failure = strdup(text);
    atomic_store(&s->state, SERVICE_FAILED);
}

static hg_status read_file(const char *path, hg_arena *arena, hg_slice *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return HG_ERR_IO;
    hg_status status = HG_ERR_IO;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= RULES_FILE_MAX) {
        char *text = hg_arena_alloc(arena, (size_t)st.st_size, 1);
        ssize_t got = text ? read(fd, text, (size_t)st.st_size) : -1;
        if (got == st.st_size) {
            *out = hg_slice_of(text, (size_t)got);
            status = HG_OK;
        }
    }
    close(fd);
    return status;
}

static size_t ids_of(const hg_value *section, hg_slice list)
{
    const hg_value *ids = hg_map_find(section, list);
    return ids ? hg_value_size(ids) : 0;
}

static void note_outcome(const hg_value *diagnostics, const char *version, outcome *o)
{
    *o = (outcome){.errors = NULL};
    const hg_value *label = hg_map_find(diagnostics, HG_SLICE("ruleset_version"));
    hg_slice text = label ? hg_value_string(label) : hg_slice_from(version);
    o->version = strndup(text.len ? text.ptr : "", text.len);
    const hg_value *rules = hg_map_find(diagnostics, HG_SLICE("rules"));
    hg_buffer errors = {0};
    if (rules != NULL) {
        o->loaded = ids_of(rules, HG_SLICE("loaded"));
        o->failed = ids_of(rules, HG_SLICE("failed"));
        const hg_value *list = hg_map_find(rules, HG_SLICE("errors"));
        if (list != NULL)
            hg_json_write(list, 0, &errors);
    }
    o->errors = errors.len > 0 && !errors.failed ? strndup(errors.ptr, errors.len) : strdup("{}");
    hg_buffer_free(&errors);
}

static void outcome_free(outcome *o)
{
    free(o->version);
    free(o->errors);
}

/* Puts the obfuscator's configuration under its path; nothing given means libddwaf's defaults. */
static hg_status set_obfuscator(service *s, hg_arena *arena)
{
    hg_value root;
    const hg_allocator *a = hg_arena_allocator(arena);
    hg_status status = hg_set_map(&root, 1, a);
    hg_value *obfuscator = status == HG_OK ? hg_map_append_literal(&root, HG_SLICE("obfuscator"), a) : NULL;
    if (obfuscator == NULL || hg_set_map(obfuscator, 2, a) != HG_OK)
        return HG_ERR_NOMEM;
    const hg_slice regexes[] = {s->settings.key_regex, s->settings.value_regex};
    for (int i = 0; i < 2; i++) {
        if (regexes[i].len == 0)
            continue;
        hg_value *slot = hg_map_append_literal(obfuscator, i ? HG_SLICE("value_regex") : HG_SLICE("key_regex"), a);
        if (slot == NULL)
            return HG_ERR_NOMEM;
        hg_set_literal(slot, regexes[i]);
    }
    return hg_builder_set(s->builder, hg_slice_from(OBFUSCATOR_PATH), &root, NULL, a);
}

/* Loads rules (JSON text) under the initial path. */
static hg_status set_rules(service *s, hg_slice text, const char *version, hg_arena *arena, outcome *o)
{
    hg_value tree, diagnostics;
    hg_json_options options = {.dialect = HG_JSON_DDWAF};
    const hg_allocator *a = hg_arena_allocator(arena);
    hg_status status = hg_json_read(text, &options, &tree, a, NULL);
    if (status != HG_OK)
        return status;
    hg_set_null(&diagnostics);
    status = hg_builder_set(s->builder, hg_slice_from(RULES_PATH), &tree, &diagnostics, a);
    note_outcome(&diagnostics, version, o);
    return status;
}

static generation *make_generation(service *s, outcome *o)
{
    hg_waf *waf = hg_builder_build(s->builder, NULL);
    generation *g = waf ? calloc(1, sizeof *g) : NULL;
    if (g == NULL || o->version == NULL || o->errors == NULL) {
        hg_waf_unref(waf);
        free(g);
        return NULL;
    }
    *g = (generation){.waf = waf, .rules_version = o->version, .loaded = o->loaded, .failed = o->failed,
                      .errors = o->errors, .enabled = remote_enables(s->remote), .user_mode = remote_user_mode(s->remote)};
    o->version = o->errors = NULL;
    atomic_init(&g->references, 1);
    return g;
}

void build_service(service *s, hg_slice rules, const char *version)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    outcome o = {0};
    hg_slice text = rules;
    bool from_file = s->settings.rules_file.len > 0;
    if (from_file && read_file(s->settings.rules_file.ptr, &arena, &text) != HG_OK) {
        fail(s, s->settings.rules_file.ptr, errno ? strerror(errno) : "cannot be read");
    } else if ((s->builder = hg_builder_new()) == NULL || set_obfuscator(s, &arena) == HG_ERR_NOMEM) {
        fail(s, "rules", "out of memory");
    } else if (set_rules(s, text, version, &arena, &o) != HG_OK) {
        fail(s, from_file ? s->settings.rules_file.ptr : "rules", "no usable rules");
    } else {
        if (s->settings.remote_enabled && s->settings.remote_path.len > 0) {
            s->remote = remote_new(s->settings.remote_path);
            remote_update(s->remote, s->builder);
        }
        generation *g = make_generation(s, &o);
        if (g == NULL) {
            fail(s, from_file ? s->settings.rules_file.ptr : "rules", "no rule is enabled");
        } else {
            service_publish(s, g);
            atomic_store(&s->state, SERVICE_READY);
        }
    }
    outcome_free(&o);
    hg_arena_close(&arena);
}

bool rebuild_service(service *s, hg_slice rules, const char *version)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    outcome o = {0};
    bool ok = s->builder != NULL || ((s->builder = hg_builder_new()) != NULL && set_obfuscator(s, &arena) != HG_ERR_NOMEM);
    ok = ok && set_rules(s, rules, version, &arena, &o) == HG_OK;
    generation *g = ok ? make_generation(s, &o) : NULL;
    if (g != NULL)
        service_publish(s, g);
    outcome_free(&o);
    hg_arena_close(&arena);
    return g != NULL;
}

bool share_build(service *s, service *built)
{
    generation *from = service_generation(built), *g = from ? calloc(1, sizeof *g) : NULL;
    if (g != NULL) {
        *g = (generation){.waf = hg_waf_ref(from->waf), .rules_version = strdup(from->rules_version),
                          .loaded = from->loaded, .failed = from->failed, .errors = strdup(from->errors),
                          .user_mode = remote_user_mode(NULL)};
        atomic_init(&g->references, 1);
        if (g->rules_version == NULL || g->errors == NULL) {
            generation_unref(g);
            g = NULL;
        }
    }
    generation_unref(from);
    if (g == NULL)
        return false;
    service_publish(s, g);
    atomic_store(&s->state, SERVICE_READY);
    return true;
}

int poll_remote(service *s, hg_slice rules, const char *version)
{
    (void)rules;
    int changed = remote_update(s->remote, s->builder);
    if (changed <= 0)
        return changed;
    generation *now = service_generation(s);
    outcome o = {.version = strdup(now ? now->rules_version : version), .errors = strdup(now ? now->errors : "{}"),
                 .loaded = now ? now->loaded : 0, .failed = now ? now->failed : 0};
    generation_unref(now);
    hg_slice label = remote_rules_version(s->remote);
    if (label.len > 0) {
        free(o.version);
        o.version = strndup(label.ptr, label.len);
    }
    generation *g = make_generation(s, &o);
    if (g != NULL)
        service_publish(s, g);
    outcome_free(&o);
    return g ? 1 : -1;
}
