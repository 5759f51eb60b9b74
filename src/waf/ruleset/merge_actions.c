/* Actions: the configured ones, and the defaults that none of them replaces. */
#include <stdlib.h>

#include "waf/ruleset/actions.h"
#include "waf/ruleset/merge.h"

typedef struct action_list {
    hg_action *items;
    uint32_t count;
} action_list;

static bool add(hg_merge *m, const void *item, void *state)
{
    action_list *list = state;
    (void)m;
    list->items[list->count++] = *(const hg_action *)item;
    return true;
}

static bool has(const action_list *list, hg_slice id)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (hg_slice_equal(list->items[i].id, id))
            return true;
    return false;
}

static int by_id(const void *a, const void *b)
{
    return hg_slice_compare(((const hg_action *)a)->id, ((const hg_action *)b)->id);
}

bool hg_merge_actions(hg_merge *m)
{
    size_t default_count;
    const hg_action *defaults = hg_action_defaults(&default_count);
    size_t room = hg_merge_count(m, HG_SECTION_ACTIONS) + default_count;
    action_list list = {hg_merge_alloc(m->arena, room, sizeof(hg_action)), 0};
    if (list.items == NULL)
        return false;
    hg_merge_each(m, HG_SECTION_ACTIONS, add, &list);
    for (size_t i = 0; i < default_count; i++)
        if (!has(&list, defaults[i].id))
            list.items[list.count++] = defaults[i];
    qsort(list.items, list.count, sizeof(hg_action), by_id);
    m->ruleset->actions = list.items;
    m->ruleset->action_count = list.count;
    return true;
}
