// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include "lab.h"
#include "system.h"
#include "tsw.skel.h"

#define MAP_SIZE 256
#define KEY_MAX 128

static struct tsw_bpf *bpf;

/* IPv6 is off, so that no device says anything of its own. */
static const char devices[] =
	"link set lo up\n"
	"link add pra index 101 address 02:00:00:00:02:01 type veth peer name pra1\n"
	"link add prb index 102 address 02:00:00:00:02:02 type veth peer name prb1\n"
	"link add prn index 103 address 02:00:00:00:02:03 type veth peer name prn1\n"
	"link add pba index 104 address 02:00:00:00:02:04 type veth peer name pba1\n"
	"link add pbb index 105 address 02:00:00:00:02:05 type veth peer name pbb1\n"
	"link add str index 106 address 02:00:00:00:02:06 type veth peer name str1\n"
	"link add wire index 107 address " MAC_WIRE " type veth peer name wire1\n"
	"link add vx index 108 type veth peer name vx1\n"
	"link set pra up\nlink set pra1 up\nlink set prb up\nlink set prb1 up\n"
	"link set prn up\nlink set prn1 up\nlink set pba up\nlink set pba1 up\n"
	"link set pbb up\nlink set pbb1 up\nlink set str up\nlink set str1 up\n"
	"link set wire up\nlink set wire1 up\nlink set vx up\nlink set vx1 up\n"
	"addr add " IP_WIRE "/24 dev wire\n"
	"neigh add " IP_HOST2 " lladdr " MAC_HOST2 " dev wire nud permanent\n"
	"neigh add " IP_HOST3 " lladdr " MAC_HOST3 " dev wire nud permanent\n";

static int ip_batch(const char *commands)
{
	FILE *ip = popen("PATH=$PATH:/usr/sbin:/sbin ip -batch -", "w");

	if (!ip)
		return -errno;
	fputs(commands, ip);
	return pclose(ip) ? -EINVAL : 0;
}

void lab_ip(const char *commands)
{
	if (!ip_batch(commands))
		return;
	fprintf(stderr, "# ip refuses: %s\n", commands);
	abort();
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

bool lab_heard(int tap, int wait_ms, struct frame *f)
{
	struct pollfd poll_fd = {.fd = tap, .events = POLLIN};
	ssize_t len;

	if (poll(&poll_fd, 1, wait_ms) != 1)
		return false;
	len = recv(tap, f->b, sizeof(f->b), MSG_DONTWAIT);
	f->len = len < 0 ? 0 : len;
	return len >= 0;
}

static int write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fputs(text, f);
	return fclose(f) ? -errno : 0;
}

/* The route lookup asks for tsw-vx, which forwards; the underlay does not. */
static int make_devices(void)
{
	if (unshare(CLONE_NEWNET))
		return -errno;
	if (write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") ||
	    write_file("/proc/sys/net/ipv4/conf/default/forwarding", "0") || ip_batch(devices))
		return -EINVAL;
	return write_file("/proc/sys/net/ipv4/conf/vx/forwarding", "1");
}

static struct bpf_map *map_of(enum map map)
{
	struct bpf_map *const maps[] = {
		[M_CONFIG] = bpf->maps.tsw_config,	   [M_TENANTS] = bpf->maps.tsw_tenants,
		[M_HOSTS] = bpf->maps.tsw_hosts,	   [M_VTEPS] = bpf->maps.tsw_vteps,
		[M_PORTS] = bpf->maps.tsw_ports,	   [M_FDB] = bpf->maps.tsw_fdb,
		[M_DEVICES] = bpf->maps.tsw_devices,	   [M_ADDRS] = bpf->maps.tsw_addrs,
		[M_GROUPS] = bpf->maps.tsw_groups,	   [M_STATS] = bpf->maps.tsw_stats,
		[M_HOST_STATS] = bpf->maps.tsw_host_stats, [M_DROPS] = bpf->maps.tsw_drops,
	};

	return maps[map];
}

int lab_map(enum map map)
{
	return bpf_map__fd(map_of(map));
}

int lab_open(void)
{
	struct bpf_map *map;
	int err = make_devices();

	bpf = tsw_bpf__open();
	if (err || !bpf) {
		fprintf(stderr, "# the bench cannot be made: %s\n", strerror(err ? -err : errno));
		return -1;
	}
	bpf->rodata->tsw_has_kern_ctx = system_has_kfunc("bpf_cast_to_kern_ctx");
	bpf_object__for_each_map(map, bpf->obj) {
		if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY)
			bpf_map__set_max_entries(map, MAP_SIZE);
	}
	if (tsw_bpf__load(bpf))
		return -1;
	lab_fill();
	return 0;
}

void lab_close(void)
{
	tsw_bpf__destroy(bpf);
	bpf = NULL;
}

int lab_program(enum program program)
{
	const struct bpf_program *programs[] = {
		[FROM_PORT] = bpf->progs.tsw_from_port,
		[TO_PORT] = bpf->progs.tsw_to_port,
		[FROM_WIRE] = bpf->progs.tsw_from_wire,
		[FROM_TUNNEL] = bpf->progs.tsw_from_tunnel,
		[XDP] = bpf->progs.tsw_xdp,
	};

	return bpf_program__fd(programs[program]);
}

static void set(enum map map, const void *key, const void *value)
{
	if (!bpf_map_update_elem(lab_map(map), key, value, BPF_ANY))
		return;
	fprintf(stderr, "# map %s: %s\n", bpf_map__name(map_of(map)), strerror(errno));
	abort();
}

void lab_unset(enum map map, const void *key)
{
	bpf_map_delete_elem(lab_map(map), key);
}

void lab_clear(enum map map)
{
	__u8 key[KEY_MAX];

	while (!bpf_map_get_next_key(lab_map(map), NULL, key))
		lab_unset(map, key);
}

