/* The parts of a multipart body (RFC 2046), as far as HTTP needs them: where a part's headers are. Weirds:
 * exceeded_mime_max_depth. */
#include "net/http/http.h"

#include <stdio.h>
#include <stdlib.h>

enum { BOUNDARY_MOST = 70 }; /* RFC 2046 5.1.1 */

typedef struct level {
    char boundary[BOUNDARY_MOST];
    uint8_t boundary_len;
    bool message;   /* one nested entity instead of parts */
    bool has_child;
    bool in_header; /* of its current part */
    http_kind child; /* what that part's Content-Type says */
    char child_boundary[BOUNDARY_MOST];
    uint8_t child_boundary_len;
} level;

struct http_mime {
    level *levels;
    uint32_t count, room;
    http_buffer header; /* unfinished, of the innermost part */
    uint32_t folds;
};

static bool level_push(http_mime *mime, const char *boundary, size_t len, bool message)
{
    if (mime->count == mime->room) {
        uint32_t room = mime->room ? mime->room * 2 : 2;
        level *levels = realloc(mime->levels, room * sizeof *levels);
        if (levels == NULL)
            return false;
        mime->levels = levels;
        mime->room = room;
    }
    level *l = &mime->levels[mime->count++];
    memset(l, 0, sizeof *l);
    l->message = message;
    l->boundary_len = (uint8_t)(len < BOUNDARY_MOST ? len : BOUNDARY_MOST);
    memcpy(l->boundary, boundary, l->boundary_len);
    return true;
}

void http_mime_free(http_mime *mime)
{
    if (mime == NULL)
        return;
    free(mime->levels);
    free(mime->header.bytes);
    free(mime);
}

static void child_begin(const http_context *c, level *l)
{
    l->has_child = l->in_header = true;
    l->child = HTTP_OPAQUE;
    http_row_begin_entity(c);
}

bool http_mime_start(const http_context *c, hg_slice boundary, bool message)
{
    http_entity *e = &http_of(c)->entity;
    http_mime_free(e->mime);
    e->mime = calloc(1, sizeof *e->mime);
    if (e->mime == NULL)
        return false;
    if (!level_push(e->mime, boundary.ptr, boundary.len, message)) {
        http_mime_free(e->mime);
        e->mime = NULL;
        return false;
    }
    if (message)
        child_begin(c, &e->mime->levels[0]);
    return true;
}

void http_mime_content_type(http_mime *mime, hg_slice value)
{
    level *l = &mime->levels[mime->count - 1];
    hg_slice type = hg_http_first_token(value, NULL);
    l->child = HTTP_OPAQUE;
    if (hg_http_same(type, HG_SLICE("message"))) {
        l->child = HTTP_MESSAGE;
    } else if (hg_http_same(type, HG_SLICE("multipart"))) {
        hg_slice boundary = hg_http_parameter(value, HG_SLICE("boundary"));
        if (boundary.len == 0)
            return;
        l->child = HTTP_MULTIPART;
        l->child_boundary_len = (uint8_t)(boundary.len < BOUNDARY_MOST ? boundary.len : BOUNDARY_MOST);
        memcpy(l->child_boundary, boundary.ptr, l->child_boundary_len);
    }
}

typedef enum delimiter { NO_DELIMITER, DELIMITER, CLOSE_DELIMITER } delimiter;

static delimiter delimiter_of(const level *l, hg_slice line)
{
    if (l->message || line.len < 2u + l->boundary_len || memcmp(line.ptr, "--", 2) != 0 ||
        memcmp(line.ptr + 2, l->boundary, l->boundary_len) != 0)
        return NO_DELIMITER;
    hg_slice rest = hg_slice_skip(line, 2u + l->boundary_len);
    bool close = rest.len >= 2 && memcmp(rest.ptr, "--", 2) == 0;
    if (close)
        rest = hg_slice_skip(rest, 2);
    if (hg_http_trim(rest).len > 0)
        return NO_DELIMITER;
    return close ? CLOSE_DELIMITER : DELIMITER;
}

static void header_finish(const http_context *c, http_mime *mime)
{
    if (mime->header.len > 0) {
        hg_slice joined = hg_slice_of(mime->header.bytes, mime->header.len);
        mime->header.len = 0;
        http_header(c, joined, true, mime->folds);
    }
    mime->folds = 0;
}

/* The part's headers are over: does it hold parts itself? */
static void part_open(const http_context *c, http_mime *mime)
{
    level *l = &mime->levels[mime->count - 1];
    http_kind kind = l->child;
    l->in_header = false;
    if (kind == HTTP_OPAQUE)
        return;
    if (mime->count >= MIME_DEPTH_MOST) {
        char addl[16];
        snprintf(addl, sizeof addl, "%u", mime->count);
        http_weird(c, W_exceeded_mime_max_depth, addl);
        net_flow_limit_hit(c->flow);
        return;
    }
    char boundary[BOUNDARY_MOST];
    uint8_t len = l->child_boundary_len;
    memcpy(boundary, l->child_boundary, len);
    if (level_push(mime, boundary, kind == HTTP_MULTIPART ? len : 0, kind == HTTP_MESSAGE) && kind == HTTP_MESSAGE)
        child_begin(c, &mime->levels[mime->count - 1]);
}

static void part_header(const http_context *c, http_mime *mime, hg_slice line, bool ended)
{
    http_span span;
    if (!ended)
        http_weird(c, W_http_no_crlf_in_header_list, "");
    if (ended && (line.len == 0 || line.ptr[0] == '\0')) {
        header_finish(c, mime);
        part_open(c, mime);
        return;
    }
    bool fold = line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t') && mime->header.len > 0;
    if (fold)
        mime->folds++;
    else
        header_finish(c, mime);
    if (!http_keep(&mime->header, line, HG_HTTP_MAX_HEADER, &span))
        http_weird(c, W_exceeded_mime_max_header_bytes, "");
}

/* Ends the parts inside level i, then that level's own. */
static void parts_close(const http_context *c, http_mime *mime, uint32_t i)
{
    header_finish(c, mime);
    while (mime->count > i + 1) {
        if (mime->levels[mime->count - 1].has_child)
            http_row_end_entity(c);
        mime->count--;
    }
    if (mime->levels[i].has_child)
        http_row_end_entity(c);
    mime->levels[i].has_child = mime->levels[i].in_header = false;
}

void http_mime_line(const http_context *c, hg_slice line, bool ended)
{
    http_mime *mime = http_of(c)->entity.mime;
    for (uint32_t i = 0; i < mime->count; i++) {
        delimiter found = delimiter_of(&mime->levels[i], line);
        if (found == NO_DELIMITER)
            continue;
        parts_close(c, mime, i);
        if (found == DELIMITER)
            child_begin(c, &mime->levels[i]);
        else if (i == 0)
            http_entity_end(c);
        else
            mime->count = i;
        return;
    }
    if (mime->levels[mime->count - 1].in_header)
        part_header(c, mime, line, ended);
}
