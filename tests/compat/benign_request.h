/* A benign request, and rules that look at it and return four fingerprints, as the recommended rules do. */
#ifndef COMPAT_BENIGN_REQUEST_H
#define COMPAT_BENIGN_REQUEST_H

static const char benign_rules[] =
    "{\"version\":\"2.2\",\"rules\":[{\"id\":\"r\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"conditions\":[{\"operator\":"
    "\"match_regex\",\"parameters\":{\"inputs\":[{\"address\":\"server.request.query\"},{\"address\":"
    "\"server.request.headers.no_cookies\"}],\"regex\":\"<script|union\\\\s+select|/etc/passwd\"}}],\"transformers\":"
    "[\"lowercase\"]}],\"processors\":["
    "{\"id\":\"p1\",\"generator\":\"http_endpoint_fingerprint\",\"evaluate\":false,\"output\":true,\"parameters\":{\"mappings\":"
    "[{\"method\":[{\"address\":\"server.request.method\"}],\"uri_raw\":[{\"address\":\"server.request.uri.raw\"}],\"body\":"
    "[{\"address\":\"server.request.body\"}],\"query\":[{\"address\":\"server.request.query\"}],\"output\":"
    "\"_dd.appsec.fp.http.endpoint\"}]}},"
    "{\"id\":\"p2\",\"generator\":\"http_header_fingerprint\",\"evaluate\":false,\"output\":true,\"parameters\":{\"mappings\":"
    "[{\"headers\":[{\"address\":\"server.request.headers.no_cookies\"}],\"output\":\"_dd.appsec.fp.http.header\"}]}},"
    "{\"id\":\"p3\",\"generator\":\"http_network_fingerprint\",\"evaluate\":false,\"output\":true,\"parameters\":{\"mappings\":"
    "[{\"headers\":[{\"address\":\"server.request.headers.no_cookies\"}],\"output\":\"_dd.appsec.fp.http.network\"}]}},"
    "{\"id\":\"p4\",\"generator\":\"session_fingerprint\",\"evaluate\":false,\"output\":true,\"parameters\":{\"mappings\":"
    "[{\"cookies\":[{\"address\":\"server.request.cookies\"}],\"session_id\":[{\"address\":\"usr.session_id\"}],\"user_id\":"
    "[{\"address\":\"usr.id\"}],\"output\":\"_dd.appsec.fp.session\"}]}}]}";

static const char benign_input[] =
    "{\"server.request.method\":\"GET\",\"server.request.uri.raw\":\"/search?q=red+shoes&page=2\",\"server.request.query\":"
    "{\"q\":[\"red shoes\"],\"page\":[\"2\"]},\"server.request.headers.no_cookies\":{\"host\":\"shop.example\",\"user-agent\":"
    "\"Mozilla/5.0 (X11; Linux x86_64)\",\"accept\":\"text/html\",\"accept-language\":\"en,de;q=0.5\",\"x-forwarded-for\":"
    "\"192.0.2.1\"},\"server.request.cookies\":{\"session\":\"f00ba7\",\"theme\":\"dark\"},\"usr.id\":\"someone\"}";

#endif
