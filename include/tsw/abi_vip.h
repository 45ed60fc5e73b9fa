/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs and command share about addresses that move between endpoints. Read by abi.h. */
#ifndef TSW_ABI_VIP_H
#define TSW_ABI_VIP_H

#include <tsw/abi.h>

#define TSW_VIPS 8 /* of an endpoint, at most */

#define TSW_PORT_VIP (1U << 12) /* its endpoint has an entry of tsw_vips */

/*
 * In tsw_addr_owner.kind: the entry's MAC is of the endpoint that announced the address last. Zero:
 * nobody has it. The programs change the MAC, the command adds and deletes the entry.
 */
#define TSW_ADDR_VIP 1

/* tsw_vips: {tenant, MAC} -> addresses that this endpoint may take by announcing them. */
struct tsw_vips {
	struct tsw_addr addr[TSW_VIPS]; /* behind the last: zero */
};

/*
 * tsw_taken: {tenant, address} -> who took it last. A program writes `mac` before it writes
 * tsw_addrs, so a command that clears the entry there at the same time loses no announcement.
 */
struct tsw_taken {
	__u64 mac;     /* struct tsw_mac and two octets of zero; 0: nobody */
	__u64 at;      /* ns of CLOCK_MONOTONIC */
	__u64 changes; /* from one endpoint to another */
	__u32 recent;  /* the last changes with less than TSW_TAKEN_CALM between */
	__u32 asked;   /* 2^30 ns of CLOCK_MONOTONIC: a program asked who has it */
};

/* An address with so many recent changes is contested, until so many ns pass without a change. */
#define TSW_TAKEN_CONTESTED 4
#define TSW_TAKEN_CALM 10000000000ULL

_Static_assert(sizeof(struct tsw_vips) == 16 * TSW_VIPS, "ABI");
_Static_assert(sizeof(struct tsw_taken) == 32, "ABI");

#endif
