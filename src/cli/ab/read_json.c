/* JSON results: our bench programs' lines, BenchmarkDotNet's full export, hyperfine's export. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

static double number_of(const hg_value *v)
{
    if (v == NULL)
        return NAN;
    switch (v->type) {
    case HG_SIGNED:
        return (double)v->i64.val;
    case HG_UNSIGNED:
        return (double)v->u64.val;
    case HG_FLOAT:
        return v->f64.val;
    }
    return NAN;
}

static double field(const hg_value *map, const char *name)
{
    return number_of(hg_map_find(map, hg_slice_from(name)));
}

static hg_slice text_field(const hg_value *map, const char *name)
{
    const hg_value *v = hg_map_find(map, hg_slice_from(name));
    return v ? hg_value_string(v) : HG_SLICE("");
}

/* A line is {suite, class, method, params, toolchain, launch, iteration, stage, ops, ns, bytes, instructions}. */
static hg_status add_line(const hg_value *line, result_set *set)
{
    hg_slice stage = text_field(line, "stage");
    if (stage.len > 0 && !hg_slice_equal(stage, HG_SLICE("measured")) && !hg_slice_equal(stage, HG_SLICE("result")))
        return HG_OK; /* warm-up, overhead, pilot */
    double ops = field(line, "ops"), ns = field(line, "ns"), bytes = field(line, "bytes");
    double instructions = field(line, "instructions");
    if (!(ops > 0))
        ops = 1;
    measurement m = {.suite = text_field(line, "suite"), .class = text_field(line, "class"),
                     .method = text_field(line, "method"), .params = text_field(line, "params"),
                     .toolchain = text_field(line, "toolchain"), .ns_per_op = ns / ops,
                     .bytes_per_op = isnan(bytes) ? -1 : bytes / ops,
                     .instructions_per_op = isnan(instructions) ? -1 : instructions / ops,
                     .program = hg_slice_equal(text_field(line, "class"), HG_SLICE("command"))};
    if (m.method.len == 0) {
        set->rejected++;
        return HG_OK;
    }
    return set_add(set, &m);
}

static hg_status syntax(read_error *error, size_t line, const hg_json_error *where)
{
    snprintf(error->message, sizeof error->message, "line %zu, column %u: %s",
             line + where->line - 1, where->column, where->message ? where->message : "malformed JSON");
    return HG_ERR_SYNTAX;
}

hg_status read_json_lines(hg_slice text, result_set *set, read_error *error)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_status status = HG_OK;
    for (size_t number = 1; text.len > 0 && status == HG_OK; number++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t length = end ? (size_t)(end - text.ptr) : text.len;
        hg_slice line = hg_slice_take(text, length);
        text = hg_slice_skip(text, length + 1);
        while (line.len > 0 && (unsigned char)line.ptr[line.len - 1] <= ' ')
            line.len--;
        if (line.len == 0)
            continue;
        hg_json_options options = {.dialect = HG_JSON_STRICT};
        hg_json_error where = {0};
        hg_value value;
        hg_arena_reset(&arena);
        status = hg_json_read(line, &options, &value, hg_arena_allocator(&arena), &where);
        if (status != HG_OK)
            status = status == HG_ERR_NOMEM ? status : syntax(error, number, &where);
        else
            status = add_line(&value, set);
    }
    hg_arena_close(&arena);
    return status;
}

static bool is_measured(const hg_value *m)
{
    hg_slice mode = text_field(m, "IterationMode"), stage = text_field(m, "IterationStage");
    return hg_slice_equal(mode, HG_SLICE("Workload")) && hg_slice_equal(stage, HG_SLICE("Result"));
}

/* BenchmarkDotNet measures the workload ("Actual") and subtracts the overhead ("Result"): Result is what counts;
 * exports without it have Actual only. */
static bool is_actual(const hg_value *m)
{
    hg_slice mode = text_field(m, "IterationMode"), stage = text_field(m, "IterationStage");
    return hg_slice_equal(mode, HG_SLICE("Workload")) && hg_slice_equal(stage, HG_SLICE("Actual"));
}

