/* SPDX-License-Identifier: GPL-2.0-only */
/* Pairs of devices: one end stays in the host, where this process runs, one is a container's. */
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

/* The addresses and routes of the container's end. */
struct dress {
	unsigned int n_ip, n_route;
	struct dress_ip ip[TSW_ENDPOINT_IPS];
	struct dress_route route[DRESS_ROUTES];
};

/* Netkit came with Linux 6.7. */
enum device_kind { DEVICE_VETH, DEVICE_NETKIT, DEVICE_AUTO };

struct device {
	enum device_kind kind;	 /* DEVICE_AUTO: netkit if the kernel has it */
	const char *dev, *alias; /* the host's end */
	int netns;		 /* fd of the container's namespace; -1: both ends stay here */
	const char *ifname;	 /* the container's end */
	struct tsw_mac mac;	 /* of the container's end */
	__u32 mtu;		 /* of both */
};

/* Parses veth, netkit or auto. */
int device_kind_parse(const char *text, enum device_kind *kind);

/*
 * Makes both ends in one request, so a kill leaves both or neither, and sets the host's end up.
 * -EEXIST: a name is taken; the message says which.
 */
int device_make(const struct device *device);

/* To be called in the container's namespace. Removes routes that exist already from DRESS. */
int device_dress(const char *ifname, struct dress *dress);

/* To be called in the container's namespace. -ENOENT: the message says what is missing. */
int device_check(const char *ifname, const struct tsw_mac *mac, const struct dress *dress);

/*
 * Does another container have the device DEV? Names are a few letters of a hash, so two may be
 * equal; the alias tells the owner. A killed call may have left a device without an alias.
 */
bool device_is_foreign(const char *dev, const char *alias);

/* Removes both ends. 0 also if DEV does not exist or is foreign. ALIAS NULL: whoever owns it. */
int device_remove(const char *dev, const char *alias);

/*
 * Removes each pair whose name begins with DEV_NETWORK, and whose alias, if it has one, begins with
 * ALIAS. Keeps those for which STAYS returns true; STAYS may be NULL. Goes on after a failure, and
 * returns the first one.
 */
typedef bool device_stays(const void *context, const char *dev);
int devices_remove(const char *dev_network, const char *alias, device_stays *stays,
		   const void *context);

#endif
