/* SPDX-License-Identifier: GPL-2.0-only */
/* Network devices of this thread's network namespace. */
#ifndef TSW_LINK_H
#define TSW_LINK_H

#include <net/if.h>
#include <stdbool.h>

#include <tsw/abi.h>

#define LINK_ALIAS "tenant-switch " /* with the instance behind it, marks our devices */

struct link {
	__u32 ifindex;
	__u32 flags; /* IFF_* */
	__u32 mtu;
	__u16 type;   /* ARPHRD_* */
	bool netnsid; /* its peer is in another namespace */
	__s32 nsid;   /* this namespace's id of the peer's */
	__u32 peer;   /* ifindex of the lower device, or of a pair's other end */
	char name[IFNAMSIZ];
	char kind[16];	    /* of a software device, "" on a physical one */
	char master[16];    /* the kind of the bridge, bond or VRF that it is in; "": in none */
	char alias[256];    /* IFALIASZ of linux/if.h */
	struct tsw_mac mac; /* of an Ethernet device */
	bool external;	    /* of a tunnel device: the route gives the destination */
	__u16 port;	    /* of a vxlan or geneve device: UDP, host byte order */
	bool primary;	    /* of a netkit device: the host's end */
	__u32 mode;	    /* of a netkit device: NETKIT_L2 or another */
	__u8 xdp;	    /* how its XDP program runs: XDP_ATTACHED_* of linux/if_link.h */
};

/* -ENODEV with a message. */
int link_by_name(const char *name, struct link *link);
/* -ENODEV without message, because devices may go at any time. */
int link_by_index(__u32 ifindex, struct link *link);

bool link_is_netkit(const struct link *link);

/* Whether it is a veth or netkit device: frames sent to it come out of another device. */
bool link_is_pair(const struct link *link);

/* The other end of a pair, in any namespace; -ENODEV without message. */
int link_peer(const struct link *link, struct link *peer);

/* Calls FN for each device until it returns other than 0, and returns that. */
int link_each(int (*fn)(const struct link *link, void *data), void *data);

int link_delete(__u32 ifindex);
/* Deletes each device for which IS returns true. */
int link_delete_each(bool (*is)(const struct link *link, void *data), void *data);

/* The instance that made this device, or NULL. */
const char *link_instance(const struct link *link);

bool link_has_clsact(__u32 ifindex);
/* Removes the clsact qdisc if it has no filters. */
int link_drop_clsact(__u32 ifindex);

#endif
