// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "object/port_flags.h"

#define COPIED (TSW_PORT_POLICY | TSW_PORT_FLOWS)

int port_flags_of(const struct tsw *t, __u32 tenant, __u32 *flags)
{
	struct tsw_tenant its;
	int err = map_get(&t->maps, MAP_TENANTS, &tenant, &its);

	*flags = 0;
	if (!err && its.flags & TSW_TENANT_POLICY)
		*flags |= TSW_PORT_POLICY;
	if (!err && its.flags & TSW_TENANT_FLOWS)
		*flags |= TSW_PORT_FLOWS;
	return err == -ENOENT ? 0 : err;
}

static int put(const struct tsw *t, const void *ifindex, const struct tsw_port *its, __u32 mask,
	       __u32 flags)
{
	struct tsw_port port = *its;

	port.flags = (port.flags & ~mask) | flags;
	return port.flags == its->flags
		       ? 0
		       : map_put(&t->maps, MAP_PORTS, (const __u32 *)ifindex, &port);
}

int port_flags_put(const struct tsw *t, __u32 tenant, __u32 flag, bool on)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_port *port = row_value(&rows, i);

		if (port->tenant == tenant)
			err = put(t, row_key(&rows, i), port, flag, on ? flag : 0);
	}
	return err;
}

int port_flags_settle(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	__u32 flags;
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_port *port = row_value(&rows, i);

		err = port_flags_of(t, port->tenant, &flags);
		err = err ?: put(t, row_key(&rows, i), port, COPIED, flags);
	}
	return err;
}
