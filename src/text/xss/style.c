/* CSS that loads or runs something: three words, looked for in the value without its comments. */
#include "text/xss/xss.h"

/* A word and how much of it the bytes read last make up. */
typedef struct matcher {
    const char *word;
    size_t matched;
} matcher;

/* Takes one byte; true when the word is complete. Only "expre", with its second e, has an end that is also a
 * beginning of the three words, and that one is a single byte. */
static bool match(matcher *m, char c)
{
    if (m->word[m->matched] != c && m->matched == 5 && m->word[0] == 'e')
        m->matched = 1;
    if (m->word[m->matched] != c)
        m->matched = 0;
    if (m->word[m->matched] == c)
        m->matched++;
    return m->word[m->matched] == '\0';
}

static bool match_any(matcher *words, size_t count, char c)
{
    for (size_t i = 0; i < count; i++)
        if (match(&words[i], c))
            return true;
    return false;
}

bool hg_xss_style(const unsigned char *value, size_t len)
{
    if (HG_STOCK)
        return true;
    matcher words[] = {{"javascript", 0}, {"expression", 0}, {"url", 0}};
    bool comment = false;
    for (size_t i = 0; i < len; i++) {
        bool leaving = false;
        if (i + 1 < len && value[i] == '/' && value[i + 1] == '*') {
            comment = true;
            i++;
        }
        /* Tested on the byte reached by now, so one asterisk may open and close; a stray end just vanishes. */
        if (i + 1 < len && value[i] == '*' && value[i + 1] == '/') {
            comment = false;
            leaving = true;
            i++;
        }
        if (value[i] == ':')
            comment = false;
        if (comment || leaving)
            continue;
        if (value[i] == 0)
            return false;
        if (match_any(words, sizeof words / sizeof words[0], (char)value[i]))
            return true;
    }
    return false;
}
