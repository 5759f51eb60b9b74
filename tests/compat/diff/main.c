/* usage: diff [--seed N] [--evaluations N] [--seconds N] [--configs N] [--case N] [--processors 0|1]
 * Runs random cases through both libraries until that many evaluations (default 20,000) and configurations (default a
 * tenth) are done or the time is up. --case N runs only case N and prints it. Exit 0: no difference; 1: some; 77: the
 * official library is not there. */
#include "diff.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct side {
    const char *name;
    ddwaf1 lib;
    ddwaf1_handle *handle;
    ddwaf1_context *context;
} side;

static side ours = {.name = "ours"}, theirs = {.name = "official"};
static uint64_t seed = 1, evaluations, matches, with_attributes, wanted = 20000, differences;
static bool verbose;

/* ---- Objects from text, freed together at the end of a case ---- */

enum { OBJECTS = 64 };
static ddwaf1_object objects[OBJECTS];
static unsigned object_count;
static hg_buffer transcript;

static ddwaf1_object *object_of(const hg_buffer *json)
{
    ddwaf1_object *o = &objects[object_count++];
    if (!theirs.lib.object_from_json(o, json->ptr, (uint32_t)json->len))
        fprintf(stderr, "the generator made bad JSON: %.*s\n", (int)json->len, json->ptr);
    return o;
}

static void drop_objects(void)
{
    for (unsigned i = 0; i < object_count; i++)
        theirs.lib.object_free(&objects[i]);
    object_count = 0;
}

static void note(const char *what, const hg_buffer *json)
{
    hg_buffer_printf(&transcript, "%s ", what);
    hg_buffer_append(&transcript, hg_slice_of(json->ptr, json->len));
    hg_buffer_byte(&transcript, '\n');
}

/* ---- Differences ---- */

static void show(const char *name, int code, const ddwaf1_object *o)
{
    hg_buffer text = {0};
    put_object(o, &text);
    printf("  %-9s %d %.*s\n", name, code, (int)text.len, text.ptr);
    hg_buffer_free(&text);
}

static void complain(uint64_t number, const char *where, int our_code, const ddwaf1_object *our, int their_code,
                     const ddwaf1_object *their)
{
    differences++;
    if (differences > 20 && !verbose)
        return;
    printf("case %llu (--seed %llu --case %llu) differs at %s\n%.*s", (unsigned long long)number,
           (unsigned long long)seed, (unsigned long long)number, where, (int)transcript.len, transcript.ptr);
    show(ours.name, our_code, our);
    show(theirs.name, their_code, their);
}

/* ---- One case of evaluations ---- */

static int run(side *s, ddwaf1_object *persistent, ddwaf1_object *ephemeral, ddwaf1_object *result, uint64_t timeout)
{
    return s->lib.run(s->context, persistent, ephemeral, result, timeout);
}

static bool has_attributes(const ddwaf1_object *result)
{
    const ddwaf1_object *attributes = ddwaf1_find(result, "attributes");
    return attributes != NULL && attributes->size > 0;
}

static bool run_both(uint64_t number, ddwaf1_object *persistent, ddwaf1_object *ephemeral, uint64_t timeout)
{
    ddwaf1_object a, b;
    char where[256] = "the return code";
    int our_code = run(&ours, persistent, ephemeral, &a, timeout);
    int their_code = run(&theirs, persistent, ephemeral, &b, timeout);
    bool same = our_code == their_code && objects_agree(&a, &b, where);
    if (!same)
        complain(number, where, our_code, &a, their_code, &b);
    else if (verbose)
        show("both", our_code, &a);
    with_attributes += has_attributes(&a);
    theirs.lib.object_free(&a);
    theirs.lib.object_free(&b);
    evaluations++;
    matches += our_code == DDWAF1_MATCH;
    return same;
}

static ddwaf1_object *new_input(rng *r, const char *what)
{
    hg_buffer json = {0};
    put_input(r, &json);
    ddwaf1_object *o = object_of(&json);
    if (rng_percent(r, 5)) {
        maim(r, o);
        json.len = 0;
        put_object(o, &json);
        hg_buffer_append(&transcript, HG_SLICE("maimed "));
    }
    note(what, &json);
    hg_buffer_free(&json);
    return o;
}

