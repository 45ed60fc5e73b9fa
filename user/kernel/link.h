/* SPDX-License-Identifier: GPL-2.0-only */
/* Network devices of this process's network namespace. */
#ifndef TSW_LINK_H
#define TSW_LINK_H

#include <net/if.h>
#include <stdbool.h>

#include <tsw/abi.h>

#define LINK_ALIAS "tenant-switch " /* and the instance: by this a device is known as ours */

struct link {
	__u32 ifindex;
	__u32 flags; /* IFF_* */
	__u32 mtu;
	__u16 type;   /* ARPHRD_* */
	bool netnsid; /* its peer is in another namespace */
	__s32 nsid;   /* which, by this one's number for it */
	__u32 peer;   /* ifindex of the device that it stands on, or of a pair's other end */
	char name[IFNAMSIZ];
	char kind[16];	    /* of a software device, "" on a physical one */
	char alias[256];    /* IFALIASZ of linux/if.h */
	struct tsw_mac mac; /* of an Ethernet device */
	bool external;	    /* of a tunnel device: the route says where to */
	__u16 port;	    /* of a vxlan device: UDP, the host's byte order */
	bool primary;	    /* of a netkit device: its end for the host */
	__u32 mode;	    /* of a netkit device: NETKIT_L2 or another */
};

/* -ENODEV with a message where it is not found. */
int link_by_name(const char *name, struct link *link);
/* -ENODEV without message: a device that is gone is no surprise. */
int link_by_index(__u32 ifindex, struct link *link);

bool link_is_netkit(const struct link *link);

/* A veth or netkit device: what is sent to it comes out of another device. */
bool link_is_pair(const struct link *link);

/* The other end of a pair, in whatever namespace; -ENODEV without message. */
int link_peer(const struct link *link, struct link *peer);

/* Calls FN for each device until it returns other than 0; that is returned. */
int link_each(int (*fn)(const struct link *link, void *data), void *data);

int link_delete(__u32 ifindex);
/* Each device of which IS tells that it is to go. */
int link_delete_each(bool (*is)(const struct link *link, void *data), void *data);

/* The instance that made this device; NULL: none did. */
const char *link_instance(const struct link *link);

/* The first address of a device that is global and there to stay; -ENOENT without message. */
int link_first_address(__u32 ifindex, enum tsw_family family, struct tsw_addr *addr);
/* Some device here has this address. */
bool link_has_address(const struct tsw_addr *addr);

bool link_has_clsact(__u32 ifindex);
/* Removes the clsact qdisc unless filters are left on it. */
int link_drop_clsact(__u32 ifindex);

#endif
