// SPDX-License-Identifier: GPL-2.0-only
/* The bench's network namespace: its devices, addresses and routes, and what is heard there. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab.h"

#define RUNNING_MS 10000

/* Pairs; the other end has the same name and a 1 behind it. */
static const struct {
	const char *name;
	int index;
	const char *mac; /* NULL: any */
	bool ipv6;	 /* off elsewhere, so that few devices say anything of their own */
} devices[] = {
	{"pra", RED_A, NULL, false},	   {"prb", RED_B, NULL, false},
	{"prn", RED_N, NULL, false},	   {"pba", BLUE_A, NULL, false},
	{"pbb", BLUE_B, NULL, false},	   {"pga", GREEN_A, NULL, false},
	{"pgb", GREEN_B, NULL, false},	   {"pla", LARGE_A, NULL, false},
	{"str", STRANGE, NULL, true},	   {"wire", WIRE, MAC_WIRE, true},
	{"wire2", WIRE2, MAC_WIRE2, true}, {"vx", TUNNEL, NULL, true},
	{"gre4", GRE4, NULL, false},	   {"gre6", GRE6, NULL, false},
	{"gw", GW, NULL, false},	   {"pva", VIOLET_A, NULL, false},
	{"gnv", GNV, NULL, false},	   {"tsup", UP, NULL, true},
};

static const struct {
	const char *ip, *mac, *dev;
} neighbours[] = {
	{IP_HOST2, MAC_HOST2, "wire"},	  {IP_HOST3, MAC_HOST3, "wire"},
	{IP_HOST5, MAC_HOST5, "wire"},	  {IP6_HOST2, MAC_HOST2, "wire"},
	{IP6_HOST4, MAC_HOST4, "wire"},	  {IP6_HOST5, MAC_HOST5, "wire"},
	{IP_ROUTER, MAC_ROUTER, "wire2"}, {IP6_ROUTER, MAC_ROUTER, "wire2"},
};

static const char addresses[] = /* and routes */
	"addr add " IP_WIRE "/24 dev wire\n"
	"addr add " IP6_WIRE "/64 dev wire nodad\n"
	"addr add 203.0.113.1/24 dev wire2\n"
	"addr add 2001:db8:3::1/64 dev wire2 nodad\n"
	"route add " IP_STRAY " dev str\n"
	"route add " IP6_STRAY " dev str\n"
	"route add " IP_ROUTED " via " IP_ROUTER "\n"
	"route add " IP6_ROUTED " via " IP6_ROUTER "\n"
	"route add " IP_TWO_WAYS "/26 nexthop via " IP_HOST2 " nexthop via " IP_ROUTER "\n"
	"route add " IP6_TWO_WAYS "/122 nexthop via " IP6_HOST2 " nexthop via " IP6_ROUTER "\n";

static FILE *ip_begin(void)
{
	return popen("PATH=$PATH:/usr/sbin:/sbin ip -batch -", "w");
}

void lab_ip(const char *commands)
{
	FILE *ip = ip_begin();

	if (ip && fputs(commands, ip) >= 0 && !pclose(ip))
		return;
	fprintf(stderr, "# ip refuses: %s\n", commands);
	abort();
}

void lab_run(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "PATH=$PATH:/usr/sbin:/sbin %s", command);
	if (!system(line))
		return;
	fprintf(stderr, "# this fails: %s\n", command);
	abort();
}

static int write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fputs(text, f);
	return fclose(f) ? -errno : 0;
}

void lab_sysctl(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	if (!write_file(path, value))
		return;
	fprintf(stderr, "# %s cannot be set to %s\n", path, value);
	abort();
}

static int make_devices(void)
{
	FILE *ip = ip_begin();

	if (!ip)
		return -errno;
	for (size_t i = 0; i < COUNT(devices); i++) {
		const char *name = devices[i].name, *mac = devices[i].mac;

		fprintf(ip, "link add %s index %d %s %s type veth peer name %s1\n", name,
			devices[i].index, mac ? "address" : "", mac ? mac : "", name);
		fprintf(ip, "link set %s addrgenmode none\n", name);
	}
	return pclose(ip) ? -EINVAL : 0;
}

static int set_up(void)
{
	FILE *ip = ip_begin();

	if (!ip)
		return -errno;
	fprintf(ip, "link set lo up\n");
	for (size_t i = 0; i < COUNT(devices); i++)
		fprintf(ip, "link set %s up\nlink set %s1 up\n", devices[i].name, devices[i].name);
	for (size_t i = 0; i < COUNT(neighbours); i++)
		fprintf(ip, "neigh add %s lladdr %s dev %s nud permanent\n", neighbours[i].ip,
			neighbours[i].mac, neighbours[i].dev);
	fputs(addresses, ip);
	return pclose(ip) ? -EINVAL : 0;
}

