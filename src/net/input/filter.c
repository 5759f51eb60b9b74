/* BPF filters through libpcap, which is loaded when the first one is asked for. */
#include "net/input/filter.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HG_WITH_PCAP
#include <dlfcn.h>
#include <pcap/pcap.h>

struct hg_filter {
    void *library;
    pcap_t *dead;
    struct bpf_program program;
    int (*offline)(const struct bpf_program *, const struct pcap_pkthdr *, const u_char *);
    void (*release)(struct bpf_program *);
    void (*close)(pcap_t *);
};

/* A function pointer from dlsym, whose type ISO C cannot cast to. */
static void load(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

hg_filter *hg_filter_new(const char *expression, uint32_t link_type, uint32_t snaplen, char error[HG_LIVE_ERROR])
{
    pcap_t *(*open_dead)(int, int);
    int (*compile)(pcap_t *, struct bpf_program *, const char *, int, bpf_u_int32);
    char *(*message)(pcap_t *);
    hg_filter *f = calloc(1, sizeof *f);
    if (f == NULL || (f->library = dlopen("libpcap.so.0.8", RTLD_NOW)) == NULL) {
        snprintf(error, HG_LIVE_ERROR, "filters need libpcap, which is not there");
        free(f);
        return NULL;
    }
    load(f->library, "pcap_open_dead", &open_dead);
    load(f->library, "pcap_compile", &compile);
    load(f->library, "pcap_geterr", &message);
    load(f->library, "pcap_offline_filter", &f->offline);
    load(f->library, "pcap_freecode", &f->release);
    load(f->library, "pcap_close", &f->close);
    if (open_dead == NULL || compile == NULL || message == NULL || f->offline == NULL || f->release == NULL ||
        f->close == NULL || (f->dead = open_dead((int)link_type, (int)snaplen)) == NULL) {
        snprintf(error, HG_LIVE_ERROR, "libpcap is not usable");
        dlclose(f->library);
        free(f);
        return NULL;
    }
    if (compile(f->dead, &f->program, expression, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        snprintf(error, HG_LIVE_ERROR, "%s", message(f->dead));
        f->close(f->dead);
        dlclose(f->library);
        free(f);
        return NULL;
    }
    return f;
}

bool hg_filter_match(const hg_filter *f, const hg_net_frame *frame)
{
    struct pcap_pkthdr header = {.caplen = frame->captured, .len = frame->wire};
    return f->offline(&f->program, &header, frame->data) != 0;
}

const void *net_filter_code(const hg_filter *f, uint16_t *count)
{
    *count = (uint16_t)f->program.bf_len;
    return f->program.bf_insns;
}

void hg_filter_free(hg_filter *f)
{
    if (f == NULL)
        return;
    f->release(&f->program);
    f->close(f->dead);
    dlclose(f->library);
    free(f);
}

#else

struct hg_filter {
    int unused;
};

hg_filter *hg_filter_new(const char *expression, uint32_t link_type, uint32_t snaplen, char error[HG_LIVE_ERROR])
{
    (void)expression;
    (void)link_type;
    (void)snaplen;
    snprintf(error, HG_LIVE_ERROR, "this build has no libpcap, which filters need");
    return NULL;
}

bool hg_filter_match(const hg_filter *f, const hg_net_frame *frame)
{
    (void)f;
    (void)frame;
    return true;
}

const void *net_filter_code(const hg_filter *f, uint16_t *count)
{
    (void)f;
    *count = 0;
    return NULL;
}

void hg_filter_free(hg_filter *f)
{
    free(f);
}

#endif
