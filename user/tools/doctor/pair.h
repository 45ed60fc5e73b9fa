/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two network namespaces of this process, each with a veth to this one: two containers. Nothing
 * else holds them, so the kernel removes them and the devices when the process ends, however.
 */
#ifndef TSW_TOOLS_DOCTOR_PAIR_H
#define TSW_TOOLS_DOCTOR_PAIR_H

#include <net/if.h>
#include <stdbool.h>

#include <tsw/abi.h>

struct pair {
	int ns;		    /* -1: not made */
	char dev[IFNAMSIZ]; /* the host's end */
	struct tsw_mac mac;
	struct tsw_addr ip[TSW_FAMILIES];
	int socket[TSW_FAMILIES]; /* UDP, bound to `ip`; -1: the kernel lacks the family */
	int foreign;		  /* UDP, bound to an IPv4 address that is not the endpoint's */
};

/* Makes both ends. The devices stay down until pair_start(). -EPERM: needs CAP_SYS_ADMIN. */
int pair_make(struct pair pair[2], __u32 mtu);
int pair_start(struct pair pair[2]);
void pair_end(struct pair pair[2]);

/*
 * Does a datagram in an IP packet of LENGTH octets get from FROM to TO? FOREIGN: from a wrong
 * address.
 */
bool pair_carries(const struct pair *from, const struct pair *to, enum tsw_family family,
		  __u32 length);
bool pair_carries_foreign(const struct pair *from, const struct pair *to);

#endif
