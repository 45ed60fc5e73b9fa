/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `auto` stands for, chosen under the switch's lock from what the maps have. What is there
 * already keeps what it has, where that is good: a command that is given again changes nothing.
 */
#ifndef TSW_AUTO_H
#define TSW_AUTO_H

#include <tsw/object.h>

#include "record/endpoint_find.h"
#include "store/tsw.h"

/* An id for the tenant of that name and encapsulation: its own, else the lowest that is free. */
int auto_id(struct tsw *t, struct tsw_tenant_spec *spec);

/* SPEC gets what it leaves to the switch. OLD is what is there, or NULL. */
int auto_endpoint(const struct tsw *t, __u32 tenant, const struct endpoint *old,
		  struct tsw_endpoint_spec *spec);

/* OLD has become SPEC: the next search begins behind what was taken. */
void auto_endpoint_done(const struct tsw *t, __u32 tenant, const struct endpoint *old,
			const struct tsw_endpoint_spec *spec);

/*
 * A free address of NET, which is one of the tenant's, or ADDR where that is not zero, rests from
 * now on as if it had just been given up: no `auto` takes it for a minute, while whoever asks for
 * it by number gets it. -EEXIST: somebody has it.
 */
int auto_reserve(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net,
		 struct tsw_addr *addr);

#endif
