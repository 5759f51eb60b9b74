/* Hotgate: the parts of an HTTP exchange as the address map that rules read. One shape for every door. */
#ifndef HOTGATE_REQUEST_H
#define HOTGATE_REQUEST_H

#include "hotgate/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of an exchange. Everything is optional: an empty slice with a NULL pointer, 0, or no headers. */
typedef struct hg_request {
    hg_slice method;
    hg_slice uri; /* as on the request line: path, query, perhaps scheme and host; not decoded */
    const hg_field *headers; /* in order, names in any case; an empty name continues the value before (line folding) */
    size_t header_count;
    hg_slice body; /* transfer coding and content coding already undone */
    bool body_cut; /* the body's end is missing */
    unsigned status; /* of the response, 0 = not known */
    hg_slice client_ip;
} hg_request;

/* Makes *out a map of these addresses, each only when there is something to say:
 *
 *   server.request.method               string
 *   server.request.uri.raw              string, undecoded, without scheme and host, without fragment
 *   server.request.query                map of decoded names and values
 *   server.request.headers.no_cookies   map, names in lower case
 *   server.request.cookies              map, values as sent (surrounding quotes removed)
 *   server.request.body                 by content type: JSON, form and multipart as trees; text/..., XML, GraphQL and
 *                                       bodies without a content type as a string; JSON that cannot be read at all
 *                                       too. Other types: nothing.
 *   server.request.body.filenames       array of the multipart file names
 *   server.response.status              string of three digits
 *   http.client_ip                      string
 *
 * In the maps a single value is a string and repeats are an array, in order. Strings borrow from the request where
 * that is possible and live in the arena else; so both must outlive *out, which is never freed node by node.
 * HG_ERR_NOMEM leaves *out invalid; the arena may be reset. Linear time. Thread-safe on distinct arenas.
 * Strings beyond 2^32-1 bytes: HG_ERR_LIMIT. */
HG_API hg_status hg_request_addresses(const hg_request *request, hg_arena *arena, hg_value *out);

#ifdef __cplusplus
}
#endif
#endif
