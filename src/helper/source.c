#include "helper/source.h"

#include "helper/remote.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RULES_PATH HG_SLICE("initial_ruleset")
enum { RULES_FILE_MAX = 64 << 20 };

/* ---- Life ---- */

bool source_key_equal(const source_key *a, const source_key *b)
{
    return a->reader == b->reader && a->owner == b->owner && hg_slice_equal(a->rules_file, b->rules_file) &&
           hg_slice_equal(a->remote_path, b->remote_path);
}

source *source_new(const source_key *key)
{
    source *s = calloc(1, sizeof *s);
    char *at = s ? malloc(key->rules_file.len + key->remote_path.len + 2) : NULL;
    if (at == NULL) {
        free(s);
        return NULL;
    }
    s->key = *key;
    s->text = at;
    hg_slice *texts[] = {&s->key.rules_file, &s->key.remote_path};
    for (size_t i = 0; i < 2; i++) {
        if (texts[i]->len > 0)
            memcpy(at, texts[i]->ptr, texts[i]->len);
        texts[i]->ptr = at;
        at += texts[i]->len;
        *at++ = '\0'; /* paths are handed to the system */
    }
    pthread_mutex_init(&s->lock, NULL);
    atomic_init(&s->state, SOURCE_BUILDING);
    return s;
}

static void outcome_free(outcome *o)
{
    free(o->version);
    free(o->errors);
    *o = (outcome){.version = NULL};
}

void source_free(source *s)
{
    if (s == NULL)
        return;
    generation_unref(s->current);
    hg_builder_free(s->builder);
    remote_free(s->remote);
    outcome_free(&s->initial);
    pthread_mutex_destroy(&s->lock);
    free(s->text);
    free(s);
}

/* ---- Generations ---- */

void generation_unref(generation *g)
{
    if (g == NULL || atomic_fetch_sub(&g->references, 1) != 1)
        return;
    hg_waf_unref(g->waf);
    free(g->version);
    free(g->errors);
    free(g);
}

/* Takes the reference to waf over. */
static generation *generation_new(hg_waf *waf, hg_slice version, hg_slice errors)
{
    generation *g = calloc(1, sizeof *g);
    if (g == NULL) {
        hg_waf_unref(waf);
        return NULL;
    }
    *g = (generation){.waf = waf, .version = strndup(version.len ? version.ptr : "", version.len),
                      .errors = strndup(errors.len ? errors.ptr : "{}", errors.len ? errors.len : 2),
                      .user_mode = "undefined"};
    atomic_init(&g->references, 1);
    if (g->version != NULL && g->errors != NULL)
        return g;
    generation_unref(g);
    return NULL;
}

static void publish(source *s, generation *g)
{
    pthread_mutex_lock(&s->lock);
    generation *old = s->current;
    s->current = g;
    atomic_fetch_add(&s->serial, 1);
    pthread_mutex_unlock(&s->lock);
    generation_unref(old);
}

generation *source_generation(source *s)
{
    pthread_mutex_lock(&s->lock);
    generation *g = s->current;
    if (g != NULL)
        atomic_fetch_add(&g->references, 1);
    pthread_mutex_unlock(&s->lock);
    return g;
}

static unsigned next_load(void)
{
    static atomic_uint last;
    return atomic_fetch_add(&last, 1) + 1;
}

/* What the source judges by from now on: a new instance, or (waf NULL) the one it has with other features. */
static bool publish_next(source *s, hg_waf *waf, const source_rules *rules)
{
    generation *now = source_generation(s), *g = NULL;
    remote_rules theirs;
    if (waf == NULL && now != NULL) {
        g = generation_new(hg_waf_ref(now->waf), hg_slice_from(now->version), hg_slice_from(now->errors));
        if (g != NULL) {
            g->loaded = now->loaded;
            g->failed = now->failed;
            g->load = now->load;
        }
    } else if (waf != NULL) {
        bool by_remote = remote_rules_of(s->remote, &theirs);
        const outcome *o = &s->initial;
        g = generation_new(waf, by_remote ? theirs.version : hg_slice_from(o->version ? o->version : ""),
                           by_remote ? theirs.errors : hg_slice_from(o->errors ? o->errors : "{}"));
        if (g != NULL) {
            g->loaded = by_remote ? theirs.loaded : o->loaded;
            g->failed = by_remote ? theirs.failed : o->failed;
            g->load = next_load();
        }
    }
    generation_unref(now);
    if (g == NULL)
        return false;
    g->version_number = telemetry_version(rules->telemetry, g->version);
    g->enabled = remote_enables(s->remote);
    g->user_mode = remote_user_mode(s->remote);
    publish(s, g);
    return true;
}

