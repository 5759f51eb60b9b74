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

void put_input(rng *r, hg_buffer *out)
{
    unsigned count = 1 + rng_below(r, 4);
    hg_buffer_byte(out, '{');
    for (unsigned i = 0; i < count; i++) {
        const char *address = rng_percent(r, 95) ? pick_address(r) : "not.used";
        hg_buffer_printf(out, "%s\"%s\":", i > 0 ? "," : "", address);
        put_value_of(r, address, out);
    }
    hg_buffer_byte(out, '}');
}
