// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "kernel/link.h"
#include "record/plugin.h"
#include "record/port_holder.h"
#include "record/prefix_find.h"

/* The device of this host's endpoint that has the address. */
static int device_of(const struct tsw *t, const struct tsw_publish *to, struct link *link)
{
	const struct tsw_addr_key key = {.tenant = to->tenant, .addr = to->addr};
	struct tsw_fdb_key mac = {.tenant = to->tenant};
	struct tsw_fdb at;
	int err = addr_owner(t, &key, &mac.mac);

	err = err ?: map_get(&t->maps, MAP_FDB, &mac, &at);
	if (err || at.place != TSW_PLACE_PORT)
		return err ?: -ENOENT;
	return link_by_index(at.id, link);
}

/* The alias is `tsw-cni HASH NETWORK CONTAINER IFNAME`, see cni/names.c. */
const char *port_container(const struct tsw *t, const struct tsw_publish *to, const char *dev)
{
	static _Thread_local char id[sizeof(((struct link *)0)->alias)];
	struct link link;
	const int err = dev ? link_by_name(dev, &link) : device_of(t, to, &link);

	*id = '\0';
	if (!err && plugin_device(link.name))
		sscanf(link.alias, "tsw-cni %*s %*s %255s", id);
	return id;
}