void lab_config(struct tsw_config *cfg)
{
	__u32 zero = 0;

	bpf_map_lookup_elem(lab_map(M_CONFIG), &zero, cfg);
}

void lab_config_set(const struct tsw_config *cfg)
{
	__u32 zero = 0;

	set(M_CONFIG, &zero, cfg);
}

void lab_config_flag(__u32 on, __u32 off)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.flags = (cfg.flags | on) & ~off;
	lab_config_set(&cfg);
}

void lab_tenant(__u32 tenant, __u32 mtu, __u32 flags)
{
	struct tsw_tenant t = {.mtu = mtu, .flags = flags};

	set(M_TENANTS, &tenant, &t);
}

void lab_port(__u32 ifindex, __u32 tenant, const char *mac, __u32 flags)
{
	struct tsw_port port = {.tenant = tenant, .flags = flags};

	frame_mac(port.mac.b, mac);
	set(M_PORTS, &ifindex, &port);
	set(M_DEVICES, &ifindex, &ifindex);
}

void lab_fdb(__u32 tenant, const char *mac, enum tsw_place place, __u32 id)
{
	struct tsw_fdb_key key = {.tenant = tenant};
	struct tsw_fdb fdb = {.place = place, .id = id};

	frame_mac(key.mac.b, mac);
	set(M_FDB, &key, &fdb);
}

void lab_fdb_unset(__u32 tenant, const char *mac)
{
	struct tsw_fdb_key key = {.tenant = tenant};

	frame_mac(key.mac.b, mac);
	lab_unset(M_FDB, &key);
}

void lab_addr(__u32 tenant, const char *ip, const char *mac)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_addr_owner owner = {};

	frame_ip((__u8 *)&key.addr, ip);
	frame_mac(owner.mac.b, mac);
	set(M_ADDRS, &key, &owner);
}

void lab_host(__u32 id, const char *ip)
{
	struct tsw_host host = {};

	frame_ip((__u8 *)&host.addr, ip);
	set(M_HOSTS, &id, &host);
	set(M_VTEPS, &host.addr, &id);
}

void lab_ring(__u32 tenant, __u32 head, const __u32 *members, size_t count)
{
	struct tsw_group_key key = {.tenant = tenant, .member = head};
	struct tsw_group group = {.refs = 1};

	for (size_t i = 0; i <= count; i++) {
		group.next = i < count ? members[i] : head;
		set(M_GROUPS, &key, &group);
		key.member = group.next;
	}
}

static void fill_config(void)
{
	struct tsw_config cfg = {
		.abi = TSW_ABI_VERSION,
		.underlay = WIRE,
		.tunnel = TUNNEL,
		.secret = SECRET,
		.port = htons(TSW_VXLAN_PORT),
	};
	struct utsname system;
	int major = 0, minor = 0;

	uname(&system);
	if (sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	    (major > 6 || (major == 6 && minor >= 3)))
		cfg.flags = TSW_CFG_DECAP_IPV6;
	frame_ip((__u8 *)&cfg.local, IP_WIRE);
	lab_config_set(&cfg);
}

static void fill_tenant(__u32 tenant, __u32 a, __u32 b, __u32 host_c, __u32 host_d)
{
	static const char *const addrs[][2] = {
		{IP_A, MAC_A},	{IP_B, MAC_B},	{IP_C, MAC_C},	{IP_D, MAC_D},
		{IP6_A, MAC_A}, {IP6_B, MAC_B}, {IP6_C, MAC_C}, {IP6_D, MAC_D},
	};
	const __u32 ports[] = {a, b, RED_N};
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST2, TSW_MEMBER_HOST | HOST3};

	lab_tenant(tenant, 0, TSW_TENANT_BROADCAST);
	lab_port(a, tenant, MAC_A, TSW_PORT_GUARD_IP);
	lab_port(b, tenant, MAC_B, TSW_PORT_GUARD_IP);
	lab_fdb(tenant, MAC_A, TSW_PLACE_PORT, a);
	lab_fdb(tenant, MAC_B, TSW_PLACE_PORT, b);
	lab_fdb(tenant, MAC_C, TSW_PLACE_HOST, host_c);
	lab_fdb(tenant, MAC_D, TSW_PLACE_HOST, host_d);
	for (size_t i = 0; i < COUNT(addrs); i++)
		lab_addr(tenant, addrs[i][0], addrs[i][1]);
	lab_ring(tenant, TSW_MEMBER_PORTS, ports, tenant == RED ? 3 : 2);
	lab_ring(tenant, TSW_MEMBER_HOSTS, hosts, COUNT(hosts));
}

void lab_fill(void)
{
	for (enum map map = M_TENANTS; map <= M_GROUPS; map++)
		lab_clear(map);
	fill_config();
	fill_tenant(RED, RED_A, RED_B, HOST2, HOST3);
	fill_tenant(BLUE, BLUE_A, BLUE_B, HOST3, HOST2);
	lab_port(RED_N, RED, MAC_N, 0);
	lab_fdb(RED, MAC_N, TSW_PLACE_PORT, RED_N);
	lab_host(HOST2, IP_HOST2);
	lab_host(HOST3, IP_HOST3);
	lab_host(HOST_SILENT, IP_SILENT);
	lab_host(HOST_NO_ROUTE, IP_NO_ROUTE);
	lab_fdb(RED, MAC_ON_SILENT, TSW_PLACE_HOST, HOST_SILENT);
	lab_fdb(RED, MAC_ON_NO_ROUTE, TSW_PLACE_HOST, HOST_NO_ROUTE);
	lab_fdb(RED, MAC_ON_GONE, TSW_PLACE_HOST, HOST_GONE);
}
