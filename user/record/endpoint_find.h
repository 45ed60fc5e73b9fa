/* SPDX-License-Identifier: GPL-2.0-only */
/* An endpoint, as the maps have it. */
#ifndef TSW_ENDPOINT_FIND_H
#define TSW_ENDPOINT_FIND_H

#include "base/field.h"
#include "record/limits.h"
#include "store/tsw.h"

/* Reserves a MAC and leads nowhere, because no device has index 0. */
extern const struct tsw_fdb fdb_nowhere;

struct endpoint {
	struct tsw_endpoint_key key;
	struct tsw_mac mac;
	bool placed; /* `at` is known */
	bool pending;
	__u32 options; /* TSW_ENDPOINT_* without TSW_ENDPOINT_PROGRESS, by endpoint_fields */
	bool peer;     /* at a pair whose other end is in another namespace */
	bool netkit;   /* at the host's end of a netkit */
	bool has_port; /* the port at its device is its own */
	struct tsw_fdb at;
	bool moving; /* from `at` to `to` */
	bool moved;  /* it is at `to` already */
	bool to_peer;
	bool to_netkit;
	bool to_has_port;
	struct tsw_fdb to;
	struct tsw_limits limits;
	struct tsw_policy_member groups;
	unsigned int n_ip;
	struct tsw_addr ip[TSW_ENDPOINT_IPS];
};

/*
 * Where the endpoint with this entry of tsw_fdb lives: one place, or while it moves two, the old
 * place first. MOVE is its entry of tsw_moves, or NULL.
 */
enum { PLACES = 2 };
unsigned int places_of(const struct tsw_fdb *at, const struct tsw_move *move,
		       struct tsw_fdb place[PLACES]);
unsigned int endpoint_places(const struct endpoint *ep, struct tsw_fdb place[PLACES]);
bool endpoint_is_at(const struct endpoint *ep, const struct tsw_fdb *place);
/* The place where it is now. */
const struct tsw_fdb *endpoint_now(const struct endpoint *ep);
/* The entry of tsw_moves with this key. Searches all, which are few. NULL: it does not move. */
const struct tsw_move *moves_find(const struct rows *moves, const struct tsw_fdb_key *key);

/* The hosts where endpoints live, once for each endpoint. IDS has room for the rows of both maps. */
size_t places_hosts(const struct rows *fdb, const struct rows *moves, __u32 *ids);

/* The flags of its port, TSW_PORT_*, that its options ask for. */
__u32 endpoint_port_flags(__u32 options);

/* By name, in the tenant, or if that is empty, in all tenants. -ENOENT with a message. */
int endpoint_find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		  struct endpoint *ep);

bool endpoint_has_ip(const struct endpoint *ep, const struct tsw_addr *ip);

/*
 * Whether addresses of this MAC are the endpoint's. While a change is pending, it may also be the
 * endpoint's former MAC, which no other endpoint or gateway has.
 */
bool endpoint_may_own(const struct tsw *t, const struct endpoint *ep, const struct tsw_mac *mac);

/* Fails if somebody in the tenant has the MAC. GATEWAY: ignore the gateway's own entry. */
int endpoint_check_mac(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac, bool gateway);

/* Fails if the switch has no room for so many more addresses. */
int endpoint_check_room(const struct tsw *t, __u32 fresh);

/*
 * Fails if somebody has the address, other than the owner of the MAC OLD, which may be NULL. If
 * nobody has it, *FRESH is counted up.
 */
int endpoint_check_addr(const struct tsw *t, const struct tsw_addr_key *key,
			const struct tsw_mac *old, __u32 *fresh);

/* ` of endpoint "a"` or ` of its gateway`; empty on large switches, where the search is slow. */
const char *endpoint_owner_text(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/*
 * Reads all of it; -ENOENT without a message. And the same if RECORD was read already; then only
 * n_ip addresses of EP are set.
 */
int endpoint_load(const struct tsw *t, const struct tsw_endpoint_key *key, struct endpoint *ep);
int endpoint_load_rest(const struct tsw *t, const struct tsw_endpoint_key *key,
		       const struct tsw_endpoint *record, struct endpoint *ep);

#endif
