#include "helper/connection.h"

#include "helper/frame.h"
#include "helper/json_line.h"

#include <errno.h>
#include <sys/socket.h>

void connection_open(connection *c, const connection_place *place, protocol speaks, uint64_t ticket, unsigned uid,
                     unsigned peer)
{
    memset(c, 0, sizeof *c);
    c->place = place;
    c->protocol = speaks;
    session_open(&c->session, &place->session, ticket, uid, peer);
}

void connection_close(connection *c)
{
    if (c->protocol == PROTOCOL_JSON) { /* its rules are no service's */
        generation_unref(c->session.rules);
        c->session.rules = NULL;
    }
    session_close(&c->session);
    hg_buffer_free(&c->held);
    hg_buffer_free(&c->line);
    hg_buffer_free(&c->out);
}

static loop_counters *counters(const connection *c)
{
    return c->place->session.counters;
}

/* Whether the connection may go on with what is waiting to be sent. */
static bool within_output(connection *c)
{
    if (connection_pending(c) <= OUT_PENDING_MAX)
        return !c->out.failed;
    count_limit(counters(c), LIMIT_OUTPUT, "a client does not read its answers");
    return false;
}

/* ---- Frames ---- */

static void refuse_frame(connection *c, bool over_limit)
{
    if (over_limit)
        count_limit(counters(c), LIMIT_FRAME, "a message is too long");
    session_protocol_error(&c->session, &c->out);
    c->closing = true;
}

static void start_body(connection *c)
{
    size_t length;
    frame_state state = frame_header(hg_slice_of(c->head, c->head_size), &length);
    if (state == FRAME_NEED_MORE)
        return;
    if (state == FRAME_READY && length > c->place->max_frame)
        state = FRAME_TOO_LARGE;
    if (state != FRAME_READY) {
        refuse_frame(c, state == FRAME_TOO_LARGE);
        return;
    }
    c->body = session_room(&c->session, length);
    c->body_length = length;
    c->body_size = 0;
    c->skipping = c->body == NULL;
    if (c->skipping)
        count_limit(counters(c), LIMIT_MEMORY, "the messages of a request are too long");
}

static bool in_body(const connection *c)
{
    return c->body != NULL || c->skipping;
}

static hg_slice take_head(connection *c, hg_slice bytes)
{
    size_t left = FRAME_HEADER - c->head_size, take = left < bytes.len ? left : bytes.len;
    memcpy(c->head + c->head_size, bytes.ptr, take);
    c->head_size += take;
    start_body(c);
    return hg_slice_skip(bytes, take);
}

static hg_slice take_body(connection *c, hg_slice bytes)
{
    size_t left = c->body_length - c->body_size, take = left < bytes.len ? left : bytes.len;
    if (!c->skipping && take > 0)
        memcpy(c->body + c->body_size, bytes.ptr, take);
    c->body_size += take;
    return hg_slice_skip(bytes, take);
}

static void end_body(connection *c)
{
    hg_slice body = hg_slice_of(c->body, c->body_length);
    bool skipped = c->skipping;
    c->body = NULL;
    c->skipping = false;
    c->head_size = 0;
    if (skipped) {
        session_protocol_error(&c->session, &c->out);
        return;
    }
    session_next next = session_command(&c->session, body, &c->out);
    c->closing |= next == SESSION_CLOSE;
    c->paused = next == SESSION_PAUSE || next == SESSION_WAIT ? next : SESSION_GO_ON;
}

static bool feed_frames(connection *c, hg_slice bytes)
{
    while (!c->closing && c->paused == SESSION_GO_ON) {
        if (in_body(c) && c->body_size == c->body_length) {
            end_body(c);
            if (!within_output(c))
                return false;
        } else if (bytes.len == 0) {
            return true;
        } else {
            bytes = in_body(c) ? take_body(c, bytes) : take_head(c, bytes);
        }
    }
    if (!c->closing)
        hg_buffer_append(&c->held, bytes); /* at most one read, as none follows while it is paused */
    return !c->held.failed;
}

bool connection_resume(connection *c, bool in_time)
{
    c->paused = SESSION_GO_ON;
    c->closing |= session_resume(&c->session, in_time, &c->out) == SESSION_CLOSE;
    hg_buffer held = c->held;
    c->held = (hg_buffer){0};
    bool ok = feed_frames(c, hg_slice_of(held.ptr, held.len));
    hg_buffer_free(&held);
    return ok;
}

/* ---- Lines ---- */

static void one_line(connection *c, hg_slice line)
{
    const connection_place *p = c->place;
    session *s = &c->session;
    unsigned serial = atomic_load_explicit(&p->plain->serial, memory_order_acquire);
    if (s->rules == NULL || serial != s->rules_serial) {
        generation_unref(s->rules);
        s->rules = source_generation(p->plain);
        s->rules_serial = serial;
    }
    json_line_answer(line, s, p->obfuscator, &c->out);
}

static void refuse_line(connection *c)
{
    count_limit(counters(c), LIMIT_LINE, "a JSON line is too long");
    count_add(&counters(c)->protocol_errors, 1);
    json_line_refuse("the line is too long", &c->out);
    c->skipping = true;
    hg_buffer_free(&c->line);
}

static void end_line(connection *c, hg_slice rest)
{
    if (c->line.len > 0) {
        hg_buffer_append(&c->line, rest);
        rest = hg_slice_of(c->line.ptr, c->line.len);
    }
    if (!c->skipping && rest.len > 0)
        one_line(c, rest);
    c->skipping = false;
    c->line.len = 0;
    if (c->line.cap > 65536)
        hg_buffer_free(&c->line); /* one long line must not be kept for ever */
}

static bool feed_lines(connection *c, hg_slice bytes)
{
    while (bytes.len > 0) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        size_t length = end ? (size_t)(end - bytes.ptr) : bytes.len;
        if (!c->skipping && c->line.len + length > c->place->max_line)
            refuse_line(c);
        if (end != NULL)
            end_line(c, hg_slice_of(bytes.ptr, length));
        else if (!c->skipping)
            hg_buffer_append(&c->line, bytes);
        bytes = hg_slice_skip(bytes, length + (end != NULL));
        if (c->line.failed || !within_output(c))
            return false;
    }
    return true;
}

/* ---- Both ---- */

bool connection_feed(connection *c, hg_slice bytes)
{
    count_add(&counters(c)->bytes_in, bytes.len);
    return c->protocol == PROTOCOL_JSON ? feed_lines(c, bytes) : feed_frames(c, bytes);
}

void connection_renew(connection *c)
{
    session *s = &c->session;
    if (c->protocol != PROTOCOL_JSON) {
        session_renew(s);
        return;
    }
    generation_unref(s->rules); /* the next line takes the latest */
    s->rules = NULL;
}

void connection_end(connection *c)
{
    if (c->protocol == PROTOCOL_JSON)
        end_line(c, HG_SLICE("")); /* the last line may lack its end */
    c->closing = true;
}

int connection_flush(connection *c, int fd)
{
    while (c->sent < c->out.len) {
        ssize_t n = send(fd, c->out.ptr + c->sent, c->out.len - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            c->sent += (size_t)n;
            count_add(&counters(c)->bytes_out, (uint64_t)n);
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
        }
    }
    c->out.len = c->sent = 0;
    return 1;
}
