#include "hotgate/base.h"

const char *hg_strerror(hg_status status)
{
    switch (status) {
    case HG_OK:
        return "success";
    case HG_ERR_NOMEM:
        return "out of memory";
    case HG_ERR_ARGUMENT:
        return "invalid argument";
    case HG_ERR_SYNTAX:
        return "malformed input";
    case HG_ERR_LIMIT:
        return "a limit was reached";
    case HG_ERR_TRUNCATED:
        return "the input ends too early";
    case HG_ERR_UNSUPPORTED:
        return "not supported by this build";
    case HG_ERR_IO:
        return "input or output failed";
    case HG_ERR_TIMEOUT:
        return "the time budget ran out";
    case HG_ERR_INTERNAL:
        return "internal error";
    case HG_NEED_MORE:
        return "more input is needed";
    }
    return "unknown status";
}
