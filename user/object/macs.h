/* SPDX-License-Identifier: GPL-2.0-only */
/* How many MACs an endpoint may send from beside its own, and those that it has sent from. */
#ifndef TSW_OBJECT_MACS_H
#define TSW_OBJECT_MACS_H

#include "store/tsw.h"

/* Sets how many, for the endpoint with that MAC; 0: only its own. */
int macs_put(const struct tsw *t, const struct tsw_fdb_key *who, __u32 most);

/* Reads the MACs that it has sent from within TSW_INNER_SECONDS, *N of them. */
int macs_read(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_mac mac[TSW_MACS],
	      size_t *n);

#endif
