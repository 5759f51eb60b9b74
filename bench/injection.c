/* injection [ROUNDS]: the injection detectors against the libinjection that Debian's libmodsecurity3 exports, on
 * attacks and on benign text. Both sides take turns within each round, so that what disturbs one disturbs the
 * other; medians over the rounds are printed. Samples are the fuzzers' inputs and, where $HOTGATE_CASES names
 * them, the corpus of cases. */
#include "json_lines.h"

#include "hotgate/injection.h"
#include "hotgate/value.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct samples {
    hg_slice *items;
    size_t count;
    size_t cap;
    size_t bytes;
} samples;

/* What ordinary requests carry. */
static const char *const benign[] = {
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Mobile/15E148",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "gzip, deflate, br",
    "en-GB,en;q=0.9,de-DE;q=0.8,de;q=0.7",
    "https://www.example.com/catalogue/shoes/running?colour=blue&size=42&sort=price_asc&page=3",
    "/static/js/main.3f2a91c7.chunk.js",
    "/api/v2/users/8d2f6c1e-77b0-4a59-9a1e-1c0f3f6b2d11/orders?limit=50&after=2024-03-01T00:00:00Z",
    "session=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "_ga=GA1.2.1033501218.1368477899; theme=dark; lang=en; consent=analytics:1,ads:0",
    "keep-alive",
    "no-cache",
    "application/json; charset=utf-8",
    "www.example.com",
    "203.0.113.77",
    "Jane",
    "O'Reilly",
    "jane.doe+newsletter@example.org",
    "+44 20 7946 0958",
    "221B Baker Street, London NW1 6XE",
    "The quick brown fox jumps over the lazy dog.",
    "Please deliver to the back door, the bell doesn't work; thanks!",
    "I have ordered two of these & they're great - would buy again (5/5).",
    "Is it possible to select a different size and have it delivered from the shop in town?",
    "When I create an account, the page says that my address is not valid or already in use. What can I do?",
    "4111 1111 1111 1111",
    "2024-05-17",
    "12.50",
    "true",
    "1",
    "a",
    "q",
    "search",
    "running shoes blue 42",
    "laptop 16gb ram 512gb ssd",
    "8d2f6c1e-77b0-4a59-9a1e-1c0f3f6b2d11",
    "d41d8cd98f00b204e9800998ecf8427e",
    "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
    "{\"user\":{\"name\":\"Jane\",\"age\":34,\"tags\":[\"a\",\"b\"]},\"items\":[{\"id\":17,\"count\":2}],\"note\":"
    "null}",
    "It was a bright cold day in April, and the clocks were striking thirteen; people hurried along, their coats "
    "closed against the wind, and nobody looked up at the posters that hung on every wall of the old square.",
};

static void add(samples *set, hg_slice text)
{
    if (set->count == set->cap) {
        set->cap = set->cap ? set->cap * 2 : 1024;
        set->items = realloc(set->items, set->cap * sizeof *set->items);
    }
    char *copy = calloc(1, text.len + 4); /* the rival may read two bytes too far */
    if (set->items == NULL || copy == NULL)
        abort();
    memcpy(copy, text.ptr, text.len);
    set->items[set->count++] = hg_slice_of(copy, text.len);
    set->bytes += text.len;
}

static void add_folder(samples *set, const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        char file_path[4096], text[65536];
        snprintf(file_path, sizeof file_path, "%s/%s", path, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(file_path, "rb") : NULL;
        if (file != NULL) {
            add(set, hg_slice_of(text, fread(text, 1, sizeof text, file)));
            fclose(file);
        }
    }
    if (dir != NULL)
        closedir(dir);
}

/* Adds the JSON string of each row, whose code points are bytes. */
static void add_table(samples *set, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    while (file != NULL && getline(&line, &room, file) >= 0) {
        hg_json_options options = {.dialect = HG_JSON_STRICT};
        hg_value value;
        char *cell = strstr(line, "\t\"");
        char *end = cell ? strchr(cell + 1, '\t') : NULL;
        if (end != NULL && hg_json_read(hg_slice_of(cell + 1, (size_t)(end - cell - 1)), &options, &value,
                                        hg_arena_allocator(&arena), NULL) == HG_OK) {
            hg_slice text = hg_value_string(&value);
            char *bytes = (char *)text.ptr;
            size_t used = 0;
            for (size_t i = 0; i < text.len; i++)
                if ((text.ptr[i] & 0xC0) == 0x80)
                    bytes[used - 1] = (char)((unsigned char)bytes[used - 1] << 6 | (text.ptr[i] & 0x3F));
                else
                    bytes[used++] = text.ptr[i];
            add(set, hg_slice_of(bytes, used));
        }
        hg_arena_reset(&arena);
    }
    hg_arena_close(&arena);
    free(line);
    if (file != NULL)
        fclose(file);
}

/* ---- What is timed: a pass over a set, which returns the number of hits ---- */

static int (*stock_sqli)(const char *text, size_t len, char *fingerprint);
static int (*stock_xss)(const char *text, size_t len);

