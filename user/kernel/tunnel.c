// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>

#include <net/if.h> /* must come before linux/if_tunnel.h, which defines the same */

#include <linux/if_tunnel.h>

#include "base/err.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "kernel/sockets.h"
#include "kernel/system.h"
#include "kernel/tunnel.h"

/* The longest IP packet less the headers: a super-frame is never too big here. */
#define LONGEST(encap, family) (65535 - TSW_OVERHEAD(encap, family))

static const struct {
	const char *name;
	const char *kind;
	const char *module;
	__u32 mtu;
} about[TUNNELS] = {
	[TUNNEL_VXLAN] = {"tsw-vx", "vxlan", "vxlan", LONGEST(TSW_ENCAP_VXLAN, TSW_IPV4)},
	[TUNNEL_GRE] = {"tsw-gre", "gretap", "ip_gre", LONGEST(TSW_ENCAP_GRE, TSW_IPV4)},
	[TUNNEL_GRE6] = {"tsw-gre6", "ip6gretap", "ip6_gre", LONGEST(TSW_ENCAP_GRE, TSW_IPV6)},
	[TUNNEL_GENEVE] = {"tsw-gnv", "geneve", "geneve", LONGEST(TSW_ENCAP_GENEVE, TSW_IPV4)},
};

/* Source ports as RFC 7348 section 5 recommends; checksum 0 in both directions by RFC 6935. */
enum { SPORT_LOW = 49152, SPORT_HIGH = 65535 };

static void put_vxlan(struct nlmsghdr *request, __u16 port, bool alone)
{
	const struct ifla_vxlan_port_range range = {htons(SPORT_LOW), htons(SPORT_HIGH)};

	mnl_attr_put_u8(request, IFLA_VXLAN_COLLECT_METADATA, 1);
	mnl_attr_put_u8(request, IFLA_VXLAN_LEARNING, 0);
	mnl_attr_put_u16(request, IFLA_VXLAN_PORT, htons(port));
	mnl_attr_put(request, IFLA_VXLAN_PORT_RANGE, sizeof(range), &range);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_CSUM, 0);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_ZERO_CSUM6_TX, 1);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_ZERO_CSUM6_RX, alone);
}

/* Checksums as above, for IPv6 by RFC 8926 section 4.3.1. The kernel chooses the source ports. */
static void put_geneve(struct nlmsghdr *request)
{
	mnl_attr_put(request, IFLA_GENEVE_COLLECT_METADATA, 0, NULL);
	mnl_attr_put_u16(request, IFLA_GENEVE_PORT, htons(TSW_GENEVE_PORT));
	mnl_attr_put_u8(request, IFLA_GENEVE_UDP_ZERO_CSUM6_TX, 1);
	mnl_attr_put_u8(request, IFLA_GENEVE_UDP_ZERO_CSUM6_RX, 1);
}

/* More than the kernel gives, so it refuses the device, after it has found the kind. */
enum { QUEUES_NONE = 65535 };

/*
 * ALONE false: another device has the same port and flags. The kernel refuses a second device like
 * it, but takes one with another flag. That one cannot be set up, and need not be. TRIAL: makes
 * none, and returns -EINVAL if the kernel has that kind.
 */
static int create(enum tunnel tunnel, const char *name, __u16 port, bool alone, bool trial)
{
	char buffer[NETLINK_BUFFER];
	struct nlattr *info, *data;
	struct nlmsghdr *request;
	int err;

	request = link_make_begin(buffer, name);
	mnl_attr_put_u32(request, IFLA_MTU, about[tunnel].mtu);
	if (trial)
		mnl_attr_put_u32(request, IFLA_NUM_TX_QUEUES, QUEUES_NONE);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, about[tunnel].kind);
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	if (tunnel == TUNNEL_VXLAN)
		put_vxlan(request, port, alone);
	else if (tunnel == TUNNEL_GENEVE)
		put_geneve(request);
	else
		mnl_attr_put(request, IFLA_GRE_COLLECT_METADATA, 0, NULL);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
	err = netlink_talk(request, NULL, NULL);
	/* The kernel's errors for a second device on the port, of another kind or the same. */
	return tunnel == TUNNEL_GENEVE && (err == -EPERM || err == -EBUSY) ? -EEXIST : err;
}

/* bpf_fib_lookup() needs forwarding on the device of the look-up. */
static const struct link_ipv4 ipv4[] = {{IPV4_DEVCONF_FORWARDING, 1}};

int tunnel_configure(__u32 ifindex, const char *instance)
{
	const struct link_conf conf = {.ifindex = ifindex,
				       .instance = instance,
				       .ipv4 = ipv4,
				       .n_ipv4 = sizeof(ipv4) / sizeof(ipv4[0])};
	int err = link_configure(&conf);

	return err ? fail(err, "cannot configure the tunnel device: %s", strerror(-err)) : 0;
}

