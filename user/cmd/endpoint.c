// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/endpoint.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "kernel/link.h"
#include "object/bound.h"
#include "object/macs.h"
#include "object/spec.h"
#include "object/vip.h"
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
		      "rate-in, burst, server, xdp, group, vip or macs");
}

int fit_endpoint_show(struct words *w)
{
	return w->automatic ? misuse("\"auto\" is no value to look for") : 0;
}

/*
 * Adds how the container's end runs its XDP program. Nothing: it has none, or is not to be seen, as
 * the devices inside a VM.
 */
static void add_xdp_program(const struct endpoint *ep, json_t *item)
{
	static const char *const modes[] = {
		[XDP_ATTACHED_DRV] = "driver",
		[XDP_ATTACHED_SKB] = "generic",
		[XDP_ATTACHED_HW] = "hardware",
		[XDP_ATTACHED_MULTI] = "several",
	};
	const char *mode = NULL;
	struct link link, peer;

	if (!link_by_index(ep->at.id, &link) && !link_peer(&link, &peer) &&
	    peer.xdp < sizeof(modes) / sizeof(modes[0]))
		mode = modes[peer.xdp];
	if (mode)
		json_object_set_new(item, "xdp_program", json_string(mode));
}

/* The host or the device is null if it is gone. */
static void add_place(struct tsw *t, const struct endpoint *ep,
		      const struct tsw_endpoint_spec *spec, json_t *item)
{
	if (ep->placed && ep->at.place == TSW_PLACE_HOST) {
		json_object_set_new(item, "host", json_text_or_null(spec->host.s));
		return;
	}
	json_object_set_new(item, "dev", json_text_or_null(spec->dev));
	json_object_set_new(item, "ifindex",
			    ep->placed ? json_integer((json_int_t)ep->at.id) : json_null());
	/* Another device may have the index by now. */
	if (!ep->placed ||
	    (prog_is_pinned(t, PROG_FROM_PORT) && (!attached_tc(t, PROG_FROM_PORT, ep->at.id) ||
						   (ep->netkit && !attached_netkit(t, ep->at.id)))))
		json_object_set_new(item, "attached", json_false());
	else
		add_xdp_program(ep, item);
}

static void add_move(const struct endpoint *ep, const struct tsw_endpoint_spec *spec, json_t *item)
{
	if (ep->to.place == TSW_PLACE_HOST)
		json_object_set_new(item, "to_host", json_text_or_null(spec->to_host.s));
	else
		json_object_set_new(item, "to_dev", json_text_or_null(spec->to_dev));
	json_object_set_new(item, "moved", json_boolean(ep->moved));
}

/* The places of a cluster's endpoint, in the order in which they are shown. */
static const enum endpoint_field places[] = {ENDPOINT_HOST, ENDPOINT_DEV, ENDPOINT_TO_HOST,
					     ENDPOINT_TO_DEV};

/* EP is the endpoint in the maps, or NULL for a record. JSON also has an empty list of groups. */
static json_t *add(struct show *s, const struct tsw_endpoint_spec *spec, const struct endpoint *ep)
{
	const __u64 first = FIELD(ENDPOINT_NAME) | FIELD(ENDPOINT_TENANT) | FIELD(ENDPOINT_MAC) |
			    FIELD(ENDPOINT_IP);
	const __u64 others = ~(first | FIELD(ENDPOINT_HOST) | FIELD(ENDPOINT_DEV) | ENDPOINT_TO |
			       ENDPOINT_LIMITS | FIELD(ENDPOINT_GROUP));
	json_t *item = fields_json(endpoint_fields, first, spec);
	size_t i;

	if (ep)
		add_place(&s->cli->tsw, ep, spec, item);
	if (ep && ep->moving)
		add_move(ep, spec, item);
	for (i = 0; !ep && i < sizeof(places) / sizeof(places[0]); i++)
		fields_add(endpoint_fields, FIELD(places[i]), spec, item);
	fields_add(endpoint_fields, ENDPOINT_LIMITS, spec, item);
	fields_add(endpoint_fields, others, spec, item);
	if (s->cli->out.json)
		json_object_set_new(item, "group", json_array());
	fields_add(endpoint_fields, FIELD(ENDPOINT_GROUP), spec, item);
	json_array_append_new(s->list, item);
	return item;
}

static bool has_addr(const struct tsw_endpoint_spec *spec, const struct tsw_addr *addr)
{
	return addr_list_has(&spec->ip, addr) || addr_is_among(addr, spec->vip.at, spec->vip.n);
}

/* OWN is this host's name, which the specification of a switch's own endpoint leaves out. */
static bool is_at_host(const struct tsw_endpoint_spec *spec, const char *host, const char *own)
{
	return !strcmp(*spec->host.s ? spec->host.s : own, host) || !strcmp(spec->to_host.s, host);
}

