/* The stock library: Debian's libmodsecurity3 exports libinjection. */
#include "text/injection_oracle.h"

#include <dlfcn.h>

const char injection_oracle_name[] = "libmodsecurity3";

static int (*libinjection_sqli)(const char *text, size_t len, char *fingerprint);
static int (*libinjection_xss)(const char *text, size_t len);
static int (*libinjection_is_xss)(const char *text, size_t len, int context);

static void *library;

bool injection_oracle_open(void)
{
    library = dlopen("libmodsecurity.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    *(void **)&libinjection_sqli = dlsym(library, "libinjection_sqli");
    *(void **)&libinjection_xss = dlsym(library, "libinjection_xss");
    *(void **)&libinjection_is_xss = dlsym(library, "libinjection_is_xss");
    return libinjection_sqli != NULL && libinjection_xss != NULL && libinjection_is_xss != NULL;
}

void injection_oracle_close(void)
{
    dlclose(library);
}

void injection_oracle_judge(hg_slice text, injection_verdict *verdict)
{
    verdict->fingerprint[0] = '\0';
    libinjection_sqli(text.ptr, text.len, verdict->fingerprint);
    verdict->xss = libinjection_xss(text.ptr, text.len) == 1;
    verdict->contexts = 0;
    for (int context = 0; context < 5; context++)
        verdict->contexts |= (libinjection_is_xss(text.ptr, text.len, context) == 1) << context;
}