int tunnel_make(enum tunnel tunnel, const char *instance, __u16 port, __u32 *ifindex)
{
	char name[IFNAMSIZ];
	struct failure why;
	struct link link;
	int err;

	link_free_name(about[tunnel].name, name);
	err = create(tunnel, name, port, true, false);
	if (err == -EEXIST && tunnel == TUNNEL_VXLAN)
		err = create(tunnel, name, port, false, false);
	if (tunnel != TUNNEL_VXLAN && (err == -EOPNOTSUPP || err == -EEXIST))
		return err;
	if (err)
		return fail(err, "cannot make the tunnel device %s for UDP port %u: %s", name, port,
			    strerror(-err));
	err = link_by_name(name, &link);
	if (err)
		return err;
	*ifindex = link.ifindex;
	err = tunnel_configure(link.ifindex, instance);
	if (err) {
		why = *failure();
		link_delete(link.ifindex);
		return fail_again(&why);
	}
	return 0;
}

int tunnel_start(__u32 ifindex, bool *up)
{
	const int err = link_start(ifindex);

	*up = !err;
	if (!err || err == -EADDRINUSE)
		return 0;
	return fail(err, "cannot set the tunnel device up: %s", strerror(-err));
}

struct of {
	enum tunnel tunnel; /* TUNNELS: of any kind */
	const char *instance;
	int (*fn)(const char *instance, void *data);
	void *data;
	__u16 port;
};

/* The kind of tunnel device; TUNNELS: not one that tsw makes. */
static enum tunnel tunnel_of(const struct link *link)
{
	enum tunnel tunnel = 0;

	while (tunnel < TUNNELS && strcmp(link->kind, about[tunnel].kind))
		tunnel++;
	return tunnel;
}

const char *tunnel_instance(const struct link *link)
{
	return tunnel_of(link) == TUNNELS ? NULL : link_instance(link);
}

/*
 * The kernel takes no alias in the message that makes a device. A device that a killed `up` left
 * without an alias is known by its other settings.
 */
static bool is_unfinished(const struct link *link, __u16 port)
{
	enum tunnel tunnel = tunnel_of(link);

	return tunnel != TUNNELS && !link->alias[0] && !(link->flags & IFF_UP) &&
	       link->mtu == about[tunnel].mtu && link->external && port &&
	       (tunnel != TUNNEL_VXLAN || link->port == port) &&
	       link_has_name(link, about[tunnel].name);
}

static bool is_ours(const struct link *link, void *data)
{
	const char *instance = tunnel_instance(link);
	const struct of *of = data;

	if (of->tunnel != TUNNELS && of->tunnel != tunnel_of(link))
		return false;
	return instance ? !strcmp(instance, of->instance) : is_unfinished(link, of->port);
}

int tunnel_delete(enum tunnel tunnel, const char *instance, __u16 port)
{
	struct of of = {.tunnel = tunnel, .instance = instance, .port = port};

	return link_delete_each(is_ours, &of);
}

bool tunnel_is_of(__u32 ifindex, const char *instance)
{
	const char *other;
	struct link link;

	if (link_by_index(ifindex, &link))
		return false;
	other = tunnel_instance(&link);
	return other && !strcmp(other, instance);
}

static int call(const struct link *link, void *data)
{
	const char *instance = tunnel_of(link) == TUNNEL_VXLAN ? tunnel_instance(link) : NULL;
	const struct of *of = data;

	return instance ? of->fn(instance, of->data) : 0;
}

int tunnel_each(int (*fn)(const char *instance, void *data), void *data)
{
	struct of of = {.fn = fn, .data = data};

	return link_each(call, &of);
}

static int is_in_the_way(const struct link *link, void *data)
{
	const struct of *of = data;
	const char *instance = tunnel_instance(link);

	if (tunnel_of(link) != of->tunnel)
		return 0;
	if (instance && !strcmp(instance, of->instance))
		return 1;
	switch (of->tunnel) {
	case TUNNEL_VXLAN:
		return 0; /* create() makes a second one */
	case TUNNEL_GENEVE:
		return link->port == TSW_GENEVE_PORT;
	default:
		return link->external;
	}
}

/* Has another program the port of tsw-gnv, which then cannot be set up? */
static bool is_heard(__u16 port)
{
	struct tsw_addr at;
	bool found = false;

	return !sockets_find(TSW_IPV4, IPPROTO_UDP, port, "", &found, &at) && found;
}

/* A kernel may have it without a module. That of GRE makes devices when it is loaded. */
static bool has_kind(enum tunnel tunnel, const char *name)
{
	return system_has_module(about[tunnel].module) ||
	       create(tunnel, name, TSW_VXLAN_PORT, true, true) == -EINVAL;
}

bool tunnel_is_to_make(enum tunnel tunnel, const char *instance, char name[IFNAMSIZ])
{
	struct of of = {.tunnel = tunnel, .instance = instance};

	link_free_name(about[tunnel].name, name);
	return !link_each(is_in_the_way, &of) &&
	       !(tunnel == TUNNEL_GENEVE && is_heard(TSW_GENEVE_PORT)) && has_kind(tunnel, name);
}