static bool run_context(rng *r, uint64_t number)
{
    ours.context = ours.lib.context_init(ours.handle);
    theirs.context = theirs.lib.context_init(theirs.handle);
    unsigned runs = 1 + rng_below(r, 4);
    ddwaf1_object *last = NULL;
    bool same = true;
    for (unsigned i = 0; i < runs && same; i++) {
        ddwaf1_object *persistent = NULL, *ephemeral = NULL;
        if (rng_percent(r, 75))
            persistent = last != NULL && rng_percent(r, 10) ? last : new_input(r, "persistent");
        if (persistent == NULL || rng_percent(r, 20))
            ephemeral = new_input(r, "ephemeral");
        uint64_t timeout = rng_percent(r, 4) ? 0 : 10000000;
        hg_buffer_printf(&transcript, "run%s%s%s\n", persistent == last && last != NULL ? " last" : "",
                         ephemeral != NULL ? " ephemeral" : "", timeout == 0 ? " timeout 0" : "");
        same = run_both(number, persistent, ephemeral, timeout);
        last = persistent;
    }
    ours.lib.context_destroy(ours.context);
    theirs.lib.context_destroy(theirs.context);
    hg_buffer_printf(&transcript, "--\n");
    return same;
}

static ddwaf1_config pick_config(rng *r)
{
    ddwaf1_config config = {.free_fn = NULL};
    unsigned kind = rng_below(r, 4);
    if (kind == 0) {
        config.max_container_size = config.max_container_depth = config.max_string_length = UINT32_MAX;
    } else if (kind == 1) {
        config.max_container_size = 1 + rng_below(r, 6);
        config.max_container_depth = 1 + rng_below(r, 5);
        config.max_string_length = 1 + rng_below(r, 30);
    }
    if (rng_percent(r, 25)) {
        config.key_regex = "(?i)pass|token";
        config.value_regex = rng_percent(r, 50) ? "evil" : NULL;
    }
    hg_buffer_printf(&transcript, "limits %u %u %u obfuscator %s %s\n", config.max_container_size,
                     config.max_container_depth, config.max_string_length, config.key_regex ? config.key_regex : "-",
                     config.value_regex ? config.value_regex : "-");
    return config;
}

static void start_case(void)
{
    transcript.len = 0;
}

static bool load_both(const ddwaf1_object *ruleset, const ddwaf1_config *config, uint64_t number)
{
    ddwaf1_object a, b;
    char where[256] = "the diagnostics";
    ours.handle = ours.lib.init(ruleset, config, &a);
    theirs.handle = theirs.lib.init(ruleset, config, &b);
    bool same = (ours.handle != NULL) == (theirs.handle != NULL) && objects_agree(&a, &b, where);
    if (!same)
        complain(number, where, ours.handle != NULL, &a, theirs.handle != NULL, &b);
    theirs.lib.object_free(&a);
    theirs.lib.object_free(&b);
    return same;
}

static void run_case(uint64_t number)
{
    rng r = {seed * UINT64_C(0x9E3779B97F4A7C15) ^ number * UINT64_C(0xD6E8FEB86659FD93)};
    hg_buffer json = {0};
    start_case();
    do {
        json.len = 0;
        put_ruleset(&r, &json);
    } while (!is_determined(json.ptr, json.len));
    ddwaf1_config config = pick_config(&r);
    note("ruleset", &json);
    if (load_both(object_of(&json), &config, number) && ours.handle != NULL) {
        unsigned contexts = 2 + rng_below(&r, 4);
        for (unsigned i = 0; i < contexts; i++)
            if (!run_context(&r, number))
                break;
    }
    ours.lib.destroy(ours.handle);
    theirs.lib.destroy(theirs.handle);
    drop_objects();
    hg_buffer_free(&json);
}

/* ---- One case of configurations ---- */

typedef struct builders {
    ddwaf1_builder *ours;
    ddwaf1_builder *theirs;
} builders;

/* False: different, or what follows is not defined: a refused configuration leaves items behind in the official
 * library when one of its sections failed as a whole. */
static bool add_both(uint64_t number, const builders *b, const ddwaf1_object *config, const char *path)
{
    ddwaf1_object x, y;
    char where[256] = "the answer of add";
    bool our_answer = ours.lib.builder_add(b->ours, path, (uint32_t)strlen(path), config, &x);
    bool their_answer = theirs.lib.builder_add(b->theirs, path, (uint32_t)strlen(path), config, &y);
    bool same = our_answer == their_answer && objects_agree(&x, &y, where);
    if (!same)
        complain(number, where, our_answer, &x, their_answer, &y);
    theirs.lib.object_free(&x);
    theirs.lib.object_free(&y);
    return same && our_answer;
}

/* The known names as an array of the official library's. */
static void put_names(const char *const *names, uint32_t count, hg_buffer *out)
{
    hg_buffer_byte(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            hg_buffer_byte(out, ',');
        put_string(out, hg_slice_from(names[i]));
    }
    hg_buffer_byte(out, ']');
}

