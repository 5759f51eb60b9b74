/* Random inputs. */
#include "diff.h"

static void put_headers(rng *r, hg_buffer *out)
{
    static const char *const names[] = {"referer", "User-Agent", "accept", "x-forwarded-for", "X_REAL_IP", "te",
                                        "x-datadog-trace-id", "cookie", "host", "content-type", "x-client-ip"};
    hg_buffer_byte(out, '{');
    unsigned count = rng_below(r, 7);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            hg_buffer_byte(out, ',');
        put_string(out, hg_slice_from(PICK(r, names)));
        hg_buffer_byte(out, ':');
        put_value(r, out, 5);
    }
    hg_buffer_byte(out, '}');
}

/* What an address usually holds; anything else now and then. */
static void put_value_of(rng *r, const char *address, hg_buffer *out)
{
    bool text = strcmp(address, "server.request.query") != 0 && strcmp(address, "server.request.body") != 0 &&
                address[0] != 'a' && strcmp(address, "server.sys.exec.cmd") != 0;
    if (rng_percent(r, 15))
        put_headers(r, out);
    else if (text && rng_percent(r, 80))
        put_text(r, out);
    else
        put_value(r, out, 0);
}

/* What a detector looks for: a parameter that turns up in a resource. */
static const char *const injections[] = {
    "\"server.io.fs.file\":\"/var/www/../../etc/passwd\",\"server.request.query\":{\"k\":[\"../../etc/passwd\"]}",
    "\"server.io.fs.file\":\"/etc/passwd\",\"server.request.query\":{\"/etc/passwd\":1}",
    "\"server.io.net.url\":\"http://169.254.169.254/latest\",\"server.request.query\":\"169.254.169.254\"",
    "\"server.io.net.url\":\"http://evil.com/x?y=1&z=2\",\"server.request.query\":[\"evil.com/x\",\"1&z=2\"]",
    "\"server.io.net.url\":\"gopher://a/b\",\"server.request.query\":{\"a\":\"gopher://a\"}",
    "\"server.db.statement\":\"SELECT * FROM t WHERE id=1 or 1=1\",\"server.request.query\":\"1 or 1=1\",\"usr.id\":\"mysql\"",
    "\"server.db.statement\":\"SELECT a FROM b WHERE c='x' -- y\",\"server.request.query\":\"x' -- y\",\"usr.id\":\"pgsql\"",
    "\"server.db.statement\":\"SELECT a FROM b ORDER BY c desc, d\",\"server.request.query\":{\"o\":\"c desc, d\"},\"usr.id\":\"x\"",
    "\"server.sys.shell.cmd\":\"ls -l; cat /etc/passwd\",\"server.request.query\":{\"k\":\"; cat /etc/passwd\"}",
    "\"server.sys.shell.cmd\":[\"ls\",\"$(cat x)\"],\"server.request.query\":\"$(cat x)\"",
    "\"server.sys.exec.cmd\":[\"/bin/sh\",\"-c\",\"ls; id\"],\"server.request.query\":[[\"ls; id\"]]",
    "\"server.sys.exec.cmd\":[\"/usr/bin/ls\",\"-l\"],\"server.request.query\":\" /usr/bin/ls \"",
};

void put_input(rng *r, hg_buffer *out)
{
    unsigned count = 1 + rng_below(r, 4);
    hg_buffer_byte(out, '{');
    if (rng_percent(r, 12))
        hg_buffer_printf(out, "%s,", PICK(r, injections));
    for (unsigned i = 0; i < count; i++) {
        const char *address = rng_percent(r, 95) ? pick_address(r) : "not.used";
        hg_buffer_printf(out, "%s\"%s\":", i > 0 ? "," : "", address);
        put_value_of(r, address, out);
    }
    hg_buffer_byte(out, '}');
}