static hg_status add_benchmarkdotnet(const hg_value *benchmark, result_set *set)
{
    const hg_value *list = hg_map_find(benchmark, HG_SLICE("Measurements"));
    const hg_value *memory = hg_map_find(benchmark, HG_SLICE("Memory"));
    hg_slice namespace = text_field(benchmark, "Namespace"), type = text_field(benchmark, "Type");
    char class[512];
    int length = snprintf(class, sizeof class, "%.*s%s%.*s", (int)namespace.len, namespace.ptr,
                          namespace.len ? "." : "", (int)type.len, type.ptr);
    measurement m = {.class = hg_slice_of(class, length < (int)sizeof class ? (size_t)length : sizeof class - 1),
                     .method = text_field(benchmark, "Method"), .params = text_field(benchmark, "Parameters"),
                     .toolchain = text_field(benchmark, "Toolchain"), .bytes_per_op = -1, .instructions_per_op = -1};
    if (memory != NULL && !isnan(field(memory, "BytesAllocatedPerOperation")))
        m.bytes_per_op = field(memory, "BytesAllocatedPerOperation");
    size_t count = list && hg_is_array(list) ? hg_value_size(list) : 0;
    const hg_value *items = list ? hg_array_items(list) : NULL;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= is_measured(&items[i]);
    for (size_t i = 0; i < count; i++) {
        if (any ? !is_measured(&items[i]) : !is_actual(&items[i]))
            continue;
        double ops = field(&items[i], "Operations");
        m.ns_per_op = field(&items[i], "Nanoseconds") / (ops > 0 ? ops : 1);
        hg_status status = set_add(set, &m);
        if (status != HG_OK)
            return status;
    }
    series *s = memory && count > 0 ? set_series(set, &m) : NULL;
    if (s != NULL && !isnan(field(memory, "TotalOperations")) && field(memory, "TotalOperations") > 0) {
        static const char *const names[] = {"Gen0Collections", "Gen1Collections", "Gen2Collections"};
        for (int g = 0; g < 3; g++)
            s->gc[g] = field(memory, names[g]) * 1000 / field(memory, "TotalOperations");
        s->has_gc = true;
    }
    return HG_OK;
}

static hg_status add_hyperfine(const hg_value *result, result_set *set)
{
    const hg_value *times = hg_map_find(result, HG_SLICE("times"));
    measurement m = {.class = HG_SLICE("command"), .method = text_field(result, "command"), .bytes_per_op = -1,
                     .instructions_per_op = -1, .program = true};
    size_t count = times && hg_is_array(times) ? hg_value_size(times) : 0;
    for (size_t i = 0; i < count; i++) {
        m.ns_per_op = number_of(&hg_array_items(times)[i]) * 1e9;
        hg_status status = set_add(set, &m);
        if (status != HG_OK)
            return status;
    }
    return HG_OK;
}

typedef hg_status add_function(const hg_value *item, result_set *set);

static hg_status add_all(const hg_value *list, add_function *add, result_set *set)
{
    hg_status status = HG_OK;
    for (size_t i = 0; i < hg_value_size(list) && status == HG_OK; i++)
        status = add(&hg_array_items(list)[i], set);
    return status;
}

hg_status read_json(hg_slice text, result_set *set, read_error *error)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_json_error where = {0};
    hg_value value;
    hg_status status = hg_json_read(text, &options, &value, hg_arena_allocator(&arena), &where);
    if (status == HG_OK) {
        const hg_value *benchmarks = hg_map_find(&value, HG_SLICE("Benchmarks"));
        const hg_value *results = hg_map_find(&value, HG_SLICE("results"));
        if (benchmarks != NULL && hg_is_array(benchmarks))
            status = add_all(benchmarks, add_benchmarkdotnet, set);
        else if (results != NULL && hg_is_array(results))
            status = add_all(results, add_hyperfine, set);
        else if (hg_is_array(&value))
            status = add_all(&value, add_line, set);
        else if (hg_map_find(&value, HG_SLICE("ns")) != NULL)
            status = add_line(&value, set);
        else {
            snprintf(error->message, sizeof error->message,
                     "unknown JSON: expected measurement lines, BenchmarkDotNet's \"Benchmarks\" or hyperfine's "
                     "\"results\"");
            status = HG_ERR_SYNTAX;
        }
    } else if (status != HG_ERR_NOMEM) {
        status = syntax(error, 1, &where);
    }
    hg_arena_close(&arena);
    return status;
}
