/* A room without code yet still is a target. */
typedef int hg_empty_translation_unit;
