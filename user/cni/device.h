/* SPDX-License-Identifier: GPL-2.0-only */
/* A veth between the host, where this process is, and a container's network namespace. */
#ifndef TSW_CNI_DEVICE_H
#define TSW_CNI_DEVICE_H

#include <stdbool.h>

#include <tsw/object.h>

struct cni_ip {
	struct tsw_prefix at;	 /* the address and its network's length */
	struct tsw_addr gateway; /* zero: none */
};

struct cni_route {
	struct tsw_prefix dst;
	struct tsw_addr gateway; /* zero: it is on the link */
};

enum { CNI_ROUTES = 64 };

/* What the container's end has. */
struct dress {
	unsigned int n_ip, n_route;
	struct cni_ip ip[TSW_ENDPOINT_IPS];
	struct cni_route route[CNI_ROUTES];
};

struct device {
	const char *dev, *alias; /* the host's end */
	int netns;		 /* fd of the container's */
	const char *ifname;
	struct tsw_mac mac; /* of the container's end */
	__u32 mtu;	    /* of both */
};

/*
 * Both ends at once, so that a kill leaves none or a whole one; the host's is up. -EEXIST: which
 * name is taken.
 */
int device_make(const struct device *device);

/* In the container's namespace. A route that another interface has there is left out of DRESS. */
int device_dress(const char *ifname, struct dress *dress);

/* In the container's namespace: -ENOENT, what of it is not there. */
int device_check(const char *ifname, const struct tsw_mac *mac, const struct dress *dress);

/* The host's end, and with it the other; 0 where there is none. */
int device_remove(const char *dev);

/* Calls EACH for each device whose name or alias is the network's; see cni_names. */
typedef int device_each_of(void *context, const char *dev);
int device_each(const char *dev_network, const char *alias, device_each_of *each, void *context);

#endif
