/* SPDX-License-Identifier: GPL-2.0-only */
/* An endpoint, as the maps have it. */
#ifndef TSW_ENDPOINT_FIND_H
#define TSW_ENDPOINT_FIND_H

#include "base/field.h"
#include "record/limits.h"
#include "store/tsw.h"

/* Keeps a MAC taken and leads nowhere: no device has index 0. */
extern const struct tsw_fdb fdb_nowhere;

struct endpoint {
	struct tsw_endpoint_key key;
	struct tsw_mac mac;
	bool placed; /* `at` is known */
	bool pending;
	bool server; /* may speak as DHCP server or router */
	bool peer;   /* at a veth whose other end is in another namespace */
	struct tsw_fdb at;
	struct tsw_limits limits;
	unsigned int n_ip;
	struct tsw_addr ip[TSW_ENDPOINT_IPS];
};

/* By name, in the tenant or, where that is empty, in any; -ENOENT with a message. */
int endpoint_find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		  struct endpoint *ep);

bool endpoint_has_ip(const struct endpoint *ep, const struct tsw_addr *ip);

/*
 * An address with that owner is the endpoint's: its MAC, or while it is pending the one that it
 * had before, which is nobody else's.
 */
bool endpoint_may_own(const struct tsw *t, const struct endpoint *ep, const struct tsw_mac *mac);

/*
 * Has nobody the address, or who has the MAC OLD, which may be NULL? *FRESH: one more of nobody's.
 */
int endpoint_check_addr(const struct tsw *t, const struct tsw_addr_key *key,
			const struct tsw_mac *old, __u32 *fresh);

/* ` of endpoint "a"` or ` of its gateway`, where it is cheap to find out whose MAC it is. */
const char *endpoint_owner_text(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/* Reads all of it; -ENOENT without a message. */
int endpoint_load(const struct tsw *t, const struct tsw_endpoint_key *key, struct endpoint *ep);

#endif
