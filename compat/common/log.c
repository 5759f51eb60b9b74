/* ddwaf_set_log_cb and ddwaf_get_version, the same in both ABIs but for how a file is named. */
#include <ddwaf.h>

#include "base/log.h"
#include "compat.h"

#include <stdio.h>

static ddwaf_log_cb callback;

/* Version 1 names files by their last part, version 2 by their path under src/. */
static const char *shown_file(const char *file)
{
    const char *shown = file;
    for (const char *at = file; *at != '\0'; at++) {
        if (HG_DDWAF_ABI == 1 ? *at == '/' : strncmp(at, "/src/", 5) == 0)
            shown = at + (HG_DDWAF_ABI == 1 ? 1 : 5);
    }
    return shown;
}

static void forward(void *state, hg_log_level level, const char *function, const char *file, unsigned line,
                    hg_slice message)
{
    (void)state;
    char text[1024];
    size_t length = message.len < sizeof text - 1 ? message.len : sizeof text - 1;
    memcpy(text, message.ptr, length);
    text[length] = '\0';
    callback((DDWAF_LOG_LEVEL)level, function, shown_file(file), line, text, length);
}

bool ddwaf_set_log_cb(ddwaf_log_cb cb, DDWAF_LOG_LEVEL min_level)
{
    callback = cb;
    hg_log_to(cb != NULL ? forward : NULL, NULL, (hg_log_level)min_level);
    HG_LOG(HG_LOG_INFO, "Sending log messages to binding, min level %s", hg_log_level_name((hg_log_level)min_level));
    return true;
}

const char *ddwaf_get_version(void)
{
    return HG_DDWAF_VERSION;
}