/*
 * The kernel tells a device that its peer is up in a work of its own: until then what is sent there
 * is dropped, and on a busy machine the first test would be sooner.
 */
static int wait_running(void)
{
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t at = 0;

	for (int ms = 0; s >= 0 && ms < RUNNING_MS && at < COUNT(devices); ms++) {
		struct ifreq request = {};

		snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", devices[at].name);
		if (!ioctl(s, SIOCGIFFLAGS, &request) && request.ifr_flags & IFF_RUNNING)
			at++;
		else
			usleep(1000);
	}
	if (s >= 0)
		close(s);
	return at == COUNT(devices) ? 0 : -ETIMEDOUT;
}

/* The route lookup asks for tsw-vx, which forwards; the underlay does not. */
int lab_net_make(void)
{
	char name[64];

	if (unshare(CLONE_NEWNET))
		return -errno;
	lab_sysctl("ipv6/conf/default/disable_ipv6", "1");
	lab_sysctl("ipv6/conf/default/accept_ra", "0");
	lab_sysctl("ipv6/conf/default/router_solicitations", "0");
	lab_sysctl("ipv4/conf/default/forwarding", "0");
	if (make_devices())
		return -EINVAL;
	for (size_t i = 0; i < COUNT(devices); i++) {
		snprintf(name, sizeof(name), "ipv6/conf/%s/disable_ipv6", devices[i].name);
		lab_sysctl(name, devices[i].ipv6 ? "0" : "1");
	}
	lab_sysctl("ipv4/conf/vx/forwarding", "1");
	lab_sysctl("ipv6/conf/vx/forwarding", "1");
	if (set_up())
		return -EINVAL;
	return wait_running();
}

void lab_config_local(const char *ip)
{
	struct tsw_config cfg;
	struct tsw_addr addr;
	bool v6 = frame_ip((__u8 *)&addr, ip);

	lab_config(&cfg);
	cfg.local[v6 ? TSW_IPV6 : TSW_IPV4] = addr;
	lab_config_set(&cfg);
}

void lab_config_no_local(enum tsw_family family)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.local[family] = (struct tsw_addr){};
	lab_config_set(&cfg);
}

void lab_config_gre(__u32 v4, __u32 v6)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.gre[TSW_IPV4] = v4;
	cfg.gre[TSW_IPV6] = v6;
	lab_config_set(&cfg);
}

void lab_config_geneve(__u32 ifindex)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.geneve = ifindex;
	lab_config_set(&cfg);
}

int lab_tap(const char *dev)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(dev),
	};
	int tap = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	if (tap >= 0 && at.sll_ifindex && !bind(tap, (struct sockaddr *)&at, sizeof(at)))
		return tap;
	fprintf(stderr, "# tap at %s: %s\n", dev, strerror(errno));
	abort();
}

void lab_say(int tap, const struct frame *f)
{
	if (send(tap, f->b, f->len, 0) == (ssize_t)f->len)
		return;
	fprintf(stderr, "# send: %s\n", strerror(errno));
	abort();
}

int lab_tun(const char *dev)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	int tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	char up[64];

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	if (tun < 0 || ioctl(tun, TUNSETIFF, &request)) {
		fprintf(stderr, "# device %s: %s\n", dev, strerror(errno));
		abort();
	}
	snprintf(up, sizeof(up), "link set %s addrgenmode none up\n", dev);
	lab_ip(up);
	return tun;
}

/* A device with IPv6 tells the routers its groups (RFC 3810), to MAC 33:33:00:00:00:16. */
static bool is_listener_report(const struct frame *f)
{
	static const __u8 to[] = {0x33, 0x33, 0, 0, 0, 0x16};

	return f->len > sizeof(to) && !memcmp(f->b, to, sizeof(to));
}

bool lab_heard(int tap, int wait_ms, struct frame *f)
{
	struct pollfd poll_fd = {.fd = tap, .events = POLLIN};
	ssize_t len;

	do {
		if (poll(&poll_fd, 1, wait_ms) != 1)
			return false;
		len = read(tap, f->b, sizeof(f->b));
		f->len = len < 0 ? 0 : len;
	} while (is_listener_report(f));
	return len >= 0;
}
