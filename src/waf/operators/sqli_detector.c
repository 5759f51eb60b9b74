/* sqli_detector: a parameter changes the structure of a statement (waf-operators 12.3). */
#include "waf/operators/hunt.h"

#include "text/rasp/sql_injection.h"

static bool hunt(hg_detect *d, hg_hunt *h, hg_sql_statement *statement)
{
    size_t at;
    while (hg_hunt_next(h, &at)) {
        if (statement->tokens == NULL) {
            hg_sql_dialect dialect = hg_sql_dialect_of(hg_value_string(d->db_type));
            if (hg_sql_statement_init(statement, h->resource, dialect, d->env->arena) != HG_OK) {
                h->stopped = true;
                return false;
            }
        }
        if (hg_sql_is_injected(statement, at, at + hg_hunt_param(h).len))
            return true;
    }
    return false;
}

static bool detect(const void *params, hg_detect *d)
{
    (void)params;
    hg_sql_statement statement = {.tokens = NULL};
    for (size_t object = 0; object < d->object_count; object++) {
        hg_hunt h = hg_hunt_start(d, hg_value_string(d->resource), HG_SQL_PARAM_MIN, object);
        if (hunt(d, &h, &statement))
            return hg_hunt_report(&h, hg_sql_redacted(&statement, d->env->arena));
        if (h.stopped)
            return false;
    }
    return false;
}

const hg_operator hg_operator_sqli_detector = {
    .name = HG_SLICE("sqli_detector"),
    .kind = HG_OPERATOR_DETECTOR,
    .max_version = 3,
    .arguments = {{HG_SLICE("resource"), false, HG_ARGUMENT_STRING},
                  {HG_SLICE("params"), true, HG_ARGUMENT_ANY},
                  {HG_SLICE("db_type"), false, HG_ARGUMENT_STRING}},
    .detect = detect,
};