/* Types of actions only if asked for: which of conflicting overrides of several configurations wins is not defined. */
static void put_known(const side *s, bool actions, hg_buffer *out)
{
    uint32_t count;
    hg_buffer_append(out, HG_SLICE("{\"attributes\":["));
    const char *const *names = s->lib.known_addresses(s->handle, &count);
    put_names(names, count, out);
    if (actions) {
        hg_buffer_byte(out, ',');
        names = s->lib.known_actions(s->handle, &count);
        put_names(names, count, out);
    }
    hg_buffer_append(out, HG_SLICE("]}"));
}

static void build_both(uint64_t number, const builders *b, bool actions)
{
    ours.handle = ours.lib.builder_build(b->ours);
    theirs.handle = theirs.lib.builder_build(b->theirs);
    hg_buffer x = {0}, y = {0};
    char where[256] = "the build";
    put_known(&ours, actions, &x);
    put_known(&theirs, actions, &y);
    ddwaf1_object *our = object_of(&x), *their = object_of(&y);
    if ((ours.handle != NULL) != (theirs.handle != NULL) || !objects_agree(our, their, where))
        complain(number, where, ours.handle != NULL, our, theirs.handle != NULL, their);
    ours.lib.destroy(ours.handle);
    theirs.lib.destroy(theirs.handle);
    hg_buffer_free(&x);
    hg_buffer_free(&y);
}

static bool change_both(rng *r, uint64_t number, const builders *b)
{
    static const char *const paths[] = {"x", "y", "z"};
    const char *path = PICK(r, paths);
    if (rng_percent(r, 15)) {
        hg_buffer_printf(&transcript, "remove %s\n", path);
        return ours.lib.builder_remove(b->ours, path, 1) == theirs.lib.builder_remove(b->theirs, path, 1);
    }
    hg_buffer json = {0};
    put_broken(r, &json);
    hg_buffer_printf(&transcript, "path %s ", path);
    note("config", &json);
    bool going = add_both(number, b, object_of(&json), path);
    hg_buffer_free(&json);
    return going;
}

static void configure_case(uint64_t number)
{
    rng r = {~seed * UINT64_C(0x9E3779B97F4A7C15) ^ number * UINT64_C(0xD6E8FEB86659FD93)};
    builders b = {ours.lib.builder_init(NULL), theirs.lib.builder_init(NULL)};
    unsigned changes = 1 + rng_below(&r, 4);
    bool going = true;
    start_case();
    for (unsigned i = 0; i < changes && going; i++)
        going = change_both(&r, number, &b);
    if (going)
        build_both(number, &b, changes == 1);
    ours.lib.builder_destroy(b.ours);
    theirs.lib.builder_destroy(b.theirs);
    drop_objects();
}

/* ---- Start ---- */

static bool open_sides(void)
{
    char path[4096];
    const char *build = getenv("HOTGATE_BUILD");
    const ddwaf1 *official = ddwaf1_open();
    if (official == NULL)
        return false;
    theirs.lib = *official;
    snprintf(path, sizeof path, "%s/ddwaf1/libddwaf.so", build != NULL ? build : "build");
    if (ddwaf1_open_file(path, &ours.lib))
        return true;
    fprintf(stderr, "%s: %s\n", path, dlerror());
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t only = 0, configs = UINT64_MAX, done = 0;
    time_t end = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--evaluations") == 0)
            wanted = value;
        else if (strcmp(argv[i], "--configs") == 0)
            configs = value;
        else if (strcmp(argv[i], "--seconds") == 0)
            end = time(NULL) + (time_t)value;
        else if (strcmp(argv[i], "--processors") == 0)
            with_processors = value != 0;
        else if (strcmp(argv[i], "--case") == 0)
            only = value;
    }
    if (!open_sides()) {
        puts("skipped: the official libddwaf is not there (tools/peers fetches it)");
        return 77;
    }
    verbose = only != 0;
    if (verbose) {
        run_case(only);
        fwrite(transcript.ptr, 1, transcript.len, stdout);
        configure_case(only);
        fwrite(transcript.ptr, 1, transcript.len, stdout);
        return differences != 0;
    }
    if (configs == UINT64_MAX)
        configs = wanted / 10;
    for (uint64_t n = 1; evaluations < wanted && (end == 0 || time(NULL) < end); n++)
        run_case(n);
    for (; done < configs && (end == 0 || time(NULL) < end + 2); done++)
        configure_case(done + 1);
    hg_buffer_free(&transcript);
    printf("%llu evaluations (%llu matches, %llu with attributes), %llu configurations, %llu differences "
           "(seed %llu, official %s)\n",
           (unsigned long long)evaluations, (unsigned long long)matches, (unsigned long long)with_attributes, (unsigned long long)done, (unsigned long long)differences,
           (unsigned long long)seed, theirs.lib.version());
    return differences != 0;
}
