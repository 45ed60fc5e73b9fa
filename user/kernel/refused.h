/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames that the router's rules have refused: the set `refused` of its nftables table. */
#ifndef TSW_REFUSED_H
#define TSW_REFUSED_H

#include <stddef.h>

#include <tsw/abi.h>

struct refused {
	__u32 index;  /* of the gateway or peering that sent the frame, or was to get it */
	__u16 reason; /* enum tsw_drop */
	struct tsw_counter count; /* octets of IP */
};

struct refused_list {
	struct refused *at;
	size_t n;
};

/* Empty without a router, or if its table is of an older version. */
int refused_read(struct refused_list *list);
void refused_free(struct refused_list *list);

#define cleanup_refused __attribute__((cleanup(refused_free)))

#endif
