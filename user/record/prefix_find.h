/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the networks behind endpoints. */
#ifndef TSW_PREFIX_FIND_H
#define TSW_PREFIX_FIND_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Reads the networks behind the endpoint with that MAC. */
int prefixes_load(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_prefix_list *list);

/* Finds the endpoint with the address in a network behind it. -ENOENT: none; no message. */
int prefix_behind(const struct tsw *t, const struct tsw_addr_key *addr, struct tsw_behind *behind);

/* Finds the endpoint that lists the address or a network with it. -ENOENT: nobody does. */
int addr_owner(const struct tsw *t, const struct tsw_addr_key *addr, struct tsw_mac *mac);

bool prefixes_equal(const struct tsw_prefix_list *a, const struct tsw_prefix_list *b);
bool prefixes_have(const struct tsw_prefix_list *list, const struct tsw_prefix *prefix);

#endif
