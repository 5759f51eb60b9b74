/* Visiting the elements of a value in the order of waf-eval 3: depth first, in insertion order, without recursion. */
#ifndef WAF_EVAL_WALK_H
#define WAF_EVAL_WALK_H

#include "waf/eval/context.h"

enum {
    HG_WALK_VALUES = 1,
    HG_WALK_KEYS = 2,
    HG_WALK_FRAMES = 24 /* levels before memory is taken from the arena */
};

typedef struct hg_walk_frame {
    const hg_value *container;
    uint32_t size;
    uint32_t next; /* the child at next - 1 is the current one */
} hg_walk_frame;

typedef struct hg_walk {
    hg_run *run;
    const hg_excluder *excluder;
    hg_key_path path; /* configured steps before the walk */
    unsigned wanted;  /* HG_WALK_ mask */
    uint32_t max_size;
    uint32_t max_depth;
    uint32_t later_depth; /* max_depth after the first element */
    const hg_value *pending; /* value whose key was just given, or a scalar root */
    const hg_value *element; /* the current one: a scalar, or `key` */
    bool at_key;
    hg_value key;
    uint32_t depth;
    uint32_t room;
    hg_walk_frame *frames;
    hg_walk_frame inline_frames[HG_WALK_FRAMES];
} hg_walk;

/* Starts at the object that the path selects below root. A walk that selects nothing is over at once. */
void hg_walk_start(hg_walk *walk, hg_run *run, const hg_value *root, hg_key_path path, unsigned wanted,
                   const hg_excluder *excluder);

/* The object that a walk by that path begins at; NULL if it selects nothing. */
const hg_value *hg_walk_origin(const hg_profile *profile, const hg_value *root, hg_key_path path, unsigned wanted,
                               const hg_excluder *excluder);

/* Starts at an object itself; `path` is only reported. */
void hg_walk_below(hg_walk *walk, hg_run *run, const hg_value *object, hg_key_path path, unsigned wanted,
                   const hg_excluder *excluder);

/* Goes to the next element; false at the end. */
bool hg_walk_next(hg_walk *walk);

/* Steps from the root to the current element, in memory of the context. */
const hg_value *hg_walk_path(const hg_walk *walk, uint32_t *length);

/* Configured steps as values to report. */
const hg_value *hg_path_values(hg_run *run, hg_key_path path, uint32_t *length);

/* waf-eval 3.3: the object at the path, first keys only; NULL if there is none or an object on the way is excluded. */
const hg_value *hg_path_resolve(const hg_value *root, hg_key_path path, const hg_excluder *excluder,
                                uint32_t max_size);

typedef enum hg_presence {
    HG_FOUND,
    HG_NOT_FOUND,
    HG_UNKNOWN /* hidden by an exclusion */
} hg_presence;

hg_presence hg_path_presence(const hg_value *root, hg_key_path path, const hg_excluder *excluder,
                             uint32_t max_size);

#endif
