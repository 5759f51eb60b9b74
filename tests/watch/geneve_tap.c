/* geneve_tap DEVICE LOCAL PEER: a TAP device whose frames travel in Geneve (RFC 8926) over UDP between two addresses; a
 * stand-in for the kernel's geneve device in tests. Runs until it is killed. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 6081, HEADER = 8, FRAME = 65536 };

static int tap_open(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int fd = open("/dev/net/tun", O_RDWR);
    snprintf(request.ifr_name, IFNAMSIZ, "%s", name);
    return fd >= 0 && ioctl(fd, TUNSETIFF, &request) == 0 ? fd : -1;
}

static int udp_open(const char *local, const char *peer)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT)}, there = here;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (inet_pton(AF_INET, local, &here.sin_addr) != 1 || inet_pton(AF_INET, peer, &there.sin_addr) != 1)
        return -1;
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 ||
        connect(fd, (struct sockaddr *)&there, sizeof there) != 0)
        return -1;
    return fd;
}

int main(int argc, char **argv)
{
    static uint8_t frame[FRAME];
    static const uint8_t header[HEADER] = {0, 0, 0x65, 0x58, 0, 0, 7, 0};
    int tap = argc == 4 ? tap_open(argv[1]) : -1, udp = argc == 4 ? udp_open(argv[2], argv[3]) : -1;
    if (tap < 0 || udp < 0) {
        perror("geneve_tap");
        return 1;
    }
    struct pollfd ends[2] = {{.fd = tap, .events = POLLIN}, {.fd = udp, .events = POLLIN}};
    while (poll(ends, 2, -1) >= 0) {
        if (ends[0].revents & POLLIN) {
            ssize_t len = read(tap, frame + HEADER, FRAME - HEADER);
            memcpy(frame, header, HEADER);
            if (len > 0 && send(udp, frame, HEADER + (size_t)len, 0) < 0)
                continue; /* the peer is not there yet */
        }
        if (ends[1].revents & (POLLIN | POLLERR)) {
            ssize_t len = recv(udp, frame, FRAME, 0);
            if (len > HEADER && write(tap, frame + HEADER, (size_t)len - HEADER) < 0)
                continue; /* the device is down */
        }
    }
    return 0;
}
