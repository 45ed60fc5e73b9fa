// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/door_link.h"
#include "kernel/conf.h"
#include "kernel/forward.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"

enum { TRIES = 8 };

static const char *const names[PAIRS] = {DOOR, "tsw-up"};
static const __u32 inner[PAIRS] = {ROUTER_GATEWAY, ROUTER_UPLINK};

/* A locally administered MAC made from the instance's name; marks a device without an alias yet. */
static struct tsw_mac mac_of(const struct door_link *want)
{
	const char *instance = want->instance;
	__u32 hash = 2166136261U; /* FNV-1a, 32 bits */

	for (; *instance; instance++)
		hash = (hash ^ (__u8)*instance) * 16777619U;
	return (struct tsw_mac){{0x02, (__u8)(0x77 + want->pair), (__u8)(hash >> 24),
				 (__u8)(hash >> 16), (__u8)(hash >> 8), (__u8)hash}};
}

static bool is_ours(const struct door_link *want, const struct link *link)
{
	const struct tsw_mac mac = mac_of(want);
	const char *owner = link_instance(link);

	if (strcmp(link->kind, "veth"))
		return false;
	return owner ? !strcmp(owner, want->instance)
		     : !link->alias[0] && mac_equal(&link->mac, &mac);
}

struct search {
	const struct door_link *want;
	struct link *link;
};

static int look(const struct link *link, void *data)
{
	const struct search *s = data;
	const char *name = names[s->want->pair];

	if (strncmp(link->name, name, strlen(name)) || !link->netnsid || !is_ours(s->want, link))
		return 0;
	*s->link = *link;
	return 1;
}

int door_link_find(const struct door_link *want, struct link *link)
{
	struct search s = {want, link};
	int err = want->ifindex ? link_by_index(want->ifindex, link) : -ENODEV;

	if (!err && link->netnsid && is_ours(want, link))
		return 0;
	if (err && err != -ENODEV)
		return err;
	err = link_each(look, &s);
	return err > 0 ? 0 : err ?: -ENOENT;
}

int door_link_old(const char *instance, struct link *link)
{
	const struct door_link want = {.instance = instance, .pair = PAIR_GATEWAY};
	int err = link_by_name(DOOR, link);

	if (err)
		return err == -ENODEV ? -ENOENT : err;
	return !link->netnsid && is_ours(&want, link) ? 0 : -ENOENT;
}

static int free_name(enum pair pair, char name[IFNAMSIZ])
{
	struct link link;
	unsigned int n = 1;
	int err;

	snprintf(name, IFNAMSIZ, "%s", names[pair]);
	while (!(err = link_by_name(name, &link)))
		snprintf(name, IFNAMSIZ, "%s%u", names[pair], ++n);
	return err == -ENODEV ? 0 : err;
}

/* Must run in the router: only a new device's own namespace lets its index be chosen. */
static int create(const struct door_link *want, const char *name)
{
	const struct tsw_mac mac = mac_of(want);
	const struct link_end end = {.name = name, .mac = &mac, .netns = netns_home()};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct ifinfomsg *header;

	request = link_make_begin(buffer, names[want->pair]);
	header = mnl_nlmsg_get_payload(request);
	header->ifi_index = (int)inner[want->pair];
	link_put_pair(request, &end);
	return netlink_talk(request, NULL, NULL);
}

/* Tries again if another switch takes the name meanwhile. */
static int make(const struct door_link *want)
{
	char name[IFNAMSIZ];
	int err, tries = TRIES;

	do {
		err = free_name(want->pair, name);
		err = err ?: netns_visit();
		if (err)
			return err;
		err = link_delete(inner[want->pair]); /* a pair whose other end is elsewhere */
		err = err ?: create(want, name);
		err = netns_leave(err);
	} while (err == -EEXIST && --tries);
	return err ? fail(err, "cannot make the device %s: %s", name, strerror(-err)) : 0;
}

static const struct link_ipv4 outer_ipv4[] = {{IPV4_DEVCONF_FORWARDING, 1}};

static const struct link_ipv4 inner_ipv4[] = {
	{IPV4_DEVCONF_FORWARDING, 1},
	{IPV4_DEVCONF_RP_FILTER, 0},
	{IPV4_DEVCONF_SEND_REDIRECTS, 0},
	{IPV4_DEVCONF_ACCEPT_SOURCE_ROUTE, 0}, /* programs do not see such a destination */
};

