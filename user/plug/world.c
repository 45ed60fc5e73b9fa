// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/here.h"
#include "base/err.h"
#include "base/text.h"
#include "cluster/endpoint.h"
#include "cluster/gateway.h"
#include "cluster/group.h"
#include "cluster/publish.h"
#include "cluster/reserve.h"
#include "cluster/tenant.h"
#include "object/auto.h"
#include "object/endpoint.h"
#include "object/policy_group.h"
#include "object/publish.h"
#include "object/spec.h"
#include "plug/world.h"
#include "record/choice.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "store/config.h"
#include "store/pins.h"
#include "wire/mtu.h"

/* ---- opening ---------------------------------------------------------------------- */

static int begin(struct world *w, bool writes)
{
	session_close(&w->t);
	w->t.will_write = writes;
	return session_open(&w->t);
}

/* Gives the lock back; the failure that is set stays. */
static int end(struct world *w, int err)
{
	const struct failure why = *failure();

	session_close(&w->t);
	w->t.will_write = false;
	if (err)
		fail_again(&why);
	return err;
}

int world_open(struct world *w, const char *instance, __u32 wait_ms)
{
	int err;

	*w = (struct world)WORLD_CLOSED;
	w->t.instance = instance;
	w->t.named = true;
	w->t.wait_ms = wait_ms;
	err = session_place(&w->t);
	return !err && member_is(instance) ? records_open(instance, wait_ms, &w->r) : err;
}

void world_close(struct world *w)
{
	end(w, 0);
	records_close(w->r);
	w->r = NULL;
}

int world_answers(struct world *w)
{
	static const struct tsw_name nobody = {"-"};
	struct tsw_tenant_spec unused;
	int err = end(w, begin(w, false));

	if (!err && w->r) {
		err = cluster_tenant_get(w->r, &nobody, &unused, NULL);
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

/* ---- a tenant --------------------------------------------------------------------- */

static void tell_gateway(const struct tsw_gateway_spec *spec, struct tenancy *tenancy)
{
	const struct tsw_addr *const resolver = spec->resolver.of;

	tenancy->gateway = spec->ip;
	tenancy->resolves =
		!addr_is_none(&resolver[TSW_IPV4]) || !addr_is_none(&resolver[TSW_IPV6]);
}

static int own_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy)
{
	struct tsw_gateway_spec spec;
	struct tsw_gateway gw;
	int err = spec_get_tenant(&w->t, name, &tenancy->spec);

	err = err ?: gateway_get(&w->t, tenancy->spec.id, &gw);
	err = err ?: spec_get_gateway(&w->t, &gw, &spec);
	if (!err)
		tell_gateway(&spec, tenancy);
	/* Of the gateway: that there is none is told without a message. */
	return err == -ENOENT && tenancy->spec.id ? 0 : err;
}

static int cluster_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy)
{
	struct tsw_gateway_spec spec = {};
	int err = cluster_tenant_get(w->r, name, &tenancy->spec, NULL);

	if (err)
		return err;
	err = cluster_gateway_get(w->r, name, &spec, NULL);
	if (!err)
		tell_gateway(&spec, tenancy);
	return err == -ENOENT ? 0 : err;
}

int world_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy)
{
	__u32 limit;
	int err;

	*tenancy = (struct tenancy){};
	if (!pins_exist(w->t.instance))
		return fail(EAGAIN, "no switch %s is up", quoted(w->t.instance));
	err = begin(w, false);
	err = err ?: (w->r ? cluster_tenant : own_tenant)(w, name, tenancy);
	err = err ?: tenant_mtu_limit(&w->t, tenancy->spec.encap, &limit);
	if (!err)
		tenancy->mtu = tenant_mtu(tenancy->spec.mtu, limit);
	if (!err && !tenancy->mtu)
		err = fail(ENODEV, "the switch has no underlay whose MTU is known");
	return end(w, err);
}

