/* Random JSON text: strings made of fragments that some operator, transformer or processor cares about. */
#include "diff.h"

const char *const addresses[ADDRESSES] = {
    "server.request.query", "server.request.body", "http.client_ip",  "server.request.uri.raw",
    "a.b",                  "a.c",                 "server.db.statement", "server.io.fs.file",
    "server.io.net.url",    "server.sys.shell.cmd", "server.sys.exec.cmd", "usr.id",
};

static const char *focus[4];

void focus_addresses(rng *r)
{
    for (size_t i = 0; i < 4; i++)
        focus[i] = PICK(r, addresses);
}

const char *pick_address(rng *r)
{
    return rng_percent(r, 85) ? PICK(r, focus) : PICK(r, addresses);
}

void put_string(hg_buffer *out, hg_slice s)
{
    hg_buffer_byte(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\')
            hg_buffer_printf(out, "\\%c", c);
        else if (c < 0x20)
            hg_buffer_printf(out, "\\u%04x", c);
        else
            hg_buffer_byte(out, (char)c);
    }
    hg_buffer_byte(out, '"');
}

static const char *const fragments[] = {
    "evil", "EVIL", "good", "a", "b", "abc", " ", "  ", "\t", "\n", "/", "../", "..\\", "./", "%2e", "%2F", "%u0041",
    "%25", "+", "&", "&lt;", "&#x41;", "&amp", "\\x41", "\\u0041", "\\101", "\\", "'", "\"", "`", "--", "#", "/*", "*/",
    "<!--", "-->", "<script>", "<a href=\"javascript:x\">", "onclick=1", " or 1=1", "' or '1'='1", "union select",
    "; cat /etc/passwd", "$(id)", "`id`", "| ls", "&& ls", "select * from t where id=", "1", "42", "-1", "4.5",
    "1.2.3.4", "10.0.0.1", "::1", "2001:db8::1", "127.0.0.1", "http://", "https://", "169.254.169.254", "localhost",
    "/etc/passwd", "/var/www/html/", "file.php", "?x=1", "&y=2", "#frag", "user:pw@", ":80", "4111111111111111",
    "4532015112830366", "password=", "token", "Bearer ", "eyJhbGciOiJub25lIn0", ".", "eyJzdWIiOiIxIn0", "ZXZpbA==",
    "ZXZpbA", "\xc3\xa9", "\xe2\x82\xac", "\xef\xbd\x85", "\xf3\xa0\x81\xa5", "\xff", "\xc3", "\xe2\x84\xaa", "word",
    "sh", "-c", "ls -la", "true", "false", "=", ";", ",", "(", ")", "{", "}", "[", "]", "*", "x", "key",
};

static hg_slice pick_fragment(rng *r)
{
    return hg_slice_from(PICK(r, fragments));
}

static const char *const whole[] = {
    "evil", "1.2.3.4", "10.1.2.3", "::1", "SELECT * FROM users WHERE id=1 or 1=1", "SELECT a FROM b WHERE c='x' -- y",
    "http://169.254.169.254/latest", "http://evil.com/x?y=1&z=2", "https://user:pw@localhost:8080/a/../b?q=1#f",
    "/var/www/../../etc/passwd", "../../etc/passwd", "/etc/passwd", "ls -l; cat /etc/passwd", "; cat /etc/passwd",
    "ls $(cat x)", "$(cat x)", "cat file", "/usr/bin/ls", "bash", "-c", "ls; id", "mysql", "postgresql", "sqlite",
    "1 or 1=1", "1' or '1'='1", "c='x' -- y", "' OR ''='", "evil.com/x", "169.254.169.254", "GET", "POST",
    "/path/to?x=1", "Mozilla/5.0 (X11)", "de,en;q=0.5", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln", "x=1&y=2",
};

void put_text(rng *r, hg_buffer *out)
{
    if (rng_percent(r, 30)) {
        put_string(out, hg_slice_from(PICK(r, whole)));
        return;
    }
    char text[512];
    size_t length = 0;
    unsigned count = rng_percent(r, 5) ? 12 : rng_below(r, 5);
    for (unsigned i = 0; i < count; i++) {
        hg_slice s = pick_fragment(r);
        if (length + s.len > sizeof text)
            break;
        memcpy(text + length, s.ptr, s.len);
        length += s.len;
    }
    if (rng_percent(r, 3) && length < sizeof text)
        text[length++] = '\0';
    put_string(out, hg_slice_of(text, length));
}

static void put_number(rng *r, hg_buffer *out)
{
    static const char *const numbers[] = {"0", "1", "42", "-1", "-5", "4.5", "4.505", "100000.0", "1e20", "0.0001",
                                          "18446744073709551615", "9223372036854775808", "-9223372036854775808",
                                          "42.0", "1e-7", "123456789.125", "5"};
    hg_buffer_append(out, hg_slice_from(PICK(r, numbers)));
}

static const char *const keys[] = {"a", "b", "k", "key", "0", "1", "evil", "EVIL", "password", "token", "*", "headers",
                                   "user-agent", "referer", "X-Forwarded-For", "accept", "x_real_ip", "<script>"};

static void put_container(rng *r, hg_buffer *out, unsigned depth)
{
    bool map = rng_percent(r, 55);
    unsigned count = rng_percent(r, 4) ? 13 : rng_below(r, 5);
    hg_buffer_byte(out, map ? '{' : '[');
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            hg_buffer_byte(out, ',');
        if (map) {
            if (rng_percent(r, 85))
                put_string(out, hg_slice_from(PICK(r, keys)));
            else
                put_text(r, out);
            hg_buffer_byte(out, ':');
        }
        put_value(r, out, depth + 1);
    }
    hg_buffer_byte(out, map ? '}' : ']');
}

void put_value(rng *r, hg_buffer *out, unsigned depth)
{
    unsigned kind = rng_below(r, 20);
    if (depth < 6 && kind < (depth == 0 ? 11 : 6))
        put_container(r, out, depth);
    else if (kind < 16)
        put_text(r, out);
    else if (kind == 16)
        hg_buffer_append(out, PICK(r, ((const hg_slice[]){HG_SLICE("true"), HG_SLICE("false")})));
    else if (kind == 17)
        hg_buffer_append(out, HG_SLICE("null"));
    else
        put_number(r, out);
}
