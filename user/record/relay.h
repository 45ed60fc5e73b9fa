/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's own DHCP servers, and their map tsw_relays. */
#ifndef TSW_RECORD_RELAY_H
#define TSW_RECORD_RELAY_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -EINVAL: no endpoint can have the address. */
int relay_check(const struct tsw_tenant_spec *spec);

int relay_load(const struct tsw *t, struct tsw_tenant_spec *spec);
/* Without a server the entry is deleted. */
int relay_put(const struct tsw *t, const struct tsw_tenant_spec *spec);

#endif
