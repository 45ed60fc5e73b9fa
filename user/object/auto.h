/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the values for `auto` under the switch's lock. An object that exists keeps its value as
 * long as the value is allowed, so a repeated command changes nothing.
 */
#ifndef TSW_AUTO_H
#define TSW_AUTO_H

#include <tsw/object.h>

#include "record/endpoint_find.h"
#include "store/tsw.h"

/*
 * Sets the id of SPEC: the present id of the tenant with that name, or the lowest free id that its
 * encapsulation can carry. -ENOSPC: no id is free.
 */
int auto_id(struct tsw *t, struct tsw_tenant_spec *spec);

/* Chooses the MAC and the addresses that SPEC leaves to `auto`. OLD is the endpoint, or NULL. */
int auto_endpoint(const struct tsw *t, __u32 tenant, const struct endpoint *old,
		  struct tsw_endpoint_spec *spec);

/* OLD has become SPEC: notes the addresses taken, so that the next search begins after them. */
void auto_endpoint_done(const struct tsw *t, __u32 tenant, const struct endpoint *old,
			const struct tsw_endpoint_spec *spec);

/*
 * Reserves ADDR for a minute, or a free address of NET, a net of the tenant, if ADDR is zero. The
 * address rests as if it had just been given up: `auto` does not choose it, but a command that
 * names it gets it. -EEXIST: an endpoint has it. -ENOENT: the tenant does not have that net.
 */
int auto_reserve(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net,
		 struct tsw_addr *addr);

#endif
