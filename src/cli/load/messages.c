/* The minimal request of a PHP worker: ten addresses, a handful of headers, a status. */
#include "cli/load/load.h"

#include "helper/frame.h"
#include "hotgate/msgpack.h"

#include <unistd.h>

static const char BROWSER[] = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
static const char SCANNER[] = "Arachni/v1.5.1";

/* Of the length and kind that an extension sends, so that the message has its usual size. */
static const char KEY_REGEX[] =
    "(?i)pass|pw(?:or)?d|secret|(?:api|private|public|access)[_-]?key|token|bearer|credential|session|auth|cookie|jwt|sign(?:ed|ature)?";
static const char VALUE_REGEX[] =
    "(?i)(?:p(?:ass)?w(?:or)?d|pass(?:[_-]?phrase)?|secret(?:[_-]?key)?|(?:(?:api|private|public|access)[_-]?)key(?:[_-]?id)?|"
    "(?:(?:auth|access|id|refresh)[_-]?)?token|consumer[_-]?(?:id|key|secret)|sign(?:ed|ature)?|auth(?:entication|orization)?|jsessionid|"
    "phpsessid|asp\\.net[_-]sessionid|sid|jwt)(?:\\s*=([^;&]+)|\"\\s*:\\s*(\"[^\"]+\"|\\d+))|bearer\\s+([a-z0-9._-]+)|"
    "token\\s*:\\s*([a-z0-9]{13})|gh[opsu]_([0-9a-zA-Z]{36})|ey[I-L][\\w=-]+\\.(ey[I-L][\\w=-]+(?:\\.[\\w.+/=-]+)?)";

static void put_text(hg_buffer *out, const char *text)
{
    hg_msgpack_put_str(out, hg_slice_from(text));
}

static void put_pair(hg_buffer *out, const char *key, const char *value)
{
    put_text(out, key);
    put_text(out, value);
}

static size_t begin(hg_buffer *out, const char *command, uint32_t arguments)
{
    size_t start = frame_begin(out);
    hg_msgpack_put_array(out, 2);
    put_text(out, command);
    hg_msgpack_put_array(out, arguments);
    return start;
}

static hg_status make_client_init(const load_options *o, hg_buffer *out)
{
    size_t start = begin(out, "client_init", 8);
    hg_msgpack_put_unsigned(out, (uint64_t)getpid());
    put_text(out, o->version);
    put_text(out, "8.2.36");
    hg_msgpack_put_bool(out, true);
    hg_msgpack_put_map(out, 6);
    put_pair(out, "rules_file", "");
    put_text(out, "waf_timeout_us");
    hg_msgpack_put_unsigned(out, o->waf_timeout_us);
    put_text(out, "trace_rate_limit");
    hg_msgpack_put_unsigned(out, 100);
    put_pair(out, "obfuscator_key_regex", KEY_REGEX);
    put_pair(out, "obfuscator_value_regex", VALUE_REGEX);
    put_text(out, "schema_extraction");
    hg_msgpack_put_map(out, 2);
    put_text(out, "enabled");
    hg_msgpack_put_bool(out, true);
    put_text(out, "sampling_period");
    hg_msgpack_put_float(out, 30);
    hg_msgpack_put_map(out, 2);
    put_text(out, "enabled");
    hg_msgpack_put_bool(out, false);
    put_pair(out, "shmem_path", "");
    hg_msgpack_put_map(out, 2);
    put_pair(out, "service_name", o->service);
    put_pair(out, "env_name", "load");
    hg_msgpack_put_map(out, 2);
    put_pair(out, "session_id", "");
    put_pair(out, "runtime_id", "");
    return frame_end(out, start);
}

static void put_empty(hg_buffer *out, const char *address)
{
    put_text(out, address);
    hg_msgpack_put_array(out, 0);
}

static hg_status make_request_init(const char *agent, hg_buffer *out)
{
    size_t start = begin(out, "request_init", 1);
    hg_msgpack_put_map(out, 10);
    put_empty(out, "server.request.query");
    put_pair(out, "server.request.method", "GET");
    put_empty(out, "server.request.cookies");
    put_pair(out, "server.request.uri.raw", "/hello");
    put_text(out, "server.request.headers.no_cookies");
    hg_msgpack_put_map(out, 5);
    put_pair(out, "host", "shop.example");
    put_pair(out, "user-agent", agent);
    put_pair(out, "accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    put_pair(out, "accept-language", "en-GB,en;q=0.7");
    put_pair(out, "accept-encoding", "gzip, deflate");
    put_empty(out, "server.request.body");
    put_empty(out, "server.request.body.filenames");
    put_empty(out, "server.request.body.files_field_names");
    put_text(out, "server.request.path_params");
    hg_msgpack_put_array(out, 1);
    put_text(out, "hello");
    put_pair(out, "http.client_ip", "203.0.113.9");
    return frame_end(out, start);
}

static hg_status make_call(hg_buffer *out)
{
    size_t start = begin(out, "request_exec", 2);
    hg_msgpack_put_map(out, 1);
    put_pair(out, "server.io.fs.file", "/srv/shop/templates/hello.html");
    hg_msgpack_put_map(out, 1);
    put_pair(out, "rasp_rule", "lfi");
    return frame_end(out, start);
}

static hg_status make_shutdown(hg_buffer *out)
{
    size_t start = begin(out, "request_shutdown", 4);
    hg_msgpack_put_map(out, 2);
    put_pair(out, "server.response.status", "200");
    put_text(out, "server.response.headers.no_cookies");
    hg_msgpack_put_map(out, 2);
    put_text(out, "content-type");
    hg_msgpack_put_array(out, 1);
    put_text(out, "text/html; charset=UTF-8");
    put_text(out, "x-powered-by");
    hg_msgpack_put_array(out, 1);
    put_text(out, "PHP/8.2.36");
    hg_msgpack_put_unsigned(out, 0); /* no schema is due */
    hg_msgpack_put_unsigned(out, 0);
    hg_msgpack_put_bool(out, false);
    return frame_end(out, start);
}

hg_status load_messages_make(const load_options *o, load_messages *out)
{
    *out = (load_messages){0};
    bool made = make_client_init(o, &out->client_init) == HG_OK && make_request_init(BROWSER, &out->benign) == HG_OK &&
                make_request_init(SCANNER, &out->attack) == HG_OK && make_call(&out->call) == HG_OK &&
                make_shutdown(&out->shutdown) == HG_OK;
    return made ? HG_OK : HG_ERR_NOMEM;
}

void load_messages_free(load_messages *m)
{
    hg_buffer_free(&m->client_init);
    hg_buffer_free(&m->benign);
    hg_buffer_free(&m->attack);
    hg_buffer_free(&m->call);
    hg_buffer_free(&m->shutdown);
}
