/* Loads a libddwaf.so as the dynamic loader of this program's C library does, and has it judge one request. Compiled
 * by load_test.sh against glibc and against musl. usage: load 1|2 PATH */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *symbol(const char *name)
{
    void *address = dlsym(library, name);
    if (address == NULL) {
        fprintf(stderr, "no symbol %s\n", name);
        exit(1);
    }
    return address;
}

static const char ruleset[] =
    "{\"version\":\"2.2\",\"rules\":[{\"id\":\"r\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"on_match\":[\"block\"],"
    "\"conditions\":[{\"operator\":\"match_regex\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],\"regex\":\"ev.l\"}}]}]}";
static const char request[] = "{\"a\":{\"k\":[1.5,\"some evil text\"]}}";

/* Room for an object of either version. */
typedef union object {
    char bytes[40];
    void *align;
} object;

static int judge_v1(void)
{
    int (*from_json)(object *, const char *, unsigned) = symbol("ddwaf_object_from_json");
    void *(*init)(const object *, const void *, object *) = symbol("ddwaf_init");
    void *(*context_init)(void *) = symbol("ddwaf_context_init");
    int (*run)(void *, object *, object *, object *, unsigned long long) = symbol("ddwaf_run");
    void (*context_destroy)(void *) = symbol("ddwaf_context_destroy");
    void (*destroy)(void *) = symbol("ddwaf_destroy");
    void (*object_free)(object *) = symbol("ddwaf_object_free");
    object rules, data, result;
    if (!(from_json(&rules, ruleset, sizeof ruleset - 1) & 1) || !(from_json(&data, request, sizeof request - 1) & 1))
        return -10;
    void *handle = init(&rules, NULL, NULL);
    void *context = context_init(handle);
    int code = run(context, &data, NULL, &result, 10000000);
    object_free(&result);
    object_free(&rules);
    context_destroy(context);
    destroy(handle);
    return code;
}

static int judge_v2(void)
{
    void *(*get_allocator)(void) = symbol("ddwaf_get_default_allocator");
    int (*from_json)(object *, const char *, unsigned, void *) = symbol("ddwaf_object_from_json");
    void *(*init)(const object *, object *) = symbol("ddwaf_init");
    void *(*context_init)(void *, void *) = symbol("ddwaf_context_init");
    int (*eval)(void *, object *, void *, object *, unsigned long long) = symbol("ddwaf_context_eval");
    void (*context_destroy)(void *) = symbol("ddwaf_context_destroy");
    void (*destroy)(void *) = symbol("ddwaf_destroy");
    void (*object_destroy)(object *, void *) = symbol("ddwaf_object_destroy");
    void *allocator = get_allocator();
    object rules, data, result;
    if (!(from_json(&rules, ruleset, sizeof ruleset - 1, allocator) & 1) ||
        !(from_json(&data, request, sizeof request - 1, allocator) & 1))
        return -10;
    void *handle = init(&rules, NULL);
    void *context = context_init(handle, allocator);
    int code = eval(context, &data, allocator, &result, 10000000);
    object_destroy(&result, allocator);
    object_destroy(&rules, allocator);
    context_destroy(context);
    destroy(handle);
    return code;
}

int main(int argc, char **argv)
{
    library = argc == 3 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "cannot load: %s\n", argc == 3 ? dlerror() : "usage: load 1|2 PATH");
        return 1;
    }
    const char *(*version)(void) = symbol("ddwaf_get_version");
    int code = strcmp(argv[1], "1") == 0 ? judge_v1() : judge_v2();
    printf("%s answers %d\n", version(), code);
    return code == 1 ? 0 : 1;
}
