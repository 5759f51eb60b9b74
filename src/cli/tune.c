/* hotgate tune EVENTS.ndjson: proposes exclusions for events that a person marked as benign. */
#include "cli/event.h"
#include "cli/input/stream.h"
#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: hotgate tune [--all-benign] EVENTS.ndjson\n"
    "\n"
    "Reads what 'hotgate scan --format json' printed. Lines to which a person added \"benign\": true are false findings; for\n"
    "each place (rule, address, key path) where they hit, an exclusion is proposed that keeps that rule away from that\n"
    "place. The proposal is printed as a ruleset with an exclusions section; nothing is applied. Where lines that are not\n"
    "marked hit the same place too, a warning says how many findings the exclusion would hide.\n"
    "\n"
    "  --all-benign   take every line as marked\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage, 3 the file cannot be read.\n"
    "\n"
    "Examples:\n"
    "  hotgate scan -f json access.log > events.ndjson   # then edit: add \"benign\":true to the false ones\n"
    "  hotgate tune events.ndjson > exclusions.json\n"
    "  hotgate scan -r rules.json -r exclusions.json access.log\n";

/* One place where a rule hit. */
typedef struct place {
    char *rule, *address;
    hg_buffer path; /* JSON array of the steps; list positions as * */
    size_t benign, other;
} place;

typedef struct places {
    place *list;
    size_t count, room;
} places;

static void path_text(const hg_value *key_path, hg_buffer *out)
{
    hg_buffer_byte(out, '[');
    for (size_t i = 0; key_path != NULL && i < hg_value_size(key_path); i++) {
        const hg_value *step = &hg_array_items(key_path)[i];
        if (i > 0)
            hg_buffer_append(out, HG_SLICE(", "));
        if (hg_is_string(step))
            hg_json_write_string(hg_value_string(step), 0, out);
        else
            hg_buffer_append(out, HG_SLICE("\"*\""));
    }
    hg_buffer_byte(out, ']');
}

static void add(places *p, const cli_event *event, const cli_match *match, bool benign)
{
    hg_buffer path = {0};
    path_text(match->key_path, &path);
    for (size_t i = 0; i < p->count; i++) {
        place *known = &p->list[i];
        if (hg_slice_equal(hg_slice_from(known->rule), event->id) &&
            hg_slice_equal(hg_slice_from(known->address), match->address) &&
            hg_slice_equal(hg_slice_of(known->path.ptr, known->path.len), hg_slice_of(path.ptr, path.len))) {
            known->benign += benign;
            known->other += !benign;
            hg_buffer_free(&path);
            return;
        }
    }
    if (p->count == p->room) {
        size_t room = p->room > 0 ? p->room * 2 : 32;
        place *list = realloc(p->list, room * sizeof *list);
        if (list == NULL) {
            hg_buffer_free(&path);
            return;
        }
        p->list = list;
        p->room = room;
    }
    p->list[p->count++] = (place){strndup(event->id.ptr, event->id.len), strndup(match->address.ptr, match->address.len),
                                  path, benign, !benign};
}

static void take_line(places *p, const hg_value *line, bool all_benign)
{
    const hg_value *mark = hg_map_find(line, HG_SLICE("benign"));
    bool benign = all_benign || (mark != NULL && mark->type == HG_BOOL && mark->b8.val);
    for (size_t i = 0, n = cli_event_count(line); i < n; i++) {
        cli_event event = cli_event_at(line, i);
        for (size_t c = 0; event.matches != NULL && c < hg_value_size(event.matches); c++) {
            cli_match match = cli_match_at(&event, c);
            if (event.id.len > 0 && match.address.len > 0)
                add(p, &event, &match, benign);
        }
    }
}

static hg_status read_events(const char *path, places *p, bool all_benign)
{
    cli_stream stream;
    hg_status status = cli_stream_open(&stream, path);
    size_t number = 0;
    if (status != HG_OK) {
        fprintf(stderr, "hotgate tune: %s: %s\n", path, status == HG_ERR_IO ? strerror(errno) : hg_strerror(status));
        return status;
    }
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_slice line;
    for (size_t used; (status = cli_stream_line(&stream, &line, &used)) == HG_OK; cli_stream_skip(&stream, used)) {
        const hg_json_options options = {.dialect = HG_JSON_STRICT, .max_depth = 100};
        hg_json_error error;
        hg_value tree;
        number++;
        if (line.len == 0)
            continue;
        if (hg_json_read(line, &options, &tree, hg_arena_allocator(&arena), &error) == HG_OK && hg_is_map(&tree))
            take_line(p, &tree, all_benign);
        else
            fprintf(stderr, "%s:%zu: not an event\n", path, number);
        hg_arena_reset(&arena);
    }
    hg_arena_close(&arena);
    cli_stream_close(&stream);
    return status == HG_ERR_TRUNCATED ? HG_OK : status;
}

static void print_proposal(const places *p)
{
    size_t printed = 0;
    hg_buffer out = {0};
    hg_buffer_append(&out, HG_SLICE("{\n  \"version\": \"2.2\",\n  \"exclusions\": ["));
    for (size_t i = 0; i < p->count; i++) {
        const place *one = &p->list[i];
        if (one->benign == 0)
            continue;
        hg_buffer_printf(&out, "%s\n    {\"id\": \"tune-%zu\", \"rules_target\": [{\"rule_id\": ", printed > 0 ? "," : "",
                         printed + 1);
        hg_json_write_string(hg_slice_from(one->rule), 0, &out);
        hg_buffer_append(&out, HG_SLICE("}], \"inputs\": [{\"address\": "));
        hg_json_write_string(hg_slice_from(one->address), 0, &out);
        hg_buffer_append(&out, HG_SLICE(", \"key_path\": "));
        hg_buffer_append(&out, hg_slice_of(one->path.ptr, one->path.len));
        hg_buffer_append(&out, HG_SLICE("}]}"));
        printed++;
        fprintf(stderr, "tune-%zu: %s at %s %.*s: %zu marked as benign", printed, one->rule, one->address,
                (int)one->path.len, one->path.ptr, one->benign);
        if (one->other > 0)
            fprintf(stderr, "; would also hide %zu not marked", one->other);
        fputc('\n', stderr);
    }
    hg_buffer_append(&out, HG_SLICE("\n  ]\n}\n"));
    fwrite(out.ptr, 1, out.len, stdout);
    hg_buffer_free(&out);
}

int cli_tune(int argc, char **argv)
{
    const char *path = NULL;
    bool all_benign = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--all-benign") == 0)
            all_benign = true;
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
            return cli_usage_error("tune", "unknown option", argv[i]);
        else if (path == NULL)
            path = argv[i];
        else
            return cli_usage_error("tune", "unexpected argument", argv[i]);
    }
    if (path == NULL)
        return cli_usage_error("tune", "one EVENTS.ndjson is wanted", NULL);
    places p = {0};
    hg_status status = read_events(path, &p, all_benign);
    if (status == HG_OK)
        print_proposal(&p);
    for (size_t i = 0; i < p.count; i++) {
        free(p.list[i].rule);
        free(p.list[i].address);
        hg_buffer_free(&p.list[i].path);
    }
    free(p.list);
    return status == HG_OK ? 0 : 3;
}
