/* The WAF itself: the official libddwaf 1.x with one rule for each operator. */
#include "peers/ddwaf1.h"
#include "text/injection_oracle.h"

#include <stdio.h>
#include <stdlib.h>

const char injection_oracle_name[] = "libddwaf 1.x";

static const ddwaf1 *lib;
static ddwaf1_handle *handle;
static ddwaf1_context *context;

#define RULE(operator)                                                                                                \
    "{\"id\":\"" operator "\",\"name\":\"" operator "\",\"tags\":{\"type\":\"" operator "\",\"category\":\"x\"},"     \
    "\"conditions\":[{\"operator\":\"" operator "\",\"parameters\":{\"inputs\":[{\"address\":\"text\"}]}}]}"

bool injection_oracle_open(void)
{
    static const char ruleset[] = "{\"version\":\"2.2\",\"rules\":[" RULE("is_sqli") "," RULE("is_xss") "]}";
    static const ddwaf1_config config = {.max_string_length = UINT32_MAX};
    lib = ddwaf1_open();
    if (lib == NULL)
        return false;
    handle = ddwaf1_load(lib, ruleset, sizeof ruleset - 1, &config);
    context = handle ? lib->context_init(handle) : NULL;
    if (context == NULL) {
        fprintf(stderr, "the ruleset is refused\n");
        abort();
    }
    return true;
}

void injection_oracle_close(void)
{
    lib->context_destroy(context);
    lib->destroy(handle);
}

/* First highlight of the first condition. */
static const ddwaf1_object *highlight(const ddwaf1_object *event)
{
    const ddwaf1_object *matches = ddwaf1_find(event, "rule_matches");
    const ddwaf1_object *parameters = ddwaf1_find(&matches->items[0], "parameters");
    const ddwaf1_object *highlights = ddwaf1_find(&parameters->items[0], "highlight");
    return &highlights->items[0];
}

void injection_oracle_judge(hg_slice text, injection_verdict *verdict)
{
    /* Ephemeral data are forgotten after the call, so that one context serves for all. */
    ddwaf1_object value = {
        .name = "text", .name_len = 4, .string = text.ptr, .size = text.len, .type = DDWAF1_STRING};
    ddwaf1_object input = {.items = &value, .size = 1, .type = DDWAF1_MAP}, result;
    *verdict = (injection_verdict){.contexts = -1};
    if (lib->run(context, NULL, &input, &result, UINT32_MAX) < 0)
        abort();
    const ddwaf1_object *events = ddwaf1_find(&result, "events");
    for (uint64_t i = 0; events != NULL && i < events->size; i++) {
        const ddwaf1_object *event = &events->items[i], *id = ddwaf1_find(ddwaf1_find(event, "rule"), "id");
        if (id->size == 6) {
            verdict->xss = true;
        } else {
            const ddwaf1_object *fingerprint = highlight(event);
            snprintf(verdict->fingerprint, sizeof verdict->fingerprint, "%.*s", (int)fingerprint->size,
                     fingerprint->string);
        }
    }
    lib->object_free(&result);
}
