// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "object/endpoint.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/policy_find.h"
#include "record/tenant_find.h"
#include "store/attach.h"
#include "store/attach_netkit.h"

static bool gives(const struct words *w, enum endpoint_field field)
{
	return w->given & FIELD(field);
}

int fit_endpoint(struct words *w)
{
	return spec_check_place(w->given) ?: spec_check_to(w->given);
}

int fit_endpoint_set(struct words *w)
{
	if (gives(w, ENDPOINT_DEV) && gives(w, ENDPOINT_HOST))
		return fit_endpoint(w);
	if (spec_check_to(w->given))
		return spec_check_to(w->given);
	if (w->given & ~(W_NAME | FIELD(ENDPOINT_TENANT)))
		return 0;
	return misuse("nothing to set: give mac, ip, dev, host, to-dev, to-host, rate-out, "
		      "rate-in, burst, server or group");
}

static void add_place(struct tsw *t, const struct endpoint *ep, json_t *item)
{
	char name[IFNAMSIZ];
	struct tsw_host host;

	if (ep->placed && ep->at.place == TSW_PLACE_HOST) {
		json_object_set_new(item, "host",
				    map_get(&t->maps, MAP_HOSTS, &ep->at.id, &host)
					    ? json_null()
					    : json_text(host.name));
		return;
	}
	/* null where the device is gone */
	json_object_set_new(item, "dev",
			    ep->placed && if_indextoname(ep->at.id, name) ? json_text(name)
									  : json_null());
	json_object_set_new(item, "ifindex",
			    ep->placed ? json_integer((json_int_t)ep->at.id) : json_null());
	/* Another device may have the index by now. */
	if (!ep->placed ||
	    (prog_is_pinned(t, PROG_FROM_PORT) && (!attached_tc(t, PROG_FROM_PORT, ep->at.id) ||
						   (ep->netkit && !attached_netkit(t, ep->at.id)))))
		json_object_set_new(item, "attached", json_false());
}

/* Where it moves to; null where that is gone. */
static void add_to(struct tsw *t, const struct endpoint *ep, json_t *item)
{
	const bool elsewhere = ep->to.place == TSW_PLACE_HOST;
	char name[IFNAMSIZ];
	struct tsw_host host;
	const char *text;

	if (elsewhere)
		text = map_get(&t->maps, MAP_HOSTS, &ep->to.id, &host) ? NULL : host.name;
	else
		text = if_indextoname(ep->to.id, name);
	json_object_set_new(item, elsewhere ? "to_host" : "to_dev",
			    text ? json_text(text) : json_null());
	json_object_set_new(item, "moved", json_boolean(ep->moved));
}

/* In JSON also where there is none. */
static void add_groups(const struct policy_groups *groups, const struct endpoint *ep, json_t *item)
{
	const struct tsw_group_list list = policy_member_names(groups, ep->key.tenant, &ep->groups);
	json_t *names = json_array();
	__u32 i;

	for (i = 0; i < list.n; i++)
		json_array_append_new(names, json_text(list.at[i].s));
	json_object_set_new(item, "group", names);
}

static void print(struct cli *cli, const struct policy_groups *groups, const struct endpoint *ep,
		  const char *tenant)
{
	json_t *ips = json_array(), *item;
	struct tsw_endpoint_spec spec;
	unsigned int i;

	for (i = 0; i < ep->n_ip; i++)
		json_array_append_new(ips, json_string(addr_text(&ep->ip[i])));
	item = json_pack("{s:o, s:o, s:s, s:o}", "name", json_text(ep->key.name.s), "tenant",
			 json_text(tenant), "mac", mac_text(&ep->mac), "ip", ips);
	add_place(&cli->tsw, ep, item);
	if (ep->moving)
		add_to(&cli->tsw, ep, item);
	limits_json(&ep->limits, item);
	fields_from_flags(endpoint_fields, ep->options, &spec);
	fields_add(endpoint_fields, ENDPOINT_OPTIONS, &spec, item);
	if (cli->out.json || policy_member_any(&ep->groups))
		add_groups(groups, ep, item);
	if (ep->pending)
		json_object_set_new(item, "pending", json_true());
	out_item(&cli->out, item);
}

int tell_endpoint(struct cli *cli, const struct tsw_endpoint_spec *got)
{
	cleanup_policy_groups struct policy_groups groups = {};
	struct endpoint ep;
	int err = endpoint_find(&cli->tsw, &got->tenant, &got->name, &ep);

	if (!err)
		err = policy_groups_read(&cli->tsw, ep.key.tenant, &groups);
	if (err)
		return err;
	out_list_begin(&cli->out);
	print(cli, &groups, &ep, got->tenant.s);
	out_list_end(&cli->out);
	return 0;
}

struct place {
	struct tsw_endpoint_key key;
	const char *tenant;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->tenant, y->tenant);

	return order ?: strcmp(x->key.name.s, y->key.name.s);
}

/* Those that the words ask for, sorted by tenant and name. */
static int collect(const struct tsw *t, const struct words *w, const struct tenants *tenants,
		   struct place **all, size_t *n)
{
	cleanup_rows struct rows rows = {};
	const struct tsw_tenant *tenant;
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	if (err)
		return err;
	*all = calloc(rows.n + 1, sizeof(**all));
	if (!*all)
		return fail_memory();
	for (i = 0, *n = 0; i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);

		tenant = tenants_find(tenants, key->tenant);
		if (!tenant ||
		    (gives(w, ENDPOINT_TENANT) && strcmp(tenant->name, w->endpoint.tenant.s)) ||
		    (w->given & W_NAME && strcmp(key->name.s, w->name.s)))
			continue;
		(*all)[(*n)++] = (struct place){*key, tenant->name};
	}
	qsort(*all, *n, sizeof(**all), compare);
	return 0;
}

int cmd_endpoint_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_policy_groups struct policy_groups groups = {};
	cleanup_tenants struct tenants tenants = {};
	struct place *all = NULL;
	struct tsw_tenant unused;
	struct endpoint ep;
	size_t n = 0, i;
	__u32 id;
	int err = gives(w, ENDPOINT_TENANT) ? tenant_find(t, &w->endpoint.tenant, &id, &unused) : 0;

	if (!err)
		err = tenants_read(t, &tenants);
	if (!err)
		err = policy_groups_read(t, 0, &groups);
	if (!err)
		err = collect(t, w, &tenants, &all, &n);
	if (!err && !n && w->given & W_NAME)
		err = rule_missing("endpoint", w->name.s);
	if (!err) {
		out_list_begin(&cli->out);
		for (i = 0; !err && i < n; i++) {
			err = endpoint_load(t, &all[i].key, &ep);
			if (!err)
				print(cli, &groups, &ep, all[i].tenant);
			else if (err == -ENOENT) /* deleted in between */
				err = 0;
		}
		if (!err)
			out_list_end(&cli->out);
	}
	free(all);
	return err;
}
