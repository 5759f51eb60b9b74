/* The address store: the latest value of each address the plan knows. */
#include "waf/eval/context.h"

const hg_value *hg_slot_at(const hg_slot *slot, uint32_t pass)
{
    if (slot->pass <= pass)
        return slot->value;
    for (const hg_past *past = slot->past; past != NULL; past = past->older)
        if (past->pass <= pass)
            return past->value;
    return NULL;
}

/* Keeps the object that a slot held, for conditions that saw no later one. */
static void remember_past(hg_run *run, hg_slot *slot)
{
    hg_past *past = hg_life_alloc(run, sizeof *past);
    if (past == NULL)
        return;
    *past = (hg_past){slot->value, slot->pass, slot->past};
    slot->past = past;
}

void hg_store_set(hg_run *run, uint32_t address, const hg_value *value, bool ephemeral)
{
    hg_context *context = run->context;
    hg_slot *slot = &context->slots[address];
    if (!slot->touched) {
        slot->touched = true;
        context->touched[context->touched_count++] = address;
    }
    if (slot->value != value) {
        if (slot->value != NULL)
            remember_past(run, slot);
        slot->value = value;
        slot->pass = context->pass;
    }
    slot->ephemeral = ephemeral;
    if (!slot->is_new) {
        slot->is_new = true;
        context->fresh[context->fresh_count++] = address;
    }
}

/* libddwaf 1 knows addresses that no rule uses, too: they decide whether a call brought anything. */
static bool meet_stranger(hg_run *run, const hg_entry *entry)
{
    hg_context *context = run->context;
    for (hg_stranger *s = context->strangers; s != NULL; s = s->next)
        if (!s->gone && hg_slice_equal(s->name, entry->address))
            return s->ephemeral == entry->ephemeral;
    hg_stranger *stranger = hg_life_alloc(run, sizeof *stranger);
    if (stranger != NULL) {
        *stranger = (hg_stranger){hg_life_copy(run, entry->address), entry->ephemeral, false, context->strangers};
        context->strangers = stranger;
    }
    return true;
}

bool hg_store_apply(hg_run *run, const hg_batch *batch, bool as_new)
{
    hg_context *context = run->context;
    bool brought = false;
    for (size_t i = 0; i < batch->count; i++) {
        const hg_entry *entry = &batch->entries[i];
        if (entry->address.len == 0 || entry->value == NULL)
            continue;
        uint32_t address = hg_addresses_find(&run->plan->addresses, entry->address);
        if (address == UINT32_MAX) {
            if (!run->profile->evaluate_unchanged)
                brought |= meet_stranger(run, entry);
            continue;
        }
        const hg_slot *slot = &context->slots[address];
        if (slot->value != NULL && slot->ephemeral != entry->ephemeral)
            continue; /* an ephemeral value never shadows a persistent one, nor the reverse */
        hg_store_set(run, address, entry->value, entry->ephemeral);
        brought = true;
    }
    if (!as_new)
        hg_store_settle(run);
    return brought;
}

void hg_store_settle(hg_run *run)
{
    hg_context *context = run->context;
    for (uint32_t i = 0; i < context->fresh_count; i++)
        context->slots[context->fresh[i]].is_new = false;
    context->fresh_count = 0;
}

void hg_store_drop_ephemeral(hg_run *run)
{
    hg_context *context = run->context;
    for (uint32_t i = 0; i < context->touched_count; i++) {
        hg_slot *slot = &context->slots[context->touched[i]];
        if (slot->value != NULL && slot->ephemeral) {
            slot->value = NULL;
            slot->past = NULL;
        }
    }
    for (hg_stranger *s = context->strangers; s != NULL; s = s->next)
        s->gone |= s->ephemeral;
}

bool hg_store_brings(const hg_run *run, uint8_t use)
{
    const hg_context *context = run->context;
    for (uint32_t i = 0; i < context->fresh_count; i++)
        if (run->plan->address_use[context->fresh[i]] & use)
            return true;
    return false;
}
