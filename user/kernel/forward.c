// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "kernel/conf.h"
#include "kernel/forward.h"
#include "kernel/netlink.h"

/* Values of accept_ra, which rtnetlink can read but not set. */
enum { ACCEPT_RA_HOST = 1, ACCEPT_RA_ALWAYS = 2 };

static int find_learned(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *route = mnl_nlmsg_get_payload(message);
	bool *found = data;

	if (route->rtm_family == AF_INET6 && !route->rtm_dst_len &&
	    route->rtm_protocol == RTPROT_RA)
		*found = true;
	return MNL_CB_OK;
}

static int has_learned(bool *found)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct rtmsg *route;

	*found = false;
	request = netlink_begin(buffer, RTM_GETROUTE, NLM_F_DUMP, sizeof(*route));
	route = mnl_nlmsg_get_payload(request);
	route->rtm_family = AF_INET6;
	return netlink_talk(request, find_learned, found);
}

/*
 * Lets devices that take router advertisements only while they do not forward take them in any
 * case. SHIELDED notes which of ALL were changed.
 */
static int shield(const struct if_nameindex *all, bool *shielded)
{
	size_t i;
	int err = 0;

	for (i = 0; all[i].if_index && !err; i++) {
		if (conf_read(TSW_IPV6, all[i].if_name, "accept_ra") != ACCEPT_RA_HOST)
			continue;
		shielded[i] = true;
		err = conf_write(TSW_IPV6, all[i].if_name, "accept_ra", ACCEPT_RA_ALWAYS);
	}
	return err;
}

static void unshield(const struct if_nameindex *all, const bool *shielded)
{
	size_t i;

	for (i = 0; all[i].if_index; i++)
		if (shielded[i])
			conf_write(TSW_IPV6, all[i].if_name, "accept_ra", ACCEPT_RA_HOST);
}

/*
 * When one device begins to forward, the kernel drops the routes that routers advertised on all
 * devices whose accept_ra is not 2. The host would have no default route until the next
 * advertisement. A kill in between leaves accept_ra at 2, which is the same as 1 for a device that
 * does not forward.
 */
int forward_shielded(int (*fn)(void *data), void *data)
{
	struct if_nameindex *all;
	bool *shielded, learned;
	size_t n = 0;
	int err = has_learned(&learned);

	if (err || !learned)
		return err ?: fn(data);
	all = if_nameindex();
	if (!all)
		return -errno;
	while (all[n].if_index)
		n++;
	shielded = calloc(n + 1, sizeof(*shielded));
	err = shielded ? shield(all, shielded) : -ENOMEM;
	err = err ?: fn(data);
	if (shielded)
		unshield(all, shielded);
	free(shielded);
	if_freenameindex(all);
	return err;
}

static int turn_on(void *dev)
{
	return conf_write(TSW_IPV6, dev, "forwarding", 1);
}

int forward_ipv6(__u32 ifindex)
{
	char dev[IFNAMSIZ];
	int on;

	if (!if_indextoname(ifindex, dev))
		return -errno;
	on = conf_read(TSW_IPV6, dev, "forwarding");
	if (on) /* it is on already, or it cannot be read */
		return on < 0 ? on : 0;
	return forward_shielded(turn_on, dev);
}
