/* detector_peer [--seconds N] [--seed N]: has the detectors and the official library judge seeded resources and
 * parameters, most of which are parts of their resource. */
#include "peer.h"

#define RULE(id, operator, parameters)                                                                               \
    "{\"id\":\"" id "\",\"name\":\"n\",\"tags\":{\"type\":\"" id "\"},\"conditions\":[{\"operator\":\"" operator      \
    "\",\"parameters\":{" parameters "}}]}"
#define RASP(resource) "\"resource\":[{\"address\":\"" resource "\"}],\"params\":[{\"address\":\"p\"},{\"address\":\"q\"}]"
#define INPUT(address) "\"inputs\":[{\"address\":\"" address "\"}]"

static const char rules[] =
    "{\"version\":\"2.1\",\"rules\":["
    RULE("lfi", "lfi_detector", RASP("lfi")) ","
    RULE("ssrf", "ssrf_detector", RASP("ssrf")) ","
    RULE("ssrf-path", "ssrf_detector@v2", RASP("ssrf") ",\"options\":{\"path-inspection\":true}") ","
    RULE("ssrf-query", "ssrf_detector@v2", RASP("ssrf") ",\"options\":{\"query-inspection\":true}") ","
    RULE("ssrf-all", "ssrf_detector@v2", RASP("ssrf") ",\"options\":{\"query-inspection\":true,\"path-inspection\":true,"
         "\"authority-inspection\":false,\"forbid-full-url-injection\":true},\"policy\":{\"allowed-schemes\":[\"http\"],"
         "\"forbidden-domains\":[\"b.com\",\"\"],\"forbidden-ips\":[\"10.0.0.0/24\"]}") ","
    RULE("ssrf-policy", "ssrf_detector@v3", RASP("ssrf") ",\"options\":{\"enforce-policy-without-injection\":true}") ","
    RULE("sqli", "sqli_detector@v2", RASP("sql") ",\"db_type\":[{\"address\":\"db\"}]") ","
    RULE("shi", "shi_detector", RASP("sh")) ","
    RULE("cmdi", "cmdi_detector", RASP("argv")) ","
    RULE("phrase", "phrase_match", INPUT("ph") ",\"list\":[\"abcd\",\"bc\",\"c a\",\"aab\",\"d\"]") ","
    RULE("word", "phrase_match", INPUT("ph") ",\"list\":[\"abcd\",\"bc\",\"c a\",\"aab\",\"d\"],"
         "\"options\":{\"enforce_word_boundary\":true}") ","
    RULE("ip", "ip_match", INPUT("ip") ",\"list\":[\"1.2.3.4/8x\",\"10.1.0.0/+16\",\"10.2.0.0/-0\",\"::1\",\"1:2::/20\","
         "\"::ffff:9.9.9.9/100\",\"5.5.5.5/ 32\",\"6.6.6.6/33\",\"7.7.7.7/0000\",\"8.8.8.8/\"]") ","
    RULE("luhn", "match_regex_with_checksum", INPUT("card") ",\"regex\":\"[0-9][0-9 -]{2,}\",\"checksum\":\"luhn\"") ","
    RULE("hidden", "hidden_ascii_match", INPUT("text"))
    "]}";

#define PIECES(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static hg_slice path_text(hg_arena *arena)
{
    return random_text(arena, PIECES("/", "..", "../", "/etc/passwd", "a", "abc", ".", "//", "etc", "\\", "c:"), 10);
}

static hg_slice url_text(hg_arena *arena)
{
    static const char *const starts[] = {"http://", "https://", "ftp:", "gopher://", "//", "/", "", "http:", "HTTP://"};
    static const char *const hosts[] = {"h.com",  "localhost",   "169.254.1.1", "10.0.0.1", "[::1]", "a.b.com",
                                        "x.local", "[fe80::1]", "256.1.1.1",   "",         "^abc",  "%41", "127.0.0.1"};
    char *text = hg_arena_alloc(arena, 1024, 1);
    size_t len = 0;
    const hg_slice parts[] = {
        hg_slice_from(starts[random_below(sizeof starts / sizeof *starts)]),
        random_below(5) ? (hg_slice){NULL, 0} : random_text(arena, PIECES("u", ":", "p", "@", "@"), 3),
        hg_slice_from(hosts[random_below(sizeof hosts / sizeof *hosts)]),
        random_below(3) ? (hg_slice){NULL, 0} : random_text(arena, PIECES(":", "80", "8", "65535", "99999"), 3),
        random_text(arena, PIECES("/", "/a", "b", "..", "/../", "%2f", "%5C", ".", "x=1", ":", "@"), 6),
        random_below(2) ? HG_SLICE("?") : (hg_slice){NULL, 0},
        random_text(arena, PIECES("a=1", "&", "b", "?", "/", "[", "]", "/../", "%2F", "="), 5),
        random_below(4) ? (hg_slice){NULL, 0} : random_text(arena, PIECES("#", "f", "[", "/"), 3),
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].len > 0)
            memcpy(text + len, parts[i].ptr, parts[i].len);
        len += parts[i].len;
    }
    return hg_slice_of(text, len);
}

