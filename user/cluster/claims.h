/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Claims of a tenant's endpoints and its gateway on addresses, `ip/ID/ADDRESS`, on MACs,
 * `mac/ID/MAC`, and on networks, see prefixes.h. ID is the tenant's.
 */
#ifndef TSW_CLUSTER_CLAIMS_H
#define TSW_CLUSTER_CLAIMS_H

#include <tsw/object.h>

#include "cluster/record.h"

#define CLAIMS_GATEWAY "(gateway)" /* the owner of a gateway's claims */
#define CLAIMS_VIP "(vip)"	   /* of an address that several endpoints may take */

struct holding {
	struct tsw_mac mac;
	struct tsw_addr_list ip;
	struct tsw_vip_list vip;
	struct tsw_prefix_list prefix;
};

struct prefixes;

/* An endpoint or a gateway. */
struct holder {
	__u32 id;			   /* of the tenant */
	const char *tenant, *owner;	   /* names; OWNER may be CLAIMS_GATEWAY */
	const struct holding *have, *want; /* before and after the change; NULL: nothing */
	const struct prefixes *prefixes;   /* of the tenant; NULL: none */
	__u64 chosen_ip;		   /* bit i: tsw chose WANT's address i at random */
	bool chosen_mac;
	bool no_rest; /* addresses that go are free at once */
	bool blind;   /* a new holder claims without reading the claims first, which saves a call */
};

/*
 * Adds to C the difference from H->have to H->want: new claims, and the deletion of others, whose
 * addresses rest. -EEXIST: another holder has one of them. -EAGAIN: the same, but tsw chose it.
 */
int claims_add(struct records *r, struct change *c, const struct holder *h);

/*
 * The part of claims_add() for vips. All endpoints with a vip share one claim, which lists them. It
 * is deleted with the last of them.
 */
int claims_add_vips(const struct records *r, struct change *c, const struct holder *h);

/* Refuses an address that OWNER has. WHAT: "address" or "MAC". */
int claims_taken(const struct holder *h, const char *what, const char *text, const char *owner);

/*
 * A record_refusal whose CONTEXT begins with a struct holder. The errors of claims_add(), and
 * -EAGAIN if what is in the way is no claim of the holder.
 */
record_refusal claims_refuse;

/* -EEXIST: a holder of the tenant has that address, or one of PREFIXES contains it. */
int claims_check_free(const struct records *r, __u32 id, const struct tsw_name *tenant,
		      const struct prefixes *prefixes, const struct tsw_addr *addr);

#endif
