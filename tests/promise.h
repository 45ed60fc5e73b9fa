/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the switch promises of any frame whatsoever on the bench of lab.h, read out of the frame
 * without the switch's own headers.
 */
#ifndef TSW_TESTS_PROMISE_H
#define TSW_TESTS_PROMISE_H

#include "packet.h"

/* A sound tunnel frame's tenant; 0 for any other frame. */
__u32 promise_tenant(const struct frame *f);

/* Each says whether what came of `in` is allowed. Dropping a frame always is. */

/*
 * From port A of the tenant: its own frame, to its own tenant, or out by the gateway here. old: the
 * host from which the gateway has come and which still has flows, 0: none.
 */
bool promise_from_port(__u32 tenant, __u32 old, const struct frame *in,
		       const struct packet_run *run);

/* Behind A where `macs` is on: no more than these may send. */
#define PROMISE_INNER "\x02\0\0\0\x11\x01", "\x02\0\0\0\x11\x02"

/* The frame as it leaves: from an inner MAC as if A itself had sent it; others are as they are. */
void promise_outer(const struct frame *in, struct frame *out);

/*
 * Words: A and B of red may take two vips, of which B has two more, and have networks behind them,
 * 192.168.7.0/24 and fd07::/64, and 8 in place of 7. They hold until the tables are filled anew.
 */
#define PROMISE_VIP "10.0.0.100"
#define PROMISE_VIP6 "fd00::100"
#define PROMISE_VIP_B "10.0.0.101"
#define PROMISE_VIP6_B "fd00::101"
void promise_words_set(bool set);
/* Before each frame: A or B holds what both may take. */
void promise_words_hold(bool a);
/* The last octet of the MAC that has the address by its words; 0: nobody has. */
__u8 promise_owner(const __u8 *ip);
/* May A send the frame from that address by its words? */
bool promise_words_source(const __u8 *eth, const __u8 *from);
/* Nobody got a vip but A, by an announcement. */
bool promise_words_kept(const struct frame *in);

/* From the underlay: the inner frame to a port or the gateway of its tenant, or all untouched. */
bool promise_from_wire(const struct frame *in, const struct packet_run *run);

/* From the host's routing with the tenant's mark: to one of its endpoints, from its gateway. */
bool promise_from_gateway(__u32 tenant, const struct frame *in, const struct packet_run *run);

/* The same at XDP: dropped is only what is a tenant's and comes from no host. */
bool promise_xdp(const struct frame *in, const struct packet_run *run);

/* The router's, of a tenant's mark, which tells what may not be in a flow by counters alone. */
bool promise_to_gateway(__u32 mark, const struct frame *in, const struct packet_run *run);
/* And an uplink's: nothing is dropped, and what is the host's is as it was. */
void promise_world_set(void);
bool promise_from_world(const struct frame *in, const struct packet_run *run);

#endif
