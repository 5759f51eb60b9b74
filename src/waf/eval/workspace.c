#include "waf/eval/context.h"

#include <stdlib.h>

enum { TEXTS_KEPT = 16384, TEXTS_FIRST = 128 };

HG_COLD hg_workspace *hg_workspace_new(void)
{
    hg_workspace *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->regex = hg_regex_scratch_new();
    w->memo = hg_memo_new();
    if (w->regex != NULL)
        return w;
    hg_workspace_free(w);
    return NULL;
}

HG_COLD static void free_texts(hg_workspace *w)
{
    free(w->texts.items);
    free(w->raw.items);
    free(w->table);
    w->texts = w->raw = (hg_text_list){NULL, 0};
    w->table = NULL;
    w->table_room = 0;
}

HG_COLD void hg_workspace_free(hg_workspace *w)
{
    if (w == NULL)
        return;
    free_texts(w);
    free(w->job_hits);
    free(w->memo);
    hg_regex_scratch_free(w->regex);
    free(w);
}

bool hg_workspace_settle(hg_workspace *w)
{
    if (w->texts.room > TEXTS_KEPT || w->raw.room > TEXTS_KEPT)
        free_texts(w);
    return hg_regex_scratch_status(w->regex) == HG_OK;
}

HG_COLD bool hg_workspace_grow_hits(hg_workspace *w, uint32_t words)
{
    free(w->job_hits);
    w->job_hits = malloc(HG_SCAN_BATCH * words * sizeof *w->job_hits);
    w->job_words = w->job_hits != NULL ? words : 0;
    return w->job_hits != NULL;
}

HG_COLD bool hg_workspace_grow_texts(hg_text_list *list)
{
    uint32_t larger = list->room ? list->room * 2 : TEXTS_FIRST;
    hg_text *grown = realloc(list->items, larger * sizeof *grown);
    if (grown == NULL)
        return false;
    *list = (hg_text_list){grown, larger};
    return true;
}

HG_COLD bool hg_workspace_grow_table(hg_workspace *w, uint32_t size)
{
    free(w->table);
    w->table = malloc(size * sizeof *w->table);
    w->table_room = w->table != NULL ? size : 0;
    return w->table != NULL;
}