bool source_borrow(source *s, source *base)
{
    generation *from = source_generation(base);
    generation *g = from ? generation_new(hg_waf_ref(from->waf), hg_slice_from(from->version), hg_slice_from(from->errors))
                         : NULL;
    if (g != NULL) {
        g->loaded = from->loaded;
        g->failed = from->failed;
        g->load = from->load;
        g->version_number = from->version_number;
    }
    generation_unref(from);
    if (g == NULL)
        return false;
    publish(s, g);
    atomic_store(&s->state, SOURCE_SETTLING);
    return true;
}

/* ---- Reading ---- */

static void note_failure(source *s, const char *what, const char *detail)
{
    pthread_mutex_lock(&s->lock);
    snprintf(s->failure, sizeof s->failure, "%.160s: %.80s", what, detail);
    pthread_mutex_unlock(&s->lock);
    HG_LOG(HG_LOG_WARN, "rules cannot be used: %.160s: %.80s", what, detail);
}

void source_failure(source *s, char out[FAILURE_SIZE])
{
    pthread_mutex_lock(&s->lock);
    memcpy(out, s->failure, FAILURE_SIZE);
    pthread_mutex_unlock(&s->lock);
}

/* With the rights of the client that named it. The raw call changes this thread only. */
static int open_as(const char *path, unsigned uid)
{
    bool other = uid != geteuid();
    if (other) {
        syscall(SYS_setfsuid, uid);
        if ((unsigned)syscall(SYS_setfsuid, -1) != uid) {
            errno = EPERM;
            return -1;
        }
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), saved = errno;
    if (other)
        syscall(SYS_setfsuid, geteuid());
    errno = saved;
    return fd;
}

static hg_status read_file(const char *path, unsigned uid, hg_arena *arena, hg_slice *out)
{
    int fd = open_as(path, uid);
    struct stat st;
    if (fd < 0)
        return HG_ERR_IO;
    hg_status status = HG_ERR_IO;
    errno = EINVAL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= RULES_FILE_MAX) {
        char *text = hg_arena_alloc(arena, (size_t)st.st_size, 1);
        if (text != NULL && pread(fd, text, (size_t)st.st_size, 0) == st.st_size) {
            *out = hg_slice_of(text, (size_t)st.st_size);
            status = HG_OK;
        }
    }
    close(fd);
    return status;
}

static size_t size_at(const hg_value *map, hg_slice key)
{
    const hg_value *v = hg_map_find(map, key);
    return v ? hg_value_size(v) : 0;
}

static void note_outcome(const hg_value *diagnostics, const char *version, outcome *o)
{
    outcome_free(o);
    const hg_value *label = hg_map_find(diagnostics, HG_SLICE("ruleset_version"));
    const hg_value *rules = hg_map_find(diagnostics, HG_SLICE("rules"));
    hg_slice text = label ? hg_value_string(label) : hg_slice_from(version);
    o->version = strndup(text.len ? text.ptr : "", text.len);
    const hg_value *errors = rules ? hg_map_find(rules, HG_SLICE("errors")) : NULL;
    o->loaded = rules ? size_at(rules, HG_SLICE("loaded")) : 0;
    o->failed = rules ? size_at(rules, HG_SLICE("failed")) : 0;
    hg_buffer json = {0};
    if (errors != NULL)
        hg_json_write(errors, 0, &json);
    o->errors = json.len > 0 && !json.failed ? strndup(json.ptr, json.len) : strdup("{}");
    hg_buffer_free(&json);
}

/* Loads the initial rules (the daemon's, or the file's) under their path. */
static bool set_initial(source *s, hg_builder *builder, const source_rules *rules, bool first)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_allocator *a = hg_arena_allocator(&arena);
    hg_slice text = rules->text;
    hg_value tree, diagnostics;
    hg_json_options options = {.dialect = HG_JSON_DDWAF};
    const char *file = s->key.rules_file.len > 0 ? s->key.rules_file.ptr : NULL;
    bool ok = false;
    hg_set_null(&diagnostics);
    if (file != NULL && read_file(file, s->key.reader, &arena, &text) != HG_OK) {
        note_failure(s, file, strerror(errno));
    } else if (hg_json_read(text, &options, &tree, a, NULL) != HG_OK) {
        note_failure(s, file ? file : "rules", "no JSON");
    } else {
        ok = hg_builder_set(builder, RULES_PATH, &tree, &diagnostics, a) == HG_OK;
        if (hg_is_map(&diagnostics)) {
            outcome o = {.version = NULL};
            note_outcome(&diagnostics, rules->version, &o);
            telemetry_diagnostics(rules->telemetry, first, o.version ? o.version : "", &diagnostics);
            outcome_free(ok ? &s->initial : &o);
            if (ok)
                s->initial = o;
        }
        if (!ok)
            note_failure(s, file ? file : "rules", "no usable rules");
    }
    hg_arena_close(&arena);
    return ok;
}