static size_t our_sqli_pass(const samples *set)
{
    size_t hits = 0;
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    for (size_t i = 0; i < set->count; i++)
        hits += hg_sqli(set->items[i], fingerprint);
    return hits;
}

static size_t our_xss_pass(const samples *set)
{
    size_t hits = 0;
    for (size_t i = 0; i < set->count; i++)
        hits += hg_xss(set->items[i]);
    return hits;
}

static size_t stock_sqli_pass(const samples *set)
{
    size_t hits = 0;
    char fingerprint[16];
    for (size_t i = 0; i < set->count; i++)
        hits += stock_sqli(set->items[i].ptr, set->items[i].len, fingerprint) == 1;
    return hits;
}

static size_t stock_xss_pass(const samples *set)
{
    size_t hits = 0;
    for (size_t i = 0; i < set->count; i++)
        hits += stock_xss(set->items[i].ptr, set->items[i].len) == 1;
    return hits;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static bool json; /* print measurement lines instead of a table */

static void print_lines(const char *name, const double *times[2], size_t rounds, size_t calls)
{
    for (size_t round = 0; round < rounds; round++)
        for (int side = 0; side < 2; side++)
            bench_print(&(bench_line){"injection", "detector", name, "", side == 0 ? "hotgate" : "libinjection", 0,
                                      (int)round, calls, (uint64_t)times[side][round], 0});
}

static void compare(const char *name, const samples *set, size_t rounds, size_t (*ours)(const samples *),
                    size_t (*theirs)(const samples *))
{
    double *times[2] = {calloc(rounds, sizeof(double)), calloc(rounds, sizeof(double))};
    size_t hits[2] = {0};
    size_t repeats = 1 + 500000 / (set->bytes + 1); /* small sets several times, against the clock's grain */
    for (size_t round = 0; round < rounds; round++)
        for (int turn = 0; turn < 2; turn++) {
            int side = (int)(round + (size_t)turn) & 1;
            double start = now();
            for (size_t i = 0; i < repeats; i++)
                hits[side] = side == 0 ? ours(set) : theirs(set);
            times[side][round] = now() - start;
        }
    if (json)
        print_lines(name, (const double *[2]){times[0], times[1]}, rounds, set->count * repeats);
    double calls = (double)(set->count * repeats), mine = median(times[0], rounds), other = median(times[1], rounds);
    if (!json)
        printf("%-14s %6zu texts, %5.1f bytes each, hits %5zu / %5zu: %7.1f ns / %7.1f ns, %5.2f times faster\n", name,
           set->count, (double)set->bytes / (double)set->count, hits[0], hits[1], mine / calls, other / calls,
           other / mine);
    free(times[0]);
    free(times[1]);
}

int main(int argc, char **argv)
{
    json = argc > 1 && strcmp(argv[1], "--json") == 0;
    argc -= json;
    argv += json;
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 41;
    void *library = dlopen("libmodsecurity.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("skipped: libmodsecurity3 is not installed\n");
        return 77;
    }
    *(void **)&stock_sqli = dlsym(library, "libinjection_sqli");
    *(void **)&stock_xss = dlsym(library, "libinjection_xss");
    samples sqli = {0}, xss = {0}, corpus = {0}, ordinary = {0}, harmless = {0};
    add_folder(&sqli, "fuzz/corpus/sqli");
    add_folder(&xss, "fuzz/corpus/xss");
    const char *cases = getenv("HOTGATE_CASES");
    char path[4096];
    snprintf(path, sizeof path, "%s/injection/cases/corpus.tsv", cases ? cases : "");
    add_table(&corpus, path);
    for (size_t i = 0; i < sizeof benign / sizeof benign[0]; i++)
        add(&ordinary, hg_slice_from(benign[i]));
    for (size_t i = 0; i < corpus.count; i++) /* among them texts chosen because detectors erred on them */
        if (!hg_sqli(corpus.items[i], NULL) && !hg_xss(corpus.items[i]))
            add(&harmless, corpus.items[i]);
    if (stock_sqli == NULL || stock_xss == NULL || sqli.count == 0 || xss.count == 0) {
        fprintf(stderr, "injection: run it from the top of the sources\n");
        return 2;
    }
    if (!json)
        printf("                                               hotgate / stock\n");
    compare("sqli attacks", &sqli, rounds, our_sqli_pass, stock_sqli_pass);
    compare("xss attacks", &xss, rounds, our_xss_pass, stock_xss_pass);
    if (corpus.count > 0) {
        compare("sqli corpus", &corpus, rounds, our_sqli_pass, stock_sqli_pass);
        compare("xss corpus", &corpus, rounds, our_xss_pass, stock_xss_pass);
        compare("sqli harmless", &harmless, rounds, our_sqli_pass, stock_sqli_pass);
        compare("xss harmless", &harmless, rounds, our_xss_pass, stock_xss_pass);
    }
    compare("sqli benign", &ordinary, rounds, our_sqli_pass, stock_sqli_pass);
    compare("xss benign", &ordinary, rounds, our_xss_pass, stock_xss_pass);
    return 0;
}
