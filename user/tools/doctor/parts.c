// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/reach.h"
#include "agent/status.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/member.h"
#include "record/counters.h"
#include "record/gateway_find.h"
#include "record/hosts.h"
#include "record/tenant_find.h"
#include "tools/doctor/parts.h"
#include "wire/mtu.h"
#include "wire/underlay.h"

enum { TRIES = 2 };

static json_t *number_or_null(__u32 number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

static json_t *host_json(const struct tsw *t, const struct host_row *row, json_t *alive)
{
	const struct tsw_host *host = &row->host;

	return json_pack("{s:o, s:s, s:o, s:I, s:o}", "name", json_text(host->name), "ip",
			 addr_text(&host->addr[host->family & 1]), "mtu",
			 number_or_null(host->mtu ?: underlay_mtu(t)), "endpoints",
			 (json_int_t)host->endpoints, "alive", alive);
}

/* A process without the right to ask does not know whether hosts are alive. */
int part_hosts(const struct tsw *t, json_t *list)
{
	cleanup_hosts struct hosts all = {};
	cleanup_reach struct reach r = {.asker = ASKER_CLOSED};
	size_t i;
	int asked, err = hosts_read(t, &all);

	if (err)
		return err;
	asked = all.n ? reach_begin(&r, t, &all) : 0;
	r.tries = TRIES;
	asked = asked ?: reach_ask_any(&r);
	for (i = 0; i < all.n; i++)
		json_array_append_new(list,
				      host_json(t, &all.row[i],
						asked ? json_null() : json_boolean(r.row[i].took)));
	return 0;
}

int part_tenants(struct tsw *t, json_t *list)
{
	cleanup_tenants struct tenants all = {};
	cleanup_drops struct drops drops = {};
	__u32 limit[TSW_ENCAPS];
	size_t i;
	int err = tenants_read(t, &all);

	err = err ?: drops_read(t, &drops);
	err = err ?: tenant_mtu_limits(t, limit);
	for (i = 0; !err && i < all.n; i++) {
		const struct tsw_tenant *is = &all.row[i].tenant;
		const __u32 mtu = tenant_mtu(is->mtu, limit[is->encap % TSW_ENCAPS]);

		json_array_append_new(
			list, json_pack("{s:o, s:I, s:s, s:o, s:I, s:I}", "name",
					json_text(is->name), "id", (json_int_t)all.row[i].id,
					"encap", encap_text(is->encap), "mtu", number_or_null(mtu),
					"endpoints", (json_int_t)is->endpoints, "drops",
					(json_int_t)drops_of(&drops, all.row[i].id)));
	}
	return err;
}

/* The host that serves it: null where each host serves its own endpoints. */
static json_t *server_json(const struct tsw *t, const struct tsw_gateway *gw)
{
	return json_text_or_null(gw->flags & TSW_GATEWAY_ALL ? "" : host_name_of(t, gw->host).s);
}

int part_gateways(const struct tsw *t, json_t *list)
{
	cleanup_tenants struct tenants all = {};
	struct tsw_gateway gw;
	size_t i;
	int err = tenants_read(t, &all);

	for (i = 0; !err && i < all.n; i++) {
		json_t *ip;
		__u32 n;

		err = gateway_get(t, all.row[i].id, &gw);
		if (err == -ENOENT)
			err = 0;
		else if (!err) {
			ip = json_array();
			for (n = 0; n < gw.n_addrs && n < TSW_GATEWAY_ADDRS; n++)
				json_array_append_new(ip, json_string(prefix_text(&gw.addr[n])));
			json_array_append_new(list,
					      json_pack("{s:o, s:o, s:o, s:b, s:b}", "tenant",
							json_text(all.row[i].tenant.name), "ip", ip,
							"host", server_json(t, &gw), "local",
							gateway_is_served(&gw), "down", !!gw.down));
		}
	}
	return err;
}

int part_agent(const struct tsw *t, json_t *list)
{
	struct agent_status status;
	struct member m;
	const bool runs = status_read(t->instance, &status);
	const bool is = !member_read(t->instance, &m);

	if (!is && !runs)
		return 0;
	json_array_append_new(
		list, json_pack("{s:b, s:o, s:b, s:I, s:I, s:I}", "runs", runs, "cluster",
				json_text_or_null(is ? m.cluster.s : ""), "connected",
				status.connected, "revision", (json_int_t)status.revision, "failed",
				(json_int_t)status.failed, "held", (json_int_t)status.held));
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct drop_row *x = a, *y = b;

	return (x->count.packets < y->count.packets) - (x->count.packets > y->count.packets);
}

int part_drops(const struct tsw *t, json_t *list)
{
	cleanup_tenants struct tenants tenants = {};
	cleanup_drops struct drops drops = {};
	const struct tsw_tenant *tenant;
	size_t i;
	int err = tenants_read(t, &tenants);

	err = err ?: drops_read(t, &drops);
	if (err)
		return err;
	qsort(drops.row, drops.n, sizeof(*drops.row), compare);
	for (i = 0; i < drops.n; i++) {
		const struct drop_row *row = &drops.row[i];

		tenant = tenants_find(&tenants, row->key.tenant);
		json_array_append_new(list,
				      json_pack("{s:s, s:o, s:s, s:I}", "reason",
						drop_reason(row->key.reason), "tenant",
						json_text_or_null(tenant ? tenant->name : ""),
						"direction", drop_direction(row->key.direction),
						"packets", (json_int_t)row->count.packets));
	}
	return 0;
}
