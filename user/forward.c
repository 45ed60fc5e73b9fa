// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "forward.h"
#include "netlink.h"

/* rtnetlink tells these and cannot set them. /proc/sys/net is that of this process's namespace. */
#define CONF "/proc/sys/net/ipv6/conf/%s/%s"

enum { PATH_LEN = 96, ACCEPT_RA_HOST = 1, ACCEPT_RA_ALWAYS = 2 };

static FILE *open_conf(const char *dev, const char *key, const char *mode)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), CONF, dev, key);
	return fopen(path, mode);
}

static int read_conf(const char *dev, const char *key)
{
	FILE *f = open_conf(dev, key, "re");
	int value = -1;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &value) != 1 || value < 0)
		value = -EIO;
	fclose(f);
	return value;
}

static int write_conf(const char *dev, const char *key, int value)
{
	FILE *f = open_conf(dev, key, "we");
	int err;

	if (!f)
		return -errno;
	err = fprintf(f, "%d\n", value) < 0 ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

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
 * Of all devices that take router advertisements while they do not forward: have them take
 * these in any case, or back. SHIELDED tells which of ALL they were.
 */
static int shield(const struct if_nameindex *all, bool *shielded)
{
	size_t i;
	int err = 0;

	for (i = 0; all[i].if_index && !err; i++) {
		if (read_conf(all[i].if_name, "accept_ra") != ACCEPT_RA_HOST)
			continue;
		shielded[i] = true;
		err = write_conf(all[i].if_name, "accept_ra", ACCEPT_RA_ALWAYS);
	}
	return err;
}

static void unshield(const struct if_nameindex *all, const bool *shielded)
{
	size_t i;

	for (i = 0; all[i].if_index; i++)
		if (shielded[i])
			write_conf(all[i].if_name, "accept_ra", ACCEPT_RA_HOST);
}

/*
 * When any one device begins to forward the kernel forgets the routes that routers advertised
 * on all devices, except where accept_ra is 2; it would have no default route until the next
 * advertisement. A kill in between leaves accept_ra at 2, which for a device that does not
 * forward is the same as 1.
 */
static int forward_shielded(const char *dev)
{
	struct if_nameindex *all = if_nameindex();
	bool *shielded;
	size_t n = 0;
	int err;

	if (!all)
		return -errno;
	while (all[n].if_index)
		n++;
	shielded = calloc(n + 1, sizeof(*shielded));
	err = shielded ? shield(all, shielded) : -ENOMEM;
	if (!err)
		err = write_conf(dev, "forwarding", 1);
	if (shielded)
		unshield(all, shielded);
	free(shielded);
	if_freenameindex(all);
	return err;
}

int forward_ipv6(__u32 ifindex)
{
	char dev[IFNAMSIZ];
	bool learned;
	int on, err;

	if (!if_indextoname(ifindex, dev))
		return -errno;
	on = read_conf(dev, "forwarding");
	if (on) /* it is, or it cannot be */
		return on < 0 ? on : 0;
	err = has_learned(&learned);
	if (err)
		return err;
	return learned ? forward_shielded(dev) : write_conf(dev, "forwarding", 1);
}
