/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds endpoints and reads all that the maps have of them. */
#ifndef TSW_ENDPOINT_FIND_H
#define TSW_ENDPOINT_FIND_H

#include "base/field.h"
#include "record/limits.h"
#include "store/tsw.h"

/* An entry of tsw_fdb that only reserves a MAC: no device has its index 0. */
extern const struct tsw_fdb fdb_nowhere;

struct endpoint {
	struct tsw_endpoint_key key;
	struct tsw_mac mac;
	bool placed; /* `at` is known */
	bool pending;
	__u32 options; /* TSW_ENDPOINT_* without TSW_ENDPOINT_PROGRESS, by endpoint_fields */
	bool peer;     /* its device is a pair whose other end is in another namespace */
	bool netkit;   /* its device is the host's end of a netkit pair */
	bool has_port; /* the port at its device belongs to this endpoint */
	struct tsw_fdb at;
	bool moving;  /* from `at` to `to` */
	bool moved;   /* it is at `to` already */
	bool to_peer; /* `peer`, `netkit` and `has_port` of the place `to` */
	bool to_netkit;
	bool to_has_port;
	struct tsw_fdb to;
	struct tsw_limits limits;
	struct tsw_policy_member groups;
	struct tsw_vip_list vip;
	__u32 macs; /* how many other MACs it may send from */
	struct tsw_prefix_list prefix;
	unsigned int n_ip;
	struct tsw_addr ip[TSW_ENDPOINT_IPS];
};

/*
 * Sets PLACE to where the endpoint with the entry AT of tsw_fdb lives, and returns how many places:
 * one, or two while it moves, the old place first. MOVE is its entry of tsw_moves, or NULL.
 */
enum { PLACES = 2 };
unsigned int places_of(const struct tsw_fdb *at, const struct tsw_move *move,
		       struct tsw_fdb place[PLACES]);
unsigned int endpoint_places(const struct endpoint *ep, struct tsw_fdb place[PLACES]);
bool endpoint_is_at(const struct endpoint *ep, const struct tsw_fdb *place);
/* The place where the endpoint is now: `to` if it has moved, otherwise `at`. */
const struct tsw_fdb *endpoint_now(const struct endpoint *ep);
/* The row of MOVES with this key; NULL: it does not move. The search is linear: few rows exist. */
const struct tsw_move *moves_find(const struct rows *moves, const struct tsw_fdb_key *key);

/*
 * Sets IDS to the hosts where endpoints live, once for each endpoint and place. IDS has room for
 * the rows of both maps. Returns how many.
 */
size_t places_hosts(const struct rows *fdb, const struct rows *moves, __u32 *ids);

/* How frames reach the other end of its pair: TSW_PORT_XDP or TSW_PORT_PEER. */
__u32 endpoint_peer_flag(__u32 options);
/* Whether the host's end of its veth has tsw_xdp_pass. */
bool port_has_xdp_pass(const struct tsw_port *port);
/* The port's flags TSW_PORT_* for an endpoint's OPTIONS, TSW_ENDPOINT_*. */
__u32 endpoint_port_flags(__u32 options);

/*
 * Finds an endpoint by name in TENANT, or in all tenants if that is empty. -ENOENT with a message.
 */
int endpoint_find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		  struct endpoint *ep);

/* Reads the vips of an endpoint, or writes them. */
int vips_load(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_vip_list *list);
int vips_store(const struct tsw *t, const struct tsw_fdb_key *who, const struct tsw_vip_list *list);
/* -EINVAL: one of the vips is among the N addresses of the same endpoint. */
int vips_check_own(const struct tsw_vip_list *list, const struct tsw_addr *ip, unsigned int n);
/* Addresses and vips in one list, as many as fit: `auto` must not choose one of them. */
struct tsw_addr_list vips_with(const struct tsw_vip_list *list, const struct tsw_addr_list *ip);
/* Does the map's value have the address? */
bool vips_list(const struct tsw_vips *vips, const struct tsw_addr *addr);
bool vips_have(const struct tsw_vip_list *list, const struct tsw_addr *addr);

bool endpoint_has_ip(const struct endpoint *ep, const struct tsw_addr *ip);

/*
 * Whether an address whose owner is MAC belongs to the endpoint. While a change is pending, MAC may
 * also be the endpoint's former one: then no other endpoint or gateway has it.
 */
bool endpoint_may_own(const struct tsw *t, const struct endpoint *ep, const struct tsw_mac *mac);

/* Fails if the MAC is taken in the tenant. GATEWAY: ignore the entry of the tenant's gateway. */
int endpoint_check_mac(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac, bool gateway);

/* Fails with -ENOSPC if the switch has no room for FRESH more addresses. */
int endpoint_check_room(const struct tsw *t, __u32 fresh);

/*
 * Fails if the address is taken or behind an endpoint, unless its owner's MAC is OLD, which may be
 * NULL. Adds one to *FRESH if the address is free.
 */
int endpoint_check_addr(const struct tsw *t, const struct tsw_addr_key *key,
			const struct tsw_mac *old, __u32 *fresh);

/* Searches all endpoints for the one with the MAC. -ENOENT without a message. */
int endpoint_by_mac(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		    struct tsw_name *name);

/* ` of endpoint "a"` or ` of its gateway`; empty on large switches, where the search is slow. */
const char *endpoint_owner_text(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/*
 * Reads the whole endpoint; -ENOENT without a message. endpoint_load_rest() does so with a RECORD
 * that the caller has read, and sets only the first n_ip addresses of EP.
 */
int endpoint_load(const struct tsw *t, const struct tsw_endpoint_key *key, struct endpoint *ep);
int endpoint_load_rest(const struct tsw *t, const struct tsw_endpoint_key *key,
		       const struct tsw_endpoint *record, struct endpoint *ep);

#endif