/* Whether the endpoint has all that the words of `show` give. */
static bool is_asked(const struct show *s, const struct tsw_endpoint_spec *spec)
{
	const struct tsw_endpoint_spec *want = &s->w->endpoint;
	__u32 i;

	for (i = 0; i < want->ip.n; i++)
		if (!has_addr(spec, &want->ip.at[i]))
			return false;
	if (gives(s->w, ENDPOINT_IP) && !want->ip.n && (spec->ip.n || spec->vip.n))
		return false;
	if (gives(s->w, ENDPOINT_MAC) && !mac_equal(&spec->mac, &want->mac))
		return false;
	if (gives(s->w, ENDPOINT_DEV) && strcmp(spec->dev, want->dev) &&
	    strcmp(spec->to_dev, want->dev))
		return false;
	return !gives(s->w, ENDPOINT_HOST) ||
	       is_at_host(spec, want->host.s, s->r ? "" : s->cli->tsw.config.name);
}

/* ---- of the switch ---------------------------------------------------------------- */

struct place {
	struct tsw_endpoint_key key;
	const char *tenant;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->tenant, y->tenant) ?: strcmp(x->key.name.s, y->key.name.s);
}

/*
 * What it has now: link-local addresses that it has shown, those of its vips that it holds, and the
 * MACs behind its port that it sends from.
 */
static void add_seen(const struct tsw *t, const struct endpoint *ep, json_t *item)
{
	const struct tsw_fdb_key who = {.tenant = ep->key.tenant, .mac = ep->mac};
	json_t *bound = json_array(), *held = json_array(), *inner = json_array();
	struct tsw_addr addr[TSW_BINDINGS];
	struct tsw_mac mac[TSW_MACS];
	size_t n, i;

	if (bound_read(t, &who, addr, &n))
		n = 0;
	for (i = 0; i < n; i++)
		json_array_append_new(bound, json_text(addr_text(&addr[i])));
	for (i = 0; i < ep->vip.n; i++)
		if (vip_is_held(t, &who, &ep->vip.at[i]))
			json_array_append_new(held, json_text(addr_text(&ep->vip.at[i])));
	if (macs_read(t, &who, mac, &n))
		n = 0;
	for (i = 0; i < n; i++)
		json_array_append_new(inner, json_text(mac_text(&mac[i])));
	if (json_array_size(bound))
		json_object_set(item, "link_local", bound);
	if (ep->vip.n)
		json_object_set(item, "vip_held", held);
	if (json_array_size(inner))
		json_object_set(item, "inner_macs", inner);
	json_decref(bound);
	json_decref(held);
	json_decref(inner);
}

static int add_row(struct show *s, const struct policy_groups *groups, const struct place *place)
{
	struct tsw *t = &s->cli->tsw;
	struct tsw_endpoint_spec spec;
	struct endpoint ep;
	json_t *item;
	int err = endpoint_load(t, &place->key, &ep);

	if (err)
		return err == -ENOENT ? 0 : err; /* deleted in between */
	spec = endpoint_to_spec(t, &ep, place->tenant, groups);
	if (!is_asked(s, &spec))
		return 0;
	item = add(s, &spec, &ep);
	add_seen(t, &ep, item);
	if (ep.pending)
		json_object_set_new(item, "pending", json_true());
	if (!*s->w->name.s)
		show_print(s);
	return 0;
}

/* Adds the endpoints of TENANT (0: of all) with the name that was asked for (empty: all). */
static int add_rows(struct show *s, __u32 tenant, const struct policy_groups *groups)
{
	const struct tsw *t = &s->cli->tsw;
	const struct tsw_name *name = &s->w->name;
	cleanup_tenants struct tenants tenants = {};
	cleanup_free struct place *all = NULL;
	cleanup_rows struct rows rows = {};
	size_t n = 0, i;
	int err = tenants_read(t, &tenants);

	err = err ?: map_rows(&t->maps, MAP_ENDPOINTS, &rows);
	if (err)
		return err;
	all = calloc(rows.n + 1, sizeof(*all));
	if (!all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);
		const struct tsw_tenant *its = tenants_find(&tenants, key->tenant);

		if (its && (!tenant || key->tenant == tenant) &&
		    (!*name->s || !strcmp(key->name.s, name->s)))
			all[n++] = (struct place){*key, its->name};
	}
	qsort(all, n, sizeof(*all), compare);
	for (i = 0; !err && i < n; i++)
		err = add_row(s, groups, &all[i]);
	return err;
}

static int show_switch(struct show *s)
{
	const struct tsw_name *tenant = &s->w->endpoint.tenant, *name = &s->w->name;
	cleanup_policy_groups struct policy_groups groups = {};
	struct tsw *t = &s->cli->tsw;
	__u32 id;
	int err = tenant_id(t, tenant, &id);

	err = err ?: policy_groups_read(t, id, &groups);
	if (!err && id && *name->s)
		return add_row(s, &groups,
			       &(struct place){{.tenant = id, .name = *name}, tenant->s});
	return err ?: add_rows(s, id, &groups);
}

/* ---- of a cluster ----------------------------------------------------------------- */

int show_endpoint(void *show, const struct tsw_endpoint_spec *spec)
{
	if (is_asked(show, spec))
		add(show, spec, NULL);
	return 0;
}

int show_endpoints(struct show *s)
{
	const struct words *w = s->w;
	int err = s->r ? cluster_endpoints(s->r, &w->endpoint.tenant, &w->name, &s->refused,
					   show_endpoint, s)
		       : show_switch(s);

	return !err && *w->name.s && !json_array_size(s->list) ? rule_missing("endpoint", w->name.s)
							       : err;
}