static hg_slice sql_text(hg_arena *arena)
{
    return random_text(
        arena,
        PIECES("SELECT ", "select ", "* ", " FROM ", "t ", " WHERE ", "id", " = ", "1", " OR ", " AND ", "'a'", "'", "\"",
               "`", "''", "\\'", "\\", "-- ", "--", "#", "/*", "*/", "/*!", "/", "(", ")", ",", ".", ";", ":", "::", ":=",
               "@", "@@v", "@`v`", "@'a'.b", "$", "$$", "$t$", "$1", "[", "]", "{", "}", "->", "->>", "<=>", "<<", ">>",
               "<@", "@>", "?", "?|", "!", "!=", "||", "|", "&&", "&", "^", "~", "%", "+", "-", "+1", "-1.5e3", "0x1F",
               "0b1", "0o7", "1_0", "12abc", "1.", "1.5x", ".5", "e'x'", "b'1'", "x'F'", "u&'a'", "U&\"b\"", "N'x'", "\n",
               " ", "\t", "\v", " ORDER BY ", "order ", "by ", " asc", " DESC", " LIMIT ", " OFFSET ", "a.b", " UNION ",
               "xor", "XOR ", "is null", "NOTNULL ", "é", "日本", "ſelect ", "\xE2\x84\xAA", "\xF0\x9F\x98\x80", "_x",
               "a$b", " LIKE ", " IN ", "0", "22", "a_1", "0X1f", "1e5", "1E+5", "*/ ", "<", ">", "="),
        14);
}

static hg_slice shell_text(hg_arena *arena)
{
    return random_text(
        arena,
        PIECES("ls", " ", "  ", "\t", "-l", "cat ", "/etc/passwd", ";", "; ", "&", "&&", "|", "||", "!", "\n", "$", "$(",
               "$((", "$(<", "))", ")", "(", "((", "`", "\"", "'", "{ ", "{", "}", "; }", "${", "$[", "]", "=", "A=1 ",
               "x=", "x=(", "<", ">", ">>", "<<", "<<<", "<<-", "<>", ">|", "&>", "&>>", "2>", "2>&1", ">&2-", "1<&0 ",
               ">&", "<(", ">(", "#", "\\", "\\\"", "$x", "$1", "$?", "$@ ", "12", "3a", "a", "b c", "[", "é", "$_a",
               "!x", "a=b", "if ", "then "),
        12);
}

static const char *const databases[] = {"mysql", "MySQL2", "postgresql", "pgsql", "sqlite", "oracle", ""};

static hg_slice other_text(hg_arena *arena)
{
    return random_text(arena, PIECES("a", "/", "ls", "'", "1", " ", "http://", ".."), 3);
}

/* A parameter: most often a part of the resource. */
static hg_value param_value(hg_arena *arena, hg_slice resource)
{
    return text_value(arena, random_below(8) ? random_part(resource) : other_text(arena));
}

static void put_params(hg_arena *arena, hg_value *data, hg_slice resource)
{
    hg_value *p = put(arena, data, HG_SLICE("p"));
    switch (random_below(4)) {
    case 0:
        *p = new_array(arena);
        for (uint32_t n = random_below(4); n > 0; n--)
            *hg_array_append(p, hg_arena_allocator(arena)) = param_value(arena, resource);
        break;
    case 1:
        *p = new_map(arena);
        for (uint32_t n = random_below(3); n > 0; n--)
            *put(arena, p, random_below(2) ? random_part(resource) : HG_SLICE("k")) = param_value(arena, resource);
        break;
    default:
        *p = param_value(arena, resource);
    }
    if (random_below(4) == 0)
        *put(arena, data, HG_SLICE("q")) = param_value(arena, resource);
}

