/* Processors: their scanners selected, split by when they run. */
#include "waf/ruleset/merge.h"

typedef struct processor_lists {
    hg_processor *pre;
    hg_processor *post;
    size_t scanner_room;
} processor_lists;

/* How references speak of one scanner. */
typedef struct mention {
    bool by_id;
    bool by_tags;
} mention;

static void note(mention *m, hg_references references, const hg_scanner *scanner)
{
    for (uint32_t i = 0; i < references.count; i++) {
        const hg_reference *reference = &references.items[i];
        m->by_id |= reference->kind == HG_REFERENCE_ID && hg_slice_equal(reference->id, scanner->id);
        m->by_tags |= reference->kind == HG_REFERENCE_TAGS && hg_tags_include(scanner->tags, reference->tags);
    }
}

static bool targets(const hg_processor_override *o, hg_slice id)
{
    for (uint32_t i = 0; i < o->targets.count; i++)
        if (o->targets.items[i].kind == HG_REFERENCE_ID && hg_slice_equal(o->targets.items[i].id, id))
            return true;
    return false;
}

typedef struct selection {
    const hg_processor_config *config;
    const hg_scanner *scanner;
    mention included;
    mention excluded;
} selection;

static bool note_override(hg_merge *m, const void *item, void *state)
{
    const hg_processor_override *o = item;
    selection *s = state;
    (void)m;
    if (targets(o, s->config->processor.id)) {
        note(&s->included, o->scanners.include, s->scanner);
        note(&s->excluded, o->scanners.exclude, s->scanner);
    }
    return true;
}

/* By id goes before by tags, and excluding before including. */
static bool is_selected(const selection *s)
{
    if (s->excluded.by_id)
        return false;
    return s->included.by_id || (s->included.by_tags && !s->excluded.by_tags);
}

typedef struct scanner_pick {
    const hg_processor_config *config;
    const hg_scanner **items;
    uint32_t count;
} scanner_pick;

static bool pick(hg_merge *m, const void *item, void *state)
{
    scanner_pick *p = state;
    selection s = {.config = p->config, .scanner = item};
    note(&s.included, p->config->scanners, s.scanner);
    hg_merge_each(m, HG_SECTION_PROCESSOR_OVERRIDES, note_override, &s);
    if (is_selected(&s))
        p->items[p->count++] = s.scanner;
    return true;
}

static bool select_scanners(hg_merge *m, const processor_lists *lists, const hg_processor_config *config,
                            hg_processor *out)
{
    if (config->processor.generator->id != HG_GENERATE_SCHEMA)
        return true;
    scanner_pick p = {config, hg_merge_alloc(m->arena, lists->scanner_room, sizeof(hg_scanner *)), 0};
    if (p.items == NULL)
        return false;
    hg_merge_each(m, HG_SECTION_SCANNERS, pick, &p);
    out->scanners = p.items;
    out->scanner_count = p.count;
    return true;
}

static bool add(hg_merge *m, const void *item, void *state)
{
    const processor_lists *lists = state;
    const hg_processor_config *config = item;
    hg_processor *out = config->processor.evaluate ? &lists->pre[m->ruleset->preprocessor_count++]
                                                   : &lists->post[m->ruleset->postprocessor_count++];
    *out = config->processor;
    return select_scanners(m, lists, config, out);
}

bool hg_merge_processors(hg_merge *m)
{
    size_t room = hg_merge_count(m, HG_SECTION_PROCESSORS);
    processor_lists lists = {hg_merge_alloc(m->arena, room, sizeof(hg_processor)),
                             hg_merge_alloc(m->arena, room, sizeof(hg_processor)),
                             hg_merge_count(m, HG_SECTION_SCANNERS)};
    if (lists.pre == NULL || lists.post == NULL)
        return false;
    m->ruleset->preprocessors = lists.pre;
    m->ruleset->postprocessors = lists.post;
    return hg_merge_each(m, HG_SECTION_PROCESSORS, add, &lists);
}
