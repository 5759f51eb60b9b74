/* Changes of state are noted before they are made, so that a call that fails leaves the context as it was. */
#include "waf/eval/context.h"

bool hg_undo_note(hg_run *run, void *where, uint32_t size)
{
    hg_undo *undo = hg_call_alloc(run, sizeof *undo);
    if (undo == NULL)
        return false;
    *undo = (hg_undo){.where = where, .size = size, .next = run->undo};
    memcpy(undo->old, where, size);
    run->undo = undo;
    return true;
}

void hg_undo_all(hg_run *run)
{
    for (; run->undo != NULL; run->undo = run->undo->next)
        memcpy(run->undo->where, run->undo->old, run->undo->size);
}
