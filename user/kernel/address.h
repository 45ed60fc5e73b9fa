/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the devices of this thread's network namespace. */
#ifndef TSW_ADDRESS_H
#define TSW_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

struct address {
	struct tsw_addr addr;
	struct tsw_prefix net; /* its network, or the address of the other end */
	__u32 ifindex;
	bool lasting;	 /* for new flows: not temporary, deprecated or tentative */
	bool deprecated; /* only for old flows */
};

struct addresses {
	struct address *at;
	size_t n;
};

/* All addresses of global or site scope, in the kernel's order. The caller frees LIST->at. */
int address_list(struct addresses *list);

/* The first lasting address of a device; -ENOENT without message. */
int address_first(__u32 ifindex, enum tsw_family family, struct tsw_addr *addr);
/* Tells whether a device of this namespace has the address, which may be link-local. */
bool address_is_local(const struct tsw_addr *addr);

/* The same, but false for an address that its network has given up. */
bool address_is_valid(const struct tsw_addr *addr);

/* Adds an address without a network, on a device without neighbours. 0 also if it exists. */
int address_add(__u32 ifindex, const struct tsw_addr *addr);
/* 0 also if it does not exist. */
int address_del(__u32 ifindex, const struct tsw_addr *addr);

#endif
