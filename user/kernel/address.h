/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the devices of this thread's network namespace. */
#ifndef TSW_ADDRESS_H
#define TSW_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

struct address {
	struct tsw_addr addr;
	struct tsw_prefix net; /* whose neighbours it has, or the other end's */
	__u32 ifindex;
	bool lasting; /* there to stay, and for new flows: no temporary or deprecated one */
};

struct addresses {
	struct address *at;
	size_t n;
};

/* All but those of one link or of the host alone, in the kernel's order; free LIST->at. */
int address_list(struct addresses *list);

/* One address without a network, of a device without neighbours. One that is there stays. */
int address_add(__u32 ifindex, const struct tsw_addr *addr);
/* One that is not there is done. */
int address_del(__u32 ifindex, const struct tsw_addr *addr);

#endif
