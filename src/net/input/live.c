/* Live capture: a ring of blocks shared with the kernel (packet(7), TPACKET_V3). A block goes back when the frames that
 * were given out of it are done with, which is at the next read. */
#include "hotgate/live.h"
#include "net/input/filter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SNAPLEN = 9216, RING = 32 << 20, BLOCK = 1 << 20, FRAME = 2048, RETIRE_MS = 20,
    LINK_ETHERNET = 1, LINK_RAW = 101,
};

struct hg_live {
    int fd;
    uint8_t *ring;
    size_t ring_size;
    uint32_t blocks, block;      /* the current one */
    struct tpacket3_hdr *packet; /* the next one in it, NULL: none */
    uint32_t left;               /* in it */
    bool held;                   /* the current block is ours */
    uint32_t link_type, snaplen;
    uint64_t drops;
};

static hg_live *fail(hg_live *live, char *error, const char *what)
{
    snprintf(error, HG_LIVE_ERROR, "%s: %s", what, strerror(errno));
    hg_live_close(live);
    return NULL;
}

static uint32_t link_type_of(int fd, const char *interface)
{
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    if (ioctl(fd, SIOCGIFHWADDR, &request) != 0)
        return LINK_ETHERNET;
    int type = request.ifr_hwaddr.sa_family;
    return type == ARPHRD_ETHER || type == ARPHRD_LOOPBACK ? LINK_ETHERNET : LINK_RAW;
}

static bool attach_filter(hg_live *live, const char *expression, char *error)
{
    hg_filter *filter = hg_filter_new(expression, live->link_type, live->snaplen, error);
    if (filter == NULL)
        return false;
    struct sock_fprog program;
    uint16_t count;
    program.filter = (struct sock_filter *)(uintptr_t)net_filter_code(filter, &count);
    program.len = count;
    bool good = setsockopt(live->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
    if (!good)
        snprintf(error, HG_LIVE_ERROR, "the kernel refuses the filter: %s", strerror(errno));
    hg_filter_free(filter);
    return good;
}

hg_live *hg_live_open(const char *interface, const hg_live_options *options, char error[HG_LIVE_ERROR])
{
    hg_live *live = calloc(1, sizeof *live);
    if (live == NULL) {
        snprintf(error, HG_LIVE_ERROR, "out of memory");
        return NULL;
    }
    live->snaplen = options->snaplen ? options->snaplen : SNAPLEN;
    live->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (live->fd < 0)
        return fail(live, error, "packet socket");
    unsigned index = if_nametoindex(interface);
    if (index == 0)
        return fail(live, error, interface);
    live->link_type = link_type_of(live->fd, interface);
    if (options->filter != NULL && !attach_filter(live, options->filter, error)) {
        hg_live_close(live);
        return NULL;
    }
    int version = TPACKET_V3;
    if (setsockopt(live->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0)
        return fail(live, error, "TPACKET_V3");
    uint32_t ring = options->ring_bytes ? options->ring_bytes : RING;
    struct tpacket_req3 request = {.tp_block_size = BLOCK, .tp_block_nr = ring / BLOCK ? ring / BLOCK : 1,
                                   .tp_frame_size = FRAME, .tp_retire_blk_tov = RETIRE_MS};
    request.tp_frame_nr = request.tp_block_nr * (BLOCK / FRAME);
    live->blocks = request.tp_block_nr;
    live->ring_size = (size_t)BLOCK * live->blocks;
    if (setsockopt(live->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0)
        return fail(live, error, "packet ring");
    void *ring_at = mmap(NULL, live->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, live->fd, 0);
    if (ring_at == MAP_FAILED)
        return fail(live, error, "packet ring");
    live->ring = ring_at;
    if (options->promiscuous) {
        struct packet_mreq membership = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};
        setsockopt(live->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof membership);
    }
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)index};
    if (bind(live->fd, (struct sockaddr *)&address, sizeof address) != 0)
        return fail(live, error, interface);
    return live;
}

static struct tpacket_block_desc *block_at(const hg_live *live)
{
    return (struct tpacket_block_desc *)(void *)(live->ring + (size_t)BLOCK * live->block);
}

static bool is_ready(const hg_live *live)
{
    return __atomic_load_n(&block_at(live)->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;
}

static void block_release(hg_live *live)
{
    __atomic_store_n(&block_at(live)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    live->block = (live->block + 1) % live->blocks;
    live->held = false;
}

static void frame_of(const hg_live *live, const struct tpacket3_hdr *p, hg_net_frame *f)
{
    uint32_t captured = p->tp_snaplen < live->snaplen ? p->tp_snaplen : live->snaplen;
    bool checked = p->tp_status & (TP_STATUS_CSUM_VALID | TP_STATUS_CSUMNOTREADY);
    *f = (hg_net_frame){.time = (hg_net_time)p->tp_sec * 1000000 + p->tp_nsec / 1000,
                        .data = (const uint8_t *)p + p->tp_mac, .captured = captured, .wire = p->tp_len,
                        .link_type = live->link_type, .checked = checked, .vlan = -1};
    if (p->tp_status & TP_STATUS_VLAN_VALID)
        f->vlan = p->hv1.tp_vlan_tci & 0xfff;
}

size_t hg_live_read(hg_live *live, hg_net_frame *frames, size_t room, int timeout_ms, hg_status *status)
{
    *status = HG_OK;
    if (live->held && live->left == 0)
        block_release(live);
    if (!live->held) {
        if (!is_ready(live)) {
            struct pollfd event = {.fd = live->fd, .events = POLLIN | POLLERR};
            int got = poll(&event, 1, timeout_ms);
            if (got > 0 && (event.revents & (POLLERR | POLLHUP | POLLNVAL)) && !is_ready(live))
                *status = HG_ERR_IO;
            if (!is_ready(live))
                return 0;
        }
        struct tpacket_block_desc *block = block_at(live);
        live->held = true;
        live->left = block->hdr.bh1.num_pkts;
        live->packet = (struct tpacket3_hdr *)(void *)((uint8_t *)block + block->hdr.bh1.offset_to_first_pkt);
    }
    size_t count = 0;
    while (count < room && live->left > 0) {
        frame_of(live, live->packet, &frames[count++]);
        live->left--;
        live->packet = (struct tpacket3_hdr *)(void *)((uint8_t *)live->packet + live->packet->tp_next_offset);
    }
    return count;
}

uint64_t hg_live_drops(hg_live *live)
{
    struct tpacket_stats_v3 stats;
    socklen_t size = sizeof stats;
    if (getsockopt(live->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0)
        live->drops += stats.tp_drops; /* the kernel's count starts anew with each look */
    return live->drops;
}

void hg_live_close(hg_live *live)
{
    if (live == NULL)
        return;
    if (live->ring != NULL)
        munmap(live->ring, live->ring_size);
    if (live->fd >= 0)
        close(live->fd);
    free(live);
}
