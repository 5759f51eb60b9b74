#include "helper/connection.h"

#include "helper/frame.h"
#include "helper/json_line.h"

#include <errno.h>
#include <sys/socket.h>

static bool after(connection *c, session_next next)
{
    c->closing |= next == SESSION_CLOSE;
    if (next == SESSION_WAIT)
        c->waiting_since = 1; /* the loop writes the time */
    return c->out.len - c->sent <= OUT_PENDING_MAX && !c->out.failed;
}

static bool start_body(connection *c)
{
    size_t length;
    switch (frame_header(hg_slice_of(c->head, c->head_size), &length)) {
    case FRAME_NEED_MORE:
        return true;
    case FRAME_READY:
        c->body = hg_arena_alloc(&c->session.request, length, 1); /* values will point into it */
        c->body_length = length;
        c->body_size = 0;
        return c->body != NULL;
    default:
        session_protocol_error(&c->session, &c->out);
        c->closing = true;
        return true;
    }
}

static bool feed_frames(connection *c, hg_slice bytes)
{
    while ((bytes.len > 0 || (c->body != NULL && c->body_length == 0)) && !c->closing && c->waiting_since == 0) {
        if (c->body == NULL) {
            size_t take = FRAME_HEADER - c->head_size < bytes.len ? FRAME_HEADER - c->head_size : bytes.len;
            memcpy(c->head + c->head_size, bytes.ptr, take);
            c->head_size += take;
            bytes = hg_slice_skip(bytes, take);
            if (!start_body(c))
                return false;
            continue;
        }
        size_t left = c->body_length - c->body_size, take = left < bytes.len ? left : bytes.len;
        memcpy(c->body + c->body_size, bytes.ptr, take);
        c->body_size += take;
        bytes = hg_slice_skip(bytes, take);
        if (c->body_size < c->body_length)
            continue;
        hg_slice body = hg_slice_of(c->body, c->body_length);
        c->body = NULL;
        c->head_size = 0;
        if (!after(c, session_command(&c->session, body, &c->out)))
            return false;
    }
    return true; /* a client that sends ahead while it waits breaks the protocol; its bytes are dropped */
}

static void one_line(connection *c, hg_slice line, const connection_limits *limits)
{
    session *s = &c->session;
    unsigned serial = atomic_load_explicit(&limits->plain->serial, memory_order_acquire);
    if (s->rules == NULL || serial != s->rules_serial) {
        generation_unref(s->rules);
        s->rules = service_generation(limits->plain);
        s->rules_serial = serial;
    }
    json_line_answer(line, s->rules, limits->plain->settings.timeout_us, s->counters, &s->request, &c->out);
}

static bool feed_lines(connection *c, hg_slice bytes, const connection_limits *limits)
{
    while (bytes.len > 0) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        size_t length = end ? (size_t)(end - bytes.ptr) : bytes.len;
        if (!c->skipping && c->line.len + length > limits->max_line) {
            json_line_refuse("the line is too long", &c->out);
            count_add(&c->session.counters->protocol_errors, 1);
            c->skipping = true;
            c->line.len = 0;
        }
        if (!c->skipping && (end == NULL || c->line.len > 0))
            hg_buffer_append(&c->line, hg_slice_of(bytes.ptr, length));
        if (end != NULL) {
            hg_slice line = c->line.len > 0 ? hg_slice_of(c->line.ptr, c->line.len) : hg_slice_of(bytes.ptr, length);
            if (!c->skipping && line.len > 0)
                one_line(c, line, limits);
            c->skipping = false;
            c->line.len = 0;
        }
        bytes = hg_slice_skip(bytes, length + (end != NULL));
        if (c->line.failed || c->out.failed || c->out.len - c->sent > OUT_PENDING_MAX)
            return false;
    }
    return true;
}

bool connection_feed(connection *c, hg_slice bytes, const connection_limits *limits)
{
    count_add(&c->session.counters->bytes_in, bytes.len);
    return c->protocol == PROTOCOL_JSON ? feed_lines(c, bytes, limits) : feed_frames(c, bytes);
}

int connection_flush(connection *c)
{
    while (c->sent < c->out.len) {
        ssize_t n = send(c->fd, c->out.ptr + c->sent, c->out.len - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            c->sent += (size_t)n;
            count_add(&c->session.counters->bytes_out, (uint64_t)n);
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
        }
    }
    c->out.len = c->sent = 0;
    return 1;
}
