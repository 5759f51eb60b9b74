#include "cli/load/client.h"

#include "helper/frame.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 16384, SIP_SIZE = 100, SIP_NS = 1000000, PAUSE_NS = 20000000, SHOWN_MAX = 3 };

uint64_t client_random(client_env *env)
{
    uint64_t x = env->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return env->random = x;
}

static bool chance(client_env *env, unsigned percent)
{
    return percent > 0 && client_random(env) % 100 < percent;
}

void client_close(client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    hg_buffer_free(&c->in);
    hg_buffer_free(&c->ahead);
    *c = (client){.fd = -1};
}

static client_event lose(client *c, client_env *env, const char *why)
{
    if (env->counts.lost++ < SHOWN_MAX)
        fprintf(stderr, "hotgate load: a reply is lost: %s\n", why);
    client_close(c);
    return CLIENT_GONE;
}

static client_event send_rest(client *c, client_env *env)
{
    while (c->rest.len > 0) {
        ssize_t n = send(c->fd, c->rest.ptr, c->rest.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) {
            c->wakes = 1; /* tried again at the next tick */
            return CLIENT_WAITS;
        }
        if (n < 0 && errno != EINTR)
            return lose(c, env, strerror(errno));
        c->rest = hg_slice_skip(c->rest, n > 0 ? (size_t)n : 0);
    }
    return CLIENT_WAITS;
}

static client_event leave(client *c)
{
    client_close(c);
    return CLIENT_GONE;
}