static int record_groups(const struct records *r, const struct tenancy *tenancy,
			 const struct tsw_group_list *list)
{
	cleanup_look struct look look = {};
	__u32 i;
	int err;

	for (i = 0; i < list->n; i++)
		group_look(r, tenancy->spec.id, &list->at[i], &look);
	err = look_read(r, &look);
	for (i = 0; !err && i < list->n; i++)
		err = group_is_there(&look.at[i], &tenancy->spec.name);
	return err;
}

int world_groups(struct world *w, const struct tenancy *tenancy, const struct tsw_group_list *list)
{
	struct tsw_policy_member unused;
	int err;

	if (!list->n)
		return 0;
	if (w->r)
		return record_groups(w->r, tenancy, list);
	err = begin(w, false);
	return end(w, err ?: member_find(&w->t, tenancy->spec.id, list, &unused));
}

/* ---- an endpoint ------------------------------------------------------------------ */

static int own_get(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
		   struct tsw_endpoint_spec *got)
{
	struct endpoint ep;
	int err = endpoint_find(&w->t, tenant, name, &ep);

	return err ?: spec_get_endpoint(&w->t, &ep, got);
}

int world_get(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      struct tsw_endpoint_spec *got)
{
	int err;

	if (!pins_exist(w->t.instance))
		return fail(ENOENT, "no switch %s is up", quoted(w->t.instance));
	err = begin(w, false);
	return end(w, err ?: own_get(w, tenant, name, got));
}

static int own_add(struct world *w, const struct tsw_endpoint_spec *spec, __u64 given,
		   struct tsw_endpoint_spec *got)
{
	int err = begin(w, true);

	err = err ?: spec_endpoint(&w->t, spec, given, SPEC_ADD);
	return end(w, err ?: own_get(w, &spec->tenant, &spec->name, got));
}

int world_add(struct world *w, const struct tsw_endpoint_spec *spec, __u64 given,
	      struct tsw_endpoint_spec *got)
{
	struct failure why;
	int err;

	if (!w->r)
		return own_add(w, spec, given, got);
	records_wait(w->r, w->t.wait_ms);
	err = cluster_endpoint_put(w->r, spec, given & ~FIELD(ENDPOINT_NAME), SPEC_ADD, got);
	if (err)
		return err;
	err = here_endpoint(&w->t, &w->r->m, got, false, w->t.wait_ms);
	if (!err)
		return 0;
	why = *failure();
	world_del(w, &spec->tenant, &spec->name, NULL);
	return fail_again(&why);
}

/* Which endpoint is to go, or only its ports. */
struct taking {
	const struct tsw_name *tenant, *name;
	const struct world_device *at; /* NULL: nobody else makes that name */
	bool ports_alone;
};

/* Where the name is nobody else's, the tenant may be another's by now, or was never told. */
static int own_find(struct world *w, const struct taking *taking, struct endpoint *ep)
{
	const struct tsw_name *const tenant = taking->tenant, *const name = taking->name;
	int err = endpoint_find(&w->t, tenant, name, ep);

	if (err != -ENOENT || !*tenant->s || taking->at)
		return err;
	return endpoint_find(&w->t, &(struct tsw_name){}, name, ep);
}

static int own_unpublish(struct world *w, const struct endpoint *ep,
			 const struct tsw_endpoint_spec *spec)
{
	struct publish *all = NULL;
	size_t n = 0, i;
	int err = publish_list(&w->t, ep->key.tenant, &all, &n);

	for (i = 0; !err && i < n; i++)
		if (addr_list_has(&spec->ip, &all[i].to.addr))
			err = publish_del(&w->t, &spec->tenant, &all[i]);
	free(all);
	return err;
}

/*
 * The device's number may be another's by now, but its name is not. What lives nowhere was left by
 * a kill half-way: nobody has it.
 */
