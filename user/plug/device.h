/* SPDX-License-Identifier: GPL-2.0-only */
/* A pair of devices: one of the host, where this process is, one of a container. */
#ifndef TSW_PLUG_DEVICE_H
#define TSW_PLUG_DEVICE_H

#include <stdbool.h>

#include <tsw/object.h>

struct dress_ip {
	struct tsw_prefix at;	 /* the address and its network's length */
	struct tsw_addr gateway; /* zero: none */
};

struct dress_route {
	struct tsw_prefix dst;
	struct tsw_addr gateway; /* zero: it is on the link */
};

enum { DRESS_ROUTES = 64 };

/* What the container's end has. */
struct dress {
	unsigned int n_ip, n_route;
	struct dress_ip ip[TSW_ENDPOINT_IPS];
	struct dress_route route[DRESS_ROUTES];
};

/* Netkit came with Linux 6.7. */
enum device_kind { DEVICE_VETH, DEVICE_NETKIT, DEVICE_AUTO };

struct device {
	enum device_kind kind;	 /* DEVICE_AUTO: netkit where the kernel has it */
	const char *dev, *alias; /* the host's end */
	int netns;		 /* fd of the container's; -1: the other end stays here */
	const char *ifname;
	struct tsw_mac mac; /* of the container's end */
	__u32 mtu;	    /* of both */
};

/* One of the words veth, netkit, auto; -EINVAL with a message. */
int device_kind_parse(const char *text, enum device_kind *kind);

/*
 * Both ends at once, so that a kill leaves none or a whole one; the host's is up. -EEXIST: which
 * name is taken.
 */
int device_make(const struct device *device);

/* In the container's namespace. A route that another interface has there is left out of DRESS. */
int device_dress(const char *ifname, struct dress *dress);

/* In the container's namespace: -ENOENT, what of it is not there. */
int device_check(const char *ifname, const struct tsw_mac *mac, const struct dress *dress);

/*
 * A name may be another's, for it is made of a few letters of a hash: whose a device is its alias
 * tells. What was killed may have left one without.
 */
bool device_is_foreign(const char *dev, const char *alias);

/* The host's end, and with it the other; 0 where there is none, or another's. ALIAS may be NULL. */
int device_remove(const char *dev, const char *alias);

/*
 * The same of each device whose name begins with DEV_NETWORK, and its alias with ALIAS if it has
 * one, but those that STAYS says of, which may be NULL. The first failure keeps none of the others.
 */
typedef bool device_stays(const void *context, const char *dev);
int devices_remove(const char *dev_network, const char *alias, device_stays *stays,
		   const void *context);

#endif