/* ---- Remote configuration ---- */

typedef struct updating {
    source *source;
    const source_rules *rules;
    bool first;
} updating;

static void replace_initial(void *state)
{
    source *s = ((updating *)state)->source;
    if (s->has_initial)
        hg_builder_remove(s->builder, RULES_PATH);
    s->has_initial = false;
}

static void note_loaded(void *state, const hg_value *diagnostics)
{
    updating *u = state;
    const hg_value *label = hg_map_find(diagnostics, HG_SLICE("ruleset_version"));
    hg_slice version = label ? hg_value_string(label) : hg_slice_from(u->source->initial.version ? u->source->initial.version : "");
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(version.len < 63 ? version.len : 63), version.len ? version.ptr : "");
    telemetry_diagnostics(u->rules->telemetry, u->first, text, diagnostics);
}

/* Applies what is new to the builder. The initial rules are there exactly when no remote rules are. */
static int update_remote(source *s, const source_rules *rules, bool first)
{
    updating u = {s, rules, first};
    const remote_target target = {s->builder, replace_initial, note_loaded, &u};
    remote_rules unused;
    bool had = s->has_initial;
    int mask = remote_update(s->remote, &target);
    if ((had || mask > 0) && !s->has_initial && !remote_rules_of(s->remote, &unused))
        s->has_initial = set_initial(s, s->builder, rules, first);
    return mask;
}

/* ---- Building ---- */

static hg_waf *build(source *s, hg_builder *builder)
{
    hg_waf *waf = hg_builder_build(builder, NULL);
    if (waf == NULL)
        note_failure(s, s->key.rules_file.len > 0 ? s->key.rules_file.ptr : "rules", "no rule is enabled");
    return waf;
}

/* A source without remote configuration keeps no builder. */
static hg_waf *build_plain(source *s, const source_rules *rules, bool first)
{
    hg_builder *builder = hg_builder_new();
    hg_waf *waf = builder != NULL && set_initial(s, builder, rules, first) ? build(s, builder) : NULL;
    hg_builder_free(builder);
    return waf;
}

static hg_waf *build_with_remote(source *s, const source_rules *rules)
{
    if (s->remote == NULL)
        s->remote = remote_new(s->key.remote_path, s->key.owner);
    if (s->builder == NULL)
        s->builder = hg_builder_new();
    if (s->remote == NULL || s->builder == NULL)
        return NULL;
    if (!s->has_initial)
        s->has_initial = set_initial(s, s->builder, rules, true);
    update_remote(s, rules, true);
    return build(s, s->builder);
}

static const char *current_version(const source *s)
{
    return s->current ? s->current->version : s->initial.version ? s->initial.version : "";
}

void source_build(source *s, const source_rules *rules)
{
    hg_waf *waf = s->key.remote_path.len > 0 ? build_with_remote(s, rules) : build_plain(s, rules, true);
    bool ok = waf != NULL && publish_next(s, waf, rules);
    telemetry_loaded(rules->telemetry, true, ok, current_version(s));
    s->failed_at = hg_clock_monotonic_ns();
    bool usable = ok || s->current != NULL; /* what was borrowed */
    atomic_store(&s->state, usable ? SOURCE_READY : SOURCE_FAILED);
}

bool source_reload(source *s, const source_rules *rules)
{
    hg_waf *waf = NULL;
    if (s->key.remote_path.len == 0) {
        waf = build_plain(s, rules, false);
    } else if (!s->has_initial) {
        return true; /* remote rules are in force; these are read when they go */
    } else {
        s->has_initial = set_initial(s, s->builder, rules, false);
        waf = s->has_initial ? build(s, s->builder) : NULL;
    }
    bool ok = waf != NULL && publish_next(s, waf, rules);
    telemetry_loaded(rules->telemetry, false, ok, current_version(s));
    return ok;
}

int source_poll(source *s, const source_rules *rules)
{
    int mask = update_remote(s, rules, false);
    if (mask <= 0)
        return mask;
    hg_waf *waf = mask & REMOTE_CONFIGURATION ? build(s, s->builder) : NULL;
    bool ok = publish_next(s, waf, rules); /* without a new instance the old one stays, with the new features */
    if (mask & REMOTE_CONFIGURATION)
        telemetry_loaded(rules->telemetry, false, waf != NULL && ok, current_version(s));
    return (mask & REMOTE_CONFIGURATION && waf == NULL) || !ok ? -1 : 1;
}
