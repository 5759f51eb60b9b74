/* Log lines of the engine. Silent until a sink is set; a line costs one load when its level is off. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "hotgate/base.h"

typedef enum hg_log_level {
    HG_LOG_TRACE,
    HG_LOG_DEBUG,
    HG_LOG_INFO,
    HG_LOG_WARN,
    HG_LOG_ERROR,
    HG_LOG_OFF
} hg_log_level;

/* One line, without a line end; the slice lives during the call only. */
typedef void hg_log_sink(void *state, hg_log_level level, const char *function, const char *file, unsigned line,
                         hg_slice message);

/* Sets where lines of at least `level` go (sink NULL: nowhere). Safe while other threads log, but a line that is
 * being written may still reach the old sink: keep its state alive. */
void hg_log_to(hg_log_sink *sink, void *state, hg_log_level level);

/* A sink that writes "LEVEL message" lines to stderr; state is unused. */
hg_log_sink hg_log_stderr;

/* Name of a level in lower case. */
const char *hg_log_level_name(hg_log_level level);

bool hg_log_enabled(hg_log_level level);

/* Formats (cut at 1,023 bytes) and hands to the sink; use the macro. */
void hg_log_write(hg_log_level level, const char *function, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define HG_LOG(level, ...)                                                                                            \
    do {                                                                                                              \
        if (hg_log_enabled(level))                                                                                    \
            hg_log_write((level), __func__, __FILE__, __LINE__, __VA_ARGS__);                                         \
    } while (0)

#endif
