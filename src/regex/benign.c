/* Byte and pair frequencies of harmless traffic, counted once in the strings below. */
#include "regex/benign.h"

#include "regex/program.h"

#include <pthread.h>

const char *const rx_benign_texts[] = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "en-US,en;q=0.9,fr;q=0.8,de;q=0.7", "gzip, deflate, br", "keep-alive", "no-cache", "max-age=0", "www.example.com",
    "application/json; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=----Form7MA4",
    "https://www.example.com/search?q=red+shoes&page=2&sort=price_asc", "https://shop.example.org/products/4821/reviews",
    "/api/v1/users/1042/orders?limit=25&offset=50&include=items", "/static/js/main.3f2a9c1b.js", "/images/logo@2x.png",
    "/blog/2023/11/how-to-grow-tomatoes-in-a-small-garden.html", "/index.php/cart/add/17", "/favicon.ico", "/",
    "session_id=8f14e45fceea167a5a36dedd4bea2543; theme=dark; _ga=GA1.2.1033501218.1368477899",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "Bearer 2YotnFZFEjr1zCsicMWpAA", "XMLHttpRequest",
    "550e8400-e29b-41d4-a716-446655440000", "2023-11-30T17:35:35.120Z", "192.168.10.24", "jane.doe@example.com",
    "+1 415 555 0132", "Jane Doe", "12 Market Street, Springfield", "true", "false", "null", "42", "3.14", "-17", "1699999999",
    "first_name", "last_name", "email", "password", "user_id", "created_at", "description", "quantity", "utm_source",
    "{\"id\": 31, \"name\": \"Desk lamp\", \"price\": 24.90, \"tags\": [\"home\", \"light\"], \"in_stock\": true}",
    "{\"query\":\"query Product($id: ID!) { product(id: $id) { name price } }\",\"variables\":{\"id\":\"77\"}}",
    "username=jdoe&remember=on&next=%2Faccount%2Fsettings", "name=John+Smith&city=New+York&zip=10001",
    "Thank you for the quick delivery. The package arrived in good shape, and the lamp looks better than in the photos!",
    "It was a bright cold day, so we walked to the harbour and watched the boats until the wind turned. My brother said "
    "that he'd rather stay at home; nobody else agreed with him, and in the end (as always) he came along.",
    "Please send me an invoice for order #10482. I paid by credit card on Monday, but I haven't received anything yet.",
    "The selected items were removed from your list. Would you like to update your account or continue shopping?",
    "Reset your settings: open the menu, choose Options -> General, then press \"Restore defaults\" and wait 10 seconds.",
    "Der schnelle braune Fuchs springt \xC3\xBC" "ber den faulen Hund.", "caf\xC3\xA9 cr\xC3\xA8me, s'il vous pla\xC3\xAEt",
    NULL,
};

static float byte_odds[256];
static float pair_odds[256][256];

static void count_text(const char *text, float weight)
{
    const unsigned char *t = (const unsigned char *)text;
    for (size_t i = 0; t[i] != 0; i++) {
        byte_odds[t[i]] += weight;
        pair_odds[t[i]][t[i + 1]] += weight;
    }
}

static bool is_special(unsigned byte)
{
    return (byte > ' ' && byte < 127 && !rx_word_byte((int)byte)) || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Part of what is scanned is hostile: any printable bytes, special characters above all. What was never seen gets a share
 * by its bytes' own frequency, and no byte is impossible. */
static void build_model(void)
{
    static const float hostile = 0.05f, unseen = 0.3f;
    float special_odds[256] = {0}, specials = 0;
    size_t total = 0;
    for (size_t i = 0; rx_benign_texts[i] != NULL; i++)
        total += strlen(rx_benign_texts[i]);
    for (size_t i = 0; rx_benign_texts[i] != NULL; i++)
        count_text(rx_benign_texts[i], 1.0f / (float)total);
    for (unsigned b = 0; b < 256; b++)
        specials += special_odds[b] = is_special(b);
    for (unsigned b = 0; b < 256; b++) {
        special_odds[b] /= specials;
        byte_odds[b] = (1 - hostile) * byte_odds[b] + hostile * special_odds[b] + (b >= ' ' && b < 127 ? 0.0004f : 0.00005f);
    }
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++)
            pair_odds[a][b] = (1 - hostile - unseen) * pair_odds[a][b] + unseen * byte_odds[a] * byte_odds[b] +
                              hostile * special_odds[a] * special_odds[b];
    }
}

static void ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_model);
}

static unsigned list_members(const rx_byteset *set, uint8_t *out)
{
    unsigned count = 0;
    for (unsigned w = 0; w < 4; w++) {
        for (uint64_t bits = set->words[w]; bits != 0; bits &= bits - 1)
            out[count++] = (uint8_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
    }
    return count;
}

float rx_byte_odds(const rx_byteset *set)
{
    uint8_t members[256];
    unsigned count = list_members(set, members);
    float odds = 0;
    ready();
    for (unsigned i = 0; i < count; i++)
        odds += byte_odds[members[i]];
    return odds;
}

float rx_pair_odds(const rx_byteset *first, const rx_byteset *second)
{
    enum { EXACT = 96 };
    uint8_t a[256], b[256];
    unsigned a_count = list_members(first, a), b_count = list_members(second, b);
    if (a_count * b_count > EXACT)
        return rx_byte_odds(first) * rx_byte_odds(second);
    float odds = 0;
    ready();
    for (unsigned i = 0; i < a_count; i++) {
        for (unsigned k = 0; k < b_count; k++)
            odds += pair_odds[a[i]][b[k]];
    }
    return odds;
}
