/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only one of a tenant can have: addresses, `ip/ID/ADDRESS`, and MACs, `mac/ID/MAC`. Those who
 * have them are its endpoints and its gateway.
 */
#ifndef TSW_CLUSTER_CLAIMS_H
#define TSW_CLUSTER_CLAIMS_H

#include <tsw/object.h>

#include "cluster/record.h"

#define CLAIMS_GATEWAY "(gateway)" /* in place of an endpoint's name */

struct holding {
	struct tsw_mac mac;
	struct tsw_addr_list ip;
};

struct holder {
	__u32 id;
	const char *tenant, *owner;
	const struct holding *have, *want; /* NULL: nothing */
	__u64 chosen_ip;		   /* which of those wanted can be others as well */
	bool chosen_mac;
	bool blind; /* what is not there already is claimed without a look: that saves one */
};

/*
 * Into C: claims on what is wanted and not there, away with the others; addresses of these rest.
 * -EEXIST: somebody else has it. -EAGAIN: the same of what was chosen.
 */
int claims_add(struct records *r, struct change *c, const struct holder *h);

/* What was in the way of C: errors as above, -EAGAIN also where that is no claim of H. */
int claims_refuse(const struct records *r, const struct change *c, const struct holder *h);

/* -EEXIST: somebody has that address. */
int claims_check_free(const struct records *r, __u32 id, const struct tsw_name *tenant,
		      const struct tsw_addr *addr);

#endif
