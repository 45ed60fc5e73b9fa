// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "attach.h"
#include "check.h"
#include "door.h"
#include "gateway_nft.h"
#include "link.h"
#include "pins.h"
#include "problem.h"
#include "routed.h"
#include "session.h"
#include "switch.h"
#include "tunnel.h"
#include "underlay.h"

/* A device that is gone is no lack of a program. */
static int check_program(struct tsw *t, enum prog prog, __u32 ifindex, json_t *problems)
{
	struct link link;
	int err = link_by_index(ifindex, &link);

	if (err)
		return err == -ENODEV ? 0 : err;
	if (!attached_tc(t, prog, ifindex))
		problem(problems, "program", link.name, "%s is not attached", prog_name(prog));
	return 0;
}

static int check_underlays(struct tsw *t, json_t *problems)
{
	unsigned int n = underlay_staying(&t->config), i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		err = check_program(t, PROG_FROM_WIRE, t->config.underlay[i].ifindex, problems);
	return err;
}

static int check_tunnels(struct tsw *t, json_t *problems)
{
	const __u32 devices[] = {t->config.tunnel, t->config.gre[TSW_IPV4],
				 t->config.gre[TSW_IPV6]};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (!devices[i])
			continue;
		if (!tunnel_is_of(devices[i], t->instance))
			problem(problems, "tunnel_device", t->instance,
				"the switch's own tunnel device %u is gone", devices[i]);
		else
			err = check_program(t, PROG_FROM_TUNNEL, devices[i], problems);
	}
	return err;
}

static int check_ports(struct tsw *t, json_t *problems)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(&rows, i);
		__u32 device;

		if (map_get(&t->maps, MAP_DEVICES, &ifindex, &device))
			continue; /* its device went, and another may have its index */
		err = check_program(t, PROG_FROM_PORT, ifindex, problems);
		if (!err)
			err = check_program(t, PROG_TO_PORT, ifindex, problems);
	}
	return err;
}

static void check_upgrade(const struct tsw *t, json_t *problems)
{
	if (pins_has(t->instance, PINS_NEXT))
		problem(problems, "half_upgraded", t->instance,
			"an upgrade did not come to its end, maybe some programs are old and some "
			"new: run switch upgrade");
}

int switch_check(struct tsw *t, json_t *problems)
{
	int err = session_check_netns(t);

	if (!err)
		check_upgrade(t, problems);
	if (!err)
		err = check_underlays(t, problems);
	if (!err)
		err = check_tunnels(t, problems);
	if (!err)
		err = check_ports(t, problems);
	return err ? err : door_check(t, gateways_fill, problems);
}

int switch_repair(struct tsw *t)
{
	int err = switch_mend(t);

	if (err || !t->config.gateway)
		return err;
	err = door_rebuild(t, gateways_fill);
	return err ? err : routed_mend(t);
}
