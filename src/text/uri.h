/* URIs after RFC 3986, as strict and as lax as libddwaf reads them: no decoding, no relative paths without a slash. */
#ifndef HG_TEXT_URI_H
#define HG_TEXT_URI_H

#include "text/ip.h"

#define HG_URI_NOWHERE SIZE_MAX

/* All slices are parts of the text; what is absent is empty. */
typedef struct hg_uri {
    hg_slice scheme;
    hg_slice userinfo;
    hg_slice host; /* IPv6 without brackets */
    hg_slice path;
    hg_slice query;
    hg_slice fragment;
    hg_slice origin; /* scheme and authority: from the start to the end of an authority that is not empty */
    uint16_t port;   /* 0: none */
    bool host_is_ip;
    hg_ip ip;
    size_t authority_at; /* after the "//" of an authority that is not empty, else HG_URI_NOWHERE */
    size_t host_at;
    size_t path_at;  /* HG_URI_NOWHERE unless something could be a path there */
    size_t query_at; /* after the "?", else HG_URI_NOWHERE */
} hg_uri;

/* False when the text is no URI; *uri is then undefined. Linear, no allocation. */
bool hg_uri_parse(hg_slice text, hg_uri *uri);

#endif
