/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways: tsw_gateways, and what each has in tsw_marks, tsw_addrs and tsw_fdb. */
#ifndef TSW_GATEWAY_H
#define TSW_GATEWAY_H

#include "store/tsw.h"

/* Of seconds that the flows of the host before are kept there: those that are left. */
__u32 gateway_drains(const struct tsw_gateway *gw);

/* Hosts by index, 0 for this one, in the order in which they are to serve. */
struct ranks {
	__u32 n; /* 0: each host its own */
	__u32 host[TSW_GATEWAY_RANKS];
};

/*
 * These are to serve it from now on. Where that is so already, or the first is the same and one of
 * the others serves in its place, nothing moves.
 */
void gateway_move(struct tsw_gateway *gw, const struct ranks *to, __u32 drain);

/* The first of its ranks serves, whatever was found out of it. */
void gateway_serve_first(struct tsw_gateway *gw, __u32 drain);

/*
 * OLD is what is there, or NULL. The index of WANT is kept here. All is checked before anything is
 * changed.
 */
int gateway_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		   const struct tsw_gateway *want);
/* FORCE takes along what goes with it: publishes and peerings. */
int gateway_del(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, bool force);

/*
 * For whoever watches the hosts of a gateway: what is known of them here. It changes who serves
 * the gateway as this host sees it, and not what was asked for: ranks stay, no state file has it,
 * diff and apply leave it alone, until `gateway set` names hosts, or the first that is asked for
 * changes.
 *
 * HOST, one of the ranks, serves from now on. DRAIN: so many seconds flows that the one before
 * holds stay with it; 0: it is dead. DOWN: a bit for each rank that is known to be dead: flows that
 * are known to be held there go to HOST, and a drain from there ends.
 */
struct gateway_flip {
	__u32 tenant;
	__u32 host; /* index; 0: this one */
	__u32 drain;
	__u32 down;
	enum tsw_flip why; /* why not the first; of the first it is not looked at */
};

/*
 * All that changes is one entry of a map for each: what a ranked host needs is there before. Then
 * what this host sent on while another served is forgotten, for all at once. -EINVAL: HOST is none
 * of the ranks; a tenant or gateway that is gone is passed over. The switch is open to write.
 */
int gateways_serve(struct tsw *t, const struct gateway_flip *flips, size_t n);

/*
 * After a command that was killed: a change that had begun is brought to its end, what a half-made
 * or half-deleted gateway has is taken away; its record stays, for `add` and `del`.
 */
int gateways_settle(struct tsw *t);

#endif