static bool own_is_at(const struct endpoint *ep, const struct tsw_endpoint_spec *spec,
		      const struct world_device *at)
{
	if (!at || !ep->placed)
		return true;
	return *spec->dev ? !strcmp(spec->dev, at->dev)
			  : ep->at.place == TSW_PLACE_PORT && ep->at.id == at->ifindex;
}

/* Another host's of that name is that host's affair. */
static int own_take(struct world *w, const struct taking *taking)
{
	struct tsw_endpoint_spec spec;
	struct endpoint ep;
	int err;

	if (!pins_exist(w->t.instance))
		return 0;
	err = begin(w, true);
	err = err ?: own_find(w, taking, &ep);
	err = err ?: spec_get_endpoint(&w->t, &ep, &spec);
	if (!err && !*spec.host.s && own_is_at(&ep, &spec, taking->at)) {
		err = own_unpublish(w, &ep, &spec);
		if (!err && !taking->ports_alone)
			err = endpoint_del(&w->t, &ep);
	}
	return end(w, err == -ENOENT ? 0 : err);
}

struct unpublishing {
	struct records *r;
	const struct tsw_endpoint_spec *spec;
	int err;
};

static int cluster_unpublish(void *context, const char *tenant, const struct tsw_publish_spec *spec)
{
	struct unpublishing *u = context;

	(void)tenant;
	if (!u->err && addr_list_has(&u->spec->ip, &spec->to.addr))
		u->err = cluster_publish_del(u->r, &u->spec->tenant, spec);
	return u->err;
}

static int keep(void *context, const struct tsw_endpoint_spec *spec)
{
	*(struct tsw_endpoint_spec *)context = *spec;
	return 0;
}

/* *GOT has no name where there is none. */
static int record_find(struct world *w, const struct taking *taking, struct tsw_endpoint_spec *got)
{
	struct tsw_name of = *taking->tenant;
	size_t unused = 0;
	int err = 0;

	*got = (struct tsw_endpoint_spec){};
	if (*of.s)
		err = cluster_endpoints(w->r, &of, taking->name, &unused, keep, got);
	if ((err && err != -ENOENT) || *got->name.s || taking->at)
		return err == -ENOENT ? 0 : err;
	err = cluster_endpoint_tenant(w->r, taking->name, &of);
	err = err ?: cluster_endpoints(w->r, &of, taking->name, &unused, keep, got);
	return err == -ENOENT ? 0 : err;
}

/* A DEL that was killed may have left it on this host's switch alone. */
static int record_gone(struct world *w, const struct taking *taking)
{
	struct tsw_endpoint_spec got;

	if (taking->ports_alone || world_get(w, taking->tenant, taking->name, &got) ||
	    *got.host.s || (taking->at && *got.dev && strcmp(got.dev, taking->at->dev)))
		return 0;
	return here_endpoint(&w->t, &w->r->m, &got, true, w->t.wait_ms);
}

static int record_take(struct world *w, const struct taking *taking)
{
	struct tsw_endpoint_spec got;
	struct unpublishing u = {w->r, &got, 0};
	size_t unused = 0;
	int err;

	records_wait(w->r, w->t.wait_ms);
	err = record_find(w, taking, &got);
	if (err)
		return err;
	if (!*got.name.s)
		return record_gone(w, taking);
	if (strcmp(got.host.s, w->r->m.host.s) || (taking->at && strcmp(got.dev, taking->at->dev)))
		return 0;
	err = cluster_publishes(w->r, &got.tenant, &unused, cluster_unpublish, &u);
	err = err ?: u.err;
	if (err || taking->ports_alone)
		return err;
	err = cluster_endpoint_del(w->r, &got.tenant, &got.name, NULL);
	if (err)
		return err == -ENOENT ? 0 : err;
	return here_endpoint(&w->t, &w->r->m, &got, true, w->t.wait_ms);
}

static int take(struct world *w, const struct taking *taking)
{
	return (w->r ? record_take : own_take)(w, taking);
}

int world_del(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      const struct world_device *at)
{
	return take(w, &(struct taking){tenant, name, at, false});
}