/*
 * NOARP, because no machine is behind the device: the programs find the real neighbour. Forwarding,
 * because bpf_fib_lookup() checks this for the device that it is given.
 */
static int configure(const struct door_link *want, __u32 ifindex, const char *name)
{
	const bool outer = !netns_is_visit();
	struct link_conf conf = {.ifindex = ifindex,
				 .instance = want->instance,
				 .flags = IFF_NOARP,
				 .mtu = want->mtu,
				 .ipv4 = outer ? outer_ipv4 : inner_ipv4,
				 .n_ipv4 = outer ? sizeof(outer_ipv4) / sizeof(outer_ipv4[0])
						 : sizeof(inner_ipv4) / sizeof(inner_ipv4[0])};
	int err = link_configure(&conf);

	/* Up last, because then the kernel adds a link-local address at once. */
	conf.flags |= IFF_UP;
	err = err ?: link_configure(&conf);
	if (!err && conf_read(TSW_IPV6, name, "disable_ipv6") == 1)
		err = conf_write(TSW_IPV6, name, "disable_ipv6", 0);
	if (!err && conf_read(TSW_IPV6, name, "disable_ipv6") >= 0)
		err = forward_ipv6(ifindex);
	return err ? fail(err, "cannot configure the device %s: %s", name, strerror(-err)) : 0;
}

/* Is it connected to another router, or to none? */
static bool is_torn(const struct door_link *want, const struct link *link)
{
	return !link->netnsid || link->nsid != want->nsid || link->peer != inner[want->pair];
}

/* The router's routes and nftables know its end by the name. */
static bool is_renamed(const struct door_link *want)
{
	struct link link;
	bool is;

	if (netns_visit())
		return false;
	is = !link_by_index(inner[want->pair], &link) && strcmp(link.name, names[want->pair]);
	netns_leave(0);
	return is;
}

int door_link_mend(const struct door_link *want, struct link *link)
{
	int err = door_link_find(want, link);

	if (!err && (is_torn(want, link) || is_renamed(want))) {
		err = link_delete(link->ifindex);
		err = err ?: -ENOENT;
	}
	if (err == -ENOENT) {
		err = make(want);
		err = err ?: door_link_find(want, link);
	}
	err = err ?: configure(want, link->ifindex, link->name);
	err = err ?: netns_visit();
	if (err)
		return err;
	err = configure(want, inner[want->pair], names[want->pair]);
	return netns_leave(err);
}

static bool is_set(const char *name)
{
	return conf_read(TSW_IPV4, name, "forwarding") == 1 &&
	       conf_read(TSW_IPV6, name, "disable_ipv6") != 1 &&
	       conf_read(TSW_IPV6, name, "forwarding") != 0;
}

/* Has the router's end what configure() gives it? */
static bool is_inner_set(const struct door_link *want)
{
	const __u32 wanted = IFF_UP | IFF_NOARP;
	const char *name = names[want->pair];
	struct link link;
	bool is;

	if (netns_visit())
		return true; /* router_check() reports it */
	is = link_by_index(inner[want->pair], &link) ||
	     ((link.flags & wanted) == wanted && is_set(name) &&
	      !conf_read(TSW_IPV4, name, "rp_filter") &&
	      !conf_read(TSW_IPV4, name, "send_redirects") &&
	      !conf_read(TSW_IPV4, name, "accept_source_route"));
	netns_leave(0);
	return is;
}

void door_link_check(const struct door_link *want, const struct link *link, json_t *problems)
{
	const __u32 wanted = IFF_UP | IFF_NOARP | IFF_RUNNING;

	if (is_torn(want, link))
		problem(problems, "gateway_device", link->name, "it does not lead to the router");
	else if (is_renamed(want))
		problem(problems, "gateway_device", link->name,
			"its end in the router has another name than %s", names[want->pair]);
	else if (!is_inner_set(want))
		problem(problems, "gateway_device", link->name,
			"its end in the router is down, uses ARP, or has other settings below "
			"/proc/sys/net");
	if ((link->flags & wanted) != wanted)
		problem(problems, "gateway_device", link->name,
			"it or its end in the router is down, or uses ARP");
	if (want->mtu && link->mtu != want->mtu)
		problem(problems, "gateway_device", link->name, "its MTU is %u and should be %u",
			link->mtu, want->mtu);
	if (!is_set(link->name))
		problem(problems, "gateway_device", link->name,
			"its settings below /proc/sys/net were changed");
}