static hg_slice put_array(hg_arena *arena, hg_value *value, hg_slice (*element)(hg_arena *), const char *const *first,
                          size_t first_count)
{
    hg_slice shown = {NULL, 0};
    *value = new_array(arena);
    for (uint32_t i = 0, n = random_below(6); i < n; i++) {
        hg_value *v = hg_array_append(value, hg_arena_allocator(arena));
        if (random_below(12) == 0) {
            hg_set_signed(v, 5);
            continue;
        }
        hg_slice s = i == 0 && first_count > 0 ? hg_slice_from(first[random_below((uint32_t)first_count)])
                                               : element(arena);
        *v = text_value(arena, s);
        if (shown.len == 0 || random_below(2))
            shown = hg_value_string(v);
    }
    return shown;
}

static hg_slice argument_text(hg_arena *arena)
{
    static const char *const options[] = {"-c",     "-xc",   "-O",  "-o", "--rcfile", "--init-file=f", "--", "-C",
                                          "--command=ls; id", "--command", "/CoMMand", "-command", "+c", "-T", "-",
                                          "--x", "--command='a b'", "--a=", "--=b", "/c", "-cO", "-oc"};
    if (random_below(2))
        return hg_slice_from(options[random_below(sizeof options / sizeof *options)]);
    return shell_text(arena);
}

static void judge_shell(peer *p, hg_arena *arena)
{
    hg_value data = new_map(arena);
    hg_value *resource = put(arena, &data, HG_SLICE("sh"));
    hg_slice text;
    if (random_below(3)) {
        text = shell_text(arena);
        *resource = text_value(arena, text);
    } else {
        text = put_array(arena, resource, shell_text, NULL, 0);
    }
    put_params(arena, &data, text);
    peer_agrees(p, &data);
}

static void judge_command(peer *p, hg_arena *arena)
{
    static const char *const shells[] = {"sh",   "bash", "/bin/bash", "ksh",        "rksh", "fish", "zsh",      "dash",
                                         "ash",  "pwsh", "powershell", "/usr/bin/ls", "ls",   " sh ", "./x y.sh", "cmd.exe"};
    hg_value data = new_map(arena);
    hg_slice text = put_array(arena, put(arena, &data, HG_SLICE("argv")), argument_text, shells,
                              sizeof shells / sizeof *shells);
    put_params(arena, &data, text);
    peer_agrees(p, &data);
}

static void judge_text(peer *p, hg_arena *arena, const char *address, hg_slice text)
{
    hg_value data = new_map(arena);
    put_text(arena, &data, address, text);
    put_params(arena, &data, text);
    if (strcmp(address, "sql") == 0)
        put_text(arena, &data, "db", hg_slice_from(databases[random_below(sizeof databases / sizeof *databases)]));
    peer_agrees(p, &data);
}

static void judge_scalar(peer *p, hg_arena *arena)
{
    hg_value data = new_map(arena);
    put_text(arena, &data, "ph", random_text(arena, PIECES("a", "b", "c", "d", " ", "abc", "aab", "_"), 10));
    put_text(arena, &data, "ip",
             random_text(arena, PIECES("1", "10", ".", ".2.", ":", "::", "1:2", "ffff:", "9.9.9.9", "5.5.5.5", "10.1.2.3",
                                       "7.7.7.7", "6.6.6.6", "8.8.8.8", "::ffff:1.2.3.4"), 3));
    put_text(arena, &data, "card", random_text(arena, PIECES("4", "1", "79927398713", " ", "-", "x", "0", "18"), 8));
    put_text(arena, &data, "text",
             random_text(arena, PIECES("\xF3\xA0\x81\x81", "\xF3\xA0\x80\x80", "a", "é", "\xF3\xA0", "\xF3", "\xF3\xA0\x82\x80"), 4));
    peer_agrees(p, &data);
}

static void one(peer *p, hg_arena *arena)
{
    judge_text(p, arena, "lfi", path_text(arena));
    judge_text(p, arena, "ssrf", url_text(arena));
    judge_text(p, arena, "sql", sql_text(arena));
    judge_text(p, arena, "sql", sql_text(arena));
    judge_shell(p, arena);
    judge_shell(p, arena);
    judge_command(p, arena);
    judge_scalar(p, arena);
}

int main(int argc, char **argv)
{
    return peer_main(argc, argv, rules, one);
}
