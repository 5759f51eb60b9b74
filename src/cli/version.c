/* hotgate version: the version and which optional libraries are in. */
#include "cli/verbs.h"

#include "hotgate/prof.h"

#include <stdio.h>
#include <string.h>

#ifdef HG_WITH_ZLIB
#define ZLIB "yes"
#else
#define ZLIB "no"
#endif
#ifdef HG_WITH_PCAP
#define PCAP "yes (loaded on demand)"
#else
#define PCAP "no"
#endif
#ifdef HG_WITH_KAFKA
#define KAFKA "yes (plugin)"
#else
#define KAFKA "no"
#endif
#ifdef HG_WITH_YAML
#define YAML "yes"
#else
#define YAML "no"
#endif

static const char help[] =
    "usage: hotgate version\n"
    "\n"
    "Prints the version and which optional libraries this build has.\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage.\n"
    "\n"
    "Example:\n"
    "  hotgate version\n";

int cli_version(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (argc > 1)
        return cli_usage_error("version", "unexpected argument", argv[1]);
    printf("hotgate %s\n  zlib       %s\n  libpcap    %s\n  libyaml    %s\n  libunwind  %s\n  kafka      %s\n", HG_VERSION, ZLIB,
           PCAP, YAML, hg_prof_native_can_unwind() ? "yes (loaded on demand)" : "no (not found)", KAFKA);
    return 0;
}
