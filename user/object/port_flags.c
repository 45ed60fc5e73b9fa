// SPDX-License-Identifier: GPL-2.0-only

#include "object/port_flags.h"

#define COPIED (TSW_PORT_POLICY | TSW_PORT_FLOWS | TSW_PORT_MACS)

int port_flags_of(const struct tsw *t, const struct tsw_port *port, __u32 *flags)
{
	const struct tsw_fdb_key who = {.tenant = port->tenant, .mac = port->mac};
	struct tsw_tenant its = {};
	__u32 macs;
	int err = map_get_or_zero(&t->maps, MAP_TENANTS, &port->tenant, &its);

	err = err ?: map_get_or_zero(&t->maps, MAP_MACS, &who, &macs);
	if (err)
		return err;
	*flags = (its.flags & TSW_TENANT_POLICY ? TSW_PORT_POLICY : 0) |
		 (its.flags & TSW_TENANT_FLOWS ? TSW_PORT_FLOWS : 0) | (macs ? TSW_PORT_MACS : 0);
	return 0;
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

		err = port_flags_of(t, port, &flags);
		err = err ?: put(t, row_key(&rows, i), port, COPIED, flags);
	}
	return err;
}
