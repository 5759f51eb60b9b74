/* Profile identity: the tags, in groups of text in which every tag is followed by a comma. Equality is by that text;
 * an absent group differs from a present one. */
#include "prof/internal.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_group(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static uint64_t mix_group(uint64_t hash, const char *group)
{
    hash = (hash ^ (group != NULL)) * 0x9e3779b97f4a7c15ull;
    for (; group != NULL && *group != '\0'; group++)
        hash = (hash ^ (unsigned char)*group) * 0x100000001b3ull; /* FNV-1a's prime */
    return hash;
}

static char *copy_group(const char *group, bool *ok)
{
    if (group == NULL)
        return NULL;
    char *copy = strdup(group);
    *ok &= copy != NULL;
    return copy;
}

/* NULL when there are too many identities or no memory. Takes the lock: only after a change of context. */
identity *identity_intern(hg_prof *prof, const char *unified, const char *git, const char *custom)
{
    uint64_t hash = mix_group(mix_group(mix_group(14695981039346656037ull, unified), git), custom);
    pthread_mutex_lock(&prof->lock);
    identity *found = NULL;
    for (size_t i = 0; i < prof->identity_count && found == NULL; i++) {
        identity *id = prof->identities[i];
        if (id->hash == hash && same_group(id->unified, unified) && same_group(id->git, git) &&
            same_group(id->custom, custom))
            found = id;
    }
    if (found == NULL && prof->identity_count < IDENTITIES_MAX) {
        bool ok = true;
        identity *id = calloc(1, sizeof *id);
        if (id != NULL) {
            id->hash = hash;
            id->unified = copy_group(unified, &ok);
            id->git = copy_group(git, &ok);
            id->custom = copy_group(custom, &ok);
        }
        if (id != NULL && !ok) {
            free(id->unified);
            free(id->git);
            free(id->custom);
            free(id);
            id = NULL;
        }
        if (id != NULL)
            prof->identities[prof->identity_count++] = id;
        found = id;
    }
    pthread_mutex_unlock(&prof->lock);
    return found;
}

char *identity_text(const identity *id, const char *common)
{
    const char *groups[] = {common, id->unified, id->git, id->custom};
    size_t length = 1;
    for (int i = 0; i < 4; i++)
        length += groups[i] ? strlen(groups[i]) : 0;
    char *text = malloc(length);
    if (text == NULL)
        return NULL;
    text[0] = '\0';
    for (int i = 0; i < 4; i++)
        if (groups[i] != NULL)
            strcat(text, groups[i]);
    return text;
}

/* Appends "key:value,". An empty value leaves the tag out. */
hg_status tags_add(char **group, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return HG_OK;
    if (key[0] == '\0' || key[0] == ':' || value[strlen(value) - 1] == ':')
        return HG_ERR_SYNTAX;
    size_t old = *group ? strlen(*group) : 0, more = strlen(key) + strlen(value) + 3;
    char *grown = realloc(*group, old + more);
    if (grown == NULL)
        return HG_ERR_NOMEM;
    snprintf(grown + old, more, "%s:%s,", key, value);
    *group = grown;
    return HG_OK;
}

/* Pieces of "a:b,c:d" or "a:b c:d"; one that begins or ends with a colon is refused, the rest is kept. */
hg_status tags_parse(char **group, const char *text)
{
    hg_status result = HG_OK;
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ", ");
        if (length > 0 && (text[0] == ':' || text[length - 1] == ':')) {
            result = HG_ERR_SYNTAX;
        } else if (length > 0) {
            size_t old = *group ? strlen(*group) : 0;
            char *grown = realloc(*group, old + length + 2);
            if (grown == NULL)
                return HG_ERR_NOMEM;
            memcpy(grown + old, text, length);
            memcpy(grown + old + length, ",", 2);
            *group = grown;
        }
        text += length;
        text += *text != '\0';
    }
    return result;
}

/* Credentials are no tag: what stands between the scheme and '@' is cut out. */
char *git_url_clean(const char *url)
{
    char *copy = strdup(url);
    if (copy == NULL)
        return NULL;
    char *scheme = strstr(copy, "://"), *host = scheme ? scheme + 3 : copy;
    char *end = host + strcspn(host, "/"), *at = NULL;
    for (char *p = host; p < end; p++)
        if (*p == '@')
            at = p;
    if (scheme != NULL && at != NULL)
        memmove(host, at + 1, strlen(at + 1) + 1);
    return copy;
}