int world_unpublish(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
		    const struct world_device *at)
{
	return take(w, &(struct taking){tenant, name, at, true});
}

static int publish(struct world *w, const struct tsw_name *tenant,
		   const struct tsw_publish_spec *spec)
{
	int err;

	if (w->r)
		return cluster_publish_add(w->r, tenant, spec);
	err = begin(w, true);
	return end(w, err ?: spec_publish(&w->t, tenant, spec, false));
}

int world_publish(struct world *w, const struct tsw_name *tenant,
		  const struct tsw_publish_spec *spec, const struct dress *dress)
{
	struct tsw_publish_spec one = *spec;
	bool done[TSW_FAMILIES] = {};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < dress->n_ip; i++) {
		const struct dress_ip *ip = &dress->ip[i];

		if (done[addr_family(&ip->at.addr)] || addr_is_none(&ip->gateway))
			continue;
		done[addr_family(&ip->at.addr)] = true;
		one.to.addr = ip->at.addr;
		err = publish(w, tenant, &one);
	}
	return err;
}

/* ---- an address ------------------------------------------------------------------- */

static int own_reserve(struct world *w, const struct tsw_name *tenant, const struct tsw_prefix *net,
		       struct tsw_addr *addr)
{
	struct tsw_tenant unused;
	__u32 id;
	int err = begin(w, true);

	err = err ?: tenant_find(&w->t, tenant, &id, &unused);
	return end(w, err ?: auto_reserve(&w->t, id, net, addr));
}

int world_reserve(struct world *w, const struct tsw_name *tenant, const struct tsw_prefix *net,
		  struct tsw_addr *addr)
{
	const struct choice of = choice_of(net);

	if (!addr_is_none(addr) && !choice_has(&of, addr))
		return misuse("%s is no address that a host can have in net %s", addr_text(addr),
			      prefix_text(net));
	if (!w->r)
		return own_reserve(w, tenant, net, addr);
	records_wait(w->r, w->t.wait_ms);
	return cluster_reserve(w->r, tenant, net, addr);
}

/* ---- all of a network ------------------------------------------------------------- */

static int append(struct name_list *list, const char *name)
{
	struct tsw_name *grown = realloc(list->at, (list->n + 1) * sizeof(*grown));

	if (!grown)
		return fail_memory();
	list->at = grown;
	grown[list->n] = (struct tsw_name){};
	strncpy(grown[list->n++].s, name, sizeof(grown->s) - 1);
	return 0;
}

static int own_names(struct world *w, const char *begins, struct name_list *list)
{
	cleanup_rows struct rows rows = {};
	struct endpoint ep;
	size_t i;
	int err = map_rows(&w->t.maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);

		if (strncmp(key->name.s, begins, strlen(begins)))
			continue;
		err = endpoint_load(&w->t, key, &ep);
		if (!err && !(ep.placed && ep.at.place == TSW_PLACE_HOST))
			err = append(list, key->name.s);
		else if (err == -ENOENT) /* deleted in between */
			err = 0;
	}
	return err;
}

struct naming {
	const char *begins;
	struct name_list *list;
};

static int record_names(void *context, const struct etcd_entry *entry)
{
	const struct naming *n = context;
	const char *name = record_name(entry->key);

	return strncmp(name, n->begins, strlen(n->begins)) ? 0 : append(n->list, name);
}

int world_names(struct world *w, const char *begins, struct name_list *list)
{
	struct naming n = {begins, list};
	struct record_range range;
	__s64 revision = 0;
	int err = 0;

	*list = (struct name_list){};
	if (pins_exist(w->t.instance)) {
		/* As who changes something: that completes or takes back what a kill left. */
		err = begin(w, true);
		err = end(w, err ?: own_names(w, begins, list));
	}
	if (err || !w->r)
		return err;
	range = record_range(w->r, "at/%s/", w->r->m.host.s);
	return records_each(w->r, &range, &revision, record_names, &n);
}
