/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways in tsw_gateways, with the entries of each in tsw_marks, tsw_addrs and tsw_fdb. */
#ifndef TSW_GATEWAY_H
#define TSW_GATEWAY_H

#include "store/tsw.h"

/* The hosts that are to serve a gateway, the first choice first; by index, 0 for this host. */
struct ranks {
	__u32 n; /* 0: each host serves its own endpoints */
	__u32 host[TSW_GATEWAY_RANKS];
};

/*
 * The hosts TO serve the gateway from now on, and the former host keeps its flows for DRAIN
 * seconds. The serving host stays if it is one of TO and the first choice is the same as before.
 */
void gateway_move(struct tsw_gateway *gw, const struct ranks *to, __u32 drain);

/* The first choice serves, even if another took its place because the first was down. */
void gateway_serve_first(struct tsw_gateway *gw, __u32 drain);

/*
 * OLD is the gateway as it is, or NULL. The index of WANT is ignored: this function assigns it. All
 * checks come before the first write.
 */
int gateway_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		   const struct tsw_gateway *want);
/* FORCE also deletes the tenant's published ports and peerings. -EBUSY: without it some exist. */
int gateway_del(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, bool force);

/*
 * The agent, which watches the hosts of a gateway, says which of them serves it. This changes the
 * gateway only as this host sees it, until `gateway set` names hosts or another first choice. Ranks
 * stay as they are. State files, diff and apply do not contain it.
 */
struct gateway_flip {
	__u32 tenant;
	__u32 host;	   /* index of the host that serves from now on, a rank; 0: this host */
	__u32 drain;	   /* seconds for which the former host keeps its flows; 0: it is dead */
	__u32 down;	   /* a bit for each rank whose host is dead: HOST takes over its flows */
	enum tsw_flip why; /* why the first choice does not serve; ignored if it does */
};

/*
 * Changes one map entry for each flip: what a ranked host needs exists already. Then it forgets the
 * connections that this host passed on while another served, for all gateways at once. -EINVAL:
 * HOST is not a rank. A missing tenant or gateway is skipped. The switch must be open for writing.
 */
int gateways_serve(struct tsw *t, const struct gateway_flip *flips, size_t n);

/*
 * After a killed command: completes a change that had begun, and removes the entries of a half-made
 * or half-deleted gateway. The record of such a gateway stays, for `add` and `del`.
 */
int gateways_settle(struct tsw *t);

#endif
