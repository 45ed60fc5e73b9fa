/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tenant's endpoints boot from, and its map tsw_boot. */
#ifndef TSW_RECORD_BOOT_H
#define TSW_RECORD_BOOT_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -EINVAL: a server without a file, a file without a server, or a name too long for a URL. */
int boot_check(const struct tsw_tenant_spec *spec);

int boot_load(const struct tsw *t, struct tsw_tenant_spec *spec);
/* Without a server the entry is deleted. */
int boot_put(const struct tsw *t, const struct tsw_tenant_spec *spec);

#endif
