/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses MACs, and addresses of a net, for `auto` on a host or in a cluster. */
#ifndef TSW_RECORD_CHOICE_H
#define TSW_RECORD_CHOICE_H

#include <stdbool.h>

#include <tsw/object.h>

typedef unsigned __int128 addr_number;

addr_number number_of_addr(const struct tsw_addr *addr);
struct tsw_addr addr_of_number(addr_number n);

/* The addresses of a net that hosts can have. */
struct choice {
	addr_number first, last;
};

struct choice choice_of(const struct tsw_prefix *net);
bool choice_has(const struct choice *choice, const struct tsw_addr *addr);

/*
 * Sets ADDR to the first of the N addresses ALL that is in the net and not among OTHERS.
 * Returns false if there is no such address.
 */
bool choice_keeps(const struct choice *choice, const struct tsw_addr *all, unsigned int n,
		  const struct tsw_addr_list *others, struct tsw_addr *addr);

/* Draws a random MAC. Another endpoint may have it, so the caller checks. 0 or -errno. */
int choice_mac(struct tsw_mac *mac);

/* The MAC that a tenant's gateway has on every host by default. */
struct tsw_mac gateway_mac(__u32 tenant);

#endif
