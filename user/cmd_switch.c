// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>

#include "cmd.h"
#include "link.h"
#include "switch.h"
#include "tenant.h"
#include "text.h"

int cmd_switch_up(struct tsw *t, const struct words *w)
{
	return switch_up(t, w);
}

int cmd_switch_down(struct tsw *t, const struct words *w)
{
	(void)w;
	return switch_down(t);
}

static const char *xdp_word(__u16 xdp)
{
	switch (xdp) {
	case TSW_XDP_NATIVE:
		return "native";
	case TSW_XDP_GENERIC:
		return "generic";
	case TSW_XDP_AUTO:
		return "auto";
	}
	return "off";
}

int cmd_switch_show(struct tsw *t, const struct words *w)
{
	const struct tsw_config *c = &t->config;
	struct link dev = {}, tunnel = {};
	bool here = underlay_find(t, &dev) && !link_by_index(c->tunnel, &tunnel);
	json_t *o;

	(void)w;
	o = json_pack("{s:o, s:o, s:o, s:[s], s:i, s:s, s:s, s:I}", "instance",
		      out_string(t->instance), "name", out_string(c->name), "dev",
		      here ? out_string(dev.name) : json_null(), "local", addr_text(&c->local),
		      "port", ntohs(c->port), "xdp", xdp_word(c->xdp), "attach",
		      c->attach == TSW_ATTACH_TCX ? "tcx" : "clsact", "abi", (json_int_t)c->abi);
	json_object_update_new(o, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "tenants",
					    (json_int_t)t->totals.tenants, "hosts",
					    (json_int_t)t->totals.hosts, "endpoints",
					    (json_int_t)t->totals.endpoints, "max_endpoints",
					    (json_int_t)c->max_endpoints, "max_tenants",
					    (json_int_t)c->max_tenants, "map_bytes",
					    (json_int_t)maps_bytes(&t->maps)));
	json_object_update_new(o, json_pack("{s:o, s:s, s:b, s:o}", "underlay_mtu",
					    here ? json_integer((json_int_t)dev.mtu) : json_null(),
					    "xdp_asked", xdp_word(c->xdp_asked), "slow_path",
					    !!(c->flags & TSW_CFG_SLOW_PATH), "tunnel_dev",
					    here ? out_string(tunnel.name) : json_null()));
	out_object(&t->out, o);
	return 0;
}
