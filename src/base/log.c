#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int threshold = HG_LOG_OFF;
static _Atomic(hg_log_sink *) current_sink;
static _Atomic(void *) current_state;

void hg_log_to(hg_log_sink *sink, void *state, hg_log_level level)
{
    atomic_store(&threshold, HG_LOG_OFF);
    atomic_store(&current_state, state);
    atomic_store(&current_sink, sink);
    atomic_store(&threshold, sink == NULL ? HG_LOG_OFF : (int)level);
}

bool hg_log_enabled(hg_log_level level)
{
    return level < HG_LOG_OFF && (int)level >= atomic_load_explicit(&threshold, memory_order_relaxed);
}

void hg_log_write(hg_log_level level, const char *function, const char *file, unsigned line, const char *format, ...)
{
    hg_log_sink *sink = atomic_load(&current_sink);
    if (sink == NULL)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        return;
    size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    sink(atomic_load(&current_state), level, function, file, line, hg_slice_of(text, len));
}

const char *hg_log_level_name(hg_log_level level)
{
    static const char *const names[] = {"trace", "debug", "info", "warn", "error", "off"};
    return level <= HG_LOG_OFF ? names[level] : "off";
}

void hg_log_stderr(void *state, hg_log_level level, const char *function, const char *file, unsigned line,
                   hg_slice message)
{
    (void)state;
    (void)function;
    (void)file;
    (void)line;
    fprintf(stderr, "hotgate: %s: %.*s\n", hg_log_level_name(level), (int)message.len, message.ptr);
}