static client_event send_frame(client *c, client_env *env, hg_slice frame, uint64_t now)
{
    c->sent_at = now;
    c->rest = frame;
    if (c->trouble == TROUBLE_NONE || c->trouble == TROUBLE_SLOW || c->trouble == TROUBLE_LEAVE)
        return send_rest(c, env);
    if (chance(env, 50) && c->command != LOAD_REQUEST_SHUTDOWN) /* else: at a later command */
        return send_rest(c, env);
    if (c->trouble == TROUBLE_VANISH) {
        client_event sent = send_rest(c, env);
        return sent == CLIENT_GONE ? sent : leave(c);
    }
    hg_slice part = hg_slice_take(frame, 1 + client_random(env) % (frame.len - 1));
    ssize_t n = send(c->fd, part.ptr, part.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (c->trouble == TROUBLE_CUT)
        return leave(c);
    c->rest = hg_slice_skip(frame, n > 0 ? (size_t)n : 0);
    c->wakes = now + 1 + client_random(env) % PAUSE_NS;
    return CLIENT_WAITS;
}

static hg_slice text(const hg_buffer *b)
{
    return hg_slice_of(b->ptr, b->len);
}

client_event client_open(client *c, client_env *env, uint64_t now)
{
    *c = (client){.fd = load_connect(env->options->address), .step = CLIENT_HELLO, .begun = now};
    if (c->fd < 0) {
        c->step = CLIENT_CLOSED;
        return CLIENT_GONE;
    }
    return send_frame(c, env, text(&env->messages->client_init), now);
}

/* The whole request in one go. */
static client_event send_ahead(client *c, client_env *env, hg_slice first, uint64_t now)
{
    c->ahead.len = 0;
    hg_buffer_append(&c->ahead, first);
    for (unsigned i = 0; i < c->calls_left; i++)
        hg_buffer_append(&c->ahead, text(&env->messages->call));
    hg_buffer_append(&c->ahead, text(&env->messages->shutdown));
    c->wakes = now + PAUSE_NS;
    return send_frame(c, env, text(&c->ahead), now);
}

client_event client_begin(client *c, client_env *env, uint64_t due, uint64_t now)
{
    c->step = CLIENT_BUSY;
    c->command = LOAD_REQUEST_INIT;
    c->attack = chance(env, env->options->attack);
    c->calls_left = env->options->calls;
    c->trouble = chance(env, env->options->trouble) ? 1 + client_random(env) % (TROUBLE_KINDS - 1) : TROUBLE_NONE;
    c->begun = due;
    env->counts.troubled += c->trouble != TROUBLE_NONE;
    hg_slice frame = text(c->attack ? &env->messages->attack : &env->messages->benign);
    return c->trouble == TROUBLE_SLOW ? send_ahead(c, env, frame, now) : send_frame(c, env, frame, now);
}

/* The command after the one that was answered. */
static client_event go_on(client *c, client_env *env, uint64_t now)
{
    if (c->step == CLIENT_HELLO || c->command == LOAD_REQUEST_SHUTDOWN) {
        client_event event = c->step == CLIENT_HELLO ? CLIENT_GREETED : CLIENT_DONE;
        c->step = CLIENT_IDLE;
        c->wakes = 0;
        return event;
    }
    if (c->trouble == TROUBLE_LEAVE && chance(env, 60))
        return leave(c);
    bool call = c->calls_left > 0;
    c->calls_left -= call;
    c->command = call ? LOAD_REQUEST_EXEC : LOAD_REQUEST_SHUTDOWN;
    if (c->trouble == TROUBLE_SLOW) {
        c->sent_at = now;
        return CLIENT_WAITS;
    }
    return send_frame(c, env, text(call ? &env->messages->call : &env->messages->shutdown), now);
}

static void show_wrong(const client *c, hg_slice body)
{
    fprintf(stderr, "hotgate load: a wrong reply to command %d%s, %zu bytes:", (int)c->command, c->attack ? " of an attack" : "",
            body.len);
    for (size_t i = 0; i < body.len && i < 200; i++)
        fprintf(stderr, body.ptr[i] >= ' ' && body.ptr[i] <= '~' ? "%c" : "\\x%02x", (unsigned char)body.ptr[i]);
    fputc('\n', stderr);
}

static client_event judge(client *c, client_env *env, hg_slice body, uint64_t now)
{
    load_command command = c->step == CLIENT_HELLO ? LOAD_CLIENT_INIT : c->command;
    bool attack = c->attack && command == LOAD_REQUEST_INIT;
    env->counts.replies++;
    if (load_reply_right(env->options, command, attack, body, &env->arena))
        return go_on(c, env, now);
    if (env->counts.wrong++ < SHOWN_MAX)
        show_wrong(c, body);
    return command == LOAD_CLIENT_INIT ? leave(c) : go_on(c, env, now);
}

/* What came in: whole frames are judged one by one. */
static client_event take_frames(client *c, client_env *env, uint64_t now)
{
    size_t at = 0;
    client_event event = CLIENT_WAITS;
    while (event == CLIENT_WAITS) {
        size_t length;
        hg_slice left = hg_slice_of(c->in.ptr + at, c->in.len - at);
        frame_state state = frame_header(left, &length);
        if (state == FRAME_BAD_MARKER || state == FRAME_TOO_LARGE || (state == FRAME_READY && length > FRAME_OUT_MAX)) {
            env->counts.wrong++;
            return leave(c);
        }
        if (state == FRAME_NEED_MORE || left.len - FRAME_HEADER < length)
            break;
        if (c->step != CLIENT_HELLO && c->step != CLIENT_BUSY) { /* an answer nobody asked for */
            env->counts.wrong++;
            return leave(c);
        }
        event = judge(c, env, hg_slice_of(left.ptr + FRAME_HEADER, length), now);
        at += FRAME_HEADER + length;
    }
    if (event == CLIENT_GONE)
        return event;
    if (at < c->in.len && event != CLIENT_WAITS) { /* bytes behind the last answer */
        env->counts.wrong++;
        return leave(c);
    }
    memmove(c->in.ptr, c->in.ptr + at, c->in.len - at);
    c->in.len -= at;
    return event;
}

static client_event read_some(client *c, client_env *env, size_t wanted, bool *drained, uint64_t now)
{
    char *to = hg_buffer_reserve(&c->in, READ_SIZE);
    if (to == NULL)
        return lose(c, env, "out of memory");
    ssize_t n = recv(c->fd, to, wanted, MSG_DONTWAIT);
    *drained = n < (ssize_t)wanted;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return CLIENT_WAITS;
    if (n <= 0) {
        if (c->step == CLIENT_HELLO || c->step == CLIENT_BUSY)
            return lose(c, env, n == 0 ? "the daemon closed the connection" : strerror(errno));
        return leave(c);
    }
    c->in.len += (size_t)n;
    return take_frames(c, env, now);
}

client_event client_read(client *c, client_env *env, uint64_t now)
{
    bool drained = false;
    if (c->trouble == TROUBLE_SLOW && c->step == CLIENT_BUSY) {
        client_event event = read_some(c, env, 1 + client_random(env) % SIP_SIZE, &drained, now);
        if (event == CLIENT_WAITS)
            c->wakes = now + SIP_NS;
        return event;
    }
    client_event event = CLIENT_WAITS;
    while (event == CLIENT_WAITS && !drained)
        event = read_some(c, env, READ_SIZE, &drained, now);
    return event;
}

client_event client_wake(client *c, client_env *env, uint64_t now)
{
    c->wakes = 0;
    client_event event = send_rest(c, env);
    if (event != CLIENT_WAITS || c->wakes != 0)
        return event;
    return client_read(c, env, now);
}

client_event client_give_up(client *c, client_env *env)
{
    return lose(c, env, "no answer in time");
}
