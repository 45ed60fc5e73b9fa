// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/err.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "kernel/wireguard.h"

#define NAME "tsw-wg"
#define KIND "wireguard"

static int create(const char *name, __u32 mtu)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_make_begin(buffer, name);
	struct nlattr *info;

	if (mtu) /* 0: not known yet */
		mnl_attr_put_u32(request, IFLA_MTU, mtu);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, KIND);
	mnl_attr_nest_end(request, info);
	return netlink_talk(request, NULL, NULL);
}

void wg_next_name(unsigned int n, char name[IFNAMSIZ])
{
	link_next_name(NAME, n, name);
}

int wg_configure(__u32 ifindex, const char *instance, __u32 mtu)
{
	const struct link_conf conf = {.ifindex = ifindex, .instance = instance, .mtu = mtu};
	int err = link_configure(&conf);

	return err ? fail(err, "cannot configure the WireGuard device: %s", strerror(-err)) : 0;
}

int wg_make(const char *instance, __u32 mtu, __u32 *ifindex)
{
	char name[IFNAMSIZ];
	struct failure why;
	struct link link;
	int err;

	link_free_name(NAME, name);
	err = create(name, mtu);
	if (err)
		return fail(err, "cannot make the WireGuard device %s: %s", name, strerror(-err));
	err = link_by_name(name, &link);
	if (err)
		return err;
	err = wg_configure(link.ifindex, instance, mtu);
	if (err) {
		why = *failure();
		link_delete(link.ifindex);
		return fail_again(&why);
	}
	*ifindex = link.ifindex;
	return 0;
}

int wg_start(__u32 ifindex)
{
	const int err = link_start(ifindex);

	if (err == -EADDRINUSE)
		return fail(EADDRINUSE,
			    "another socket has a UDP port that WireGuard needs: give wg-port N, "
			    "the same on each host");
	return err ? fail(err, "cannot set the WireGuard device up: %s", strerror(-err)) : 0;
}

const char *wg_instance(const struct link *link)
{
	return strcmp(link->kind, KIND) ? NULL : link_instance(link);
}

/*
 * A device that a killed command did not finish. The kernel takes no alias in the message that
 * makes a device, so it has our name, no alias, and is down.
 */
static bool is_unfinished(const struct link *link)
{
	return !strcmp(link->kind, KIND) && !link->alias[0] && !(link->flags & IFF_UP) &&
	       link_has_name(link, NAME);
}

bool wg_is_of(__u32 ifindex, const char *instance)
{
	const char *other;
	struct link link;

	if (!ifindex || link_by_index(ifindex, &link))
		return false;
	other = wg_instance(&link);
	return other && !strcmp(other, instance);
}

struct others {
	const char *instance;
	const __u32 *keep;
	size_t n;
};

static bool is_other(const struct link *link, void *data)
{
	const char *instance = wg_instance(link);
	const struct others *others = data;
	size_t i;

	if (instance ? strcmp(instance, others->instance) : !is_unfinished(link))
		return false;
	for (i = 0; i < others->n; i++)
		if (others->keep[i] == link->ifindex)
			return false;
	return true;
}

int wg_delete_others(const char *instance, const __u32 *keep, size_t n)
{
	struct others others = {.instance = instance, .keep = keep, .n = n};

	return link_delete_each(is_other, &others);
}
