// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/local_wait.h"
#include "backend/backend.h"
#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "cluster/orphans.h"
#include "object/endpoint.h"
#include "object/publish.h"
#include "plug/world.h"
#include "record/gateway_find.h"
#include "record/nets.h"
#include "store/pins.h"
#include "wire/mtu.h"

/* ---- opening ---------------------------------------------------------------------- */

/* Opens only this host's switch. */
static int begin_here(struct world *w, bool writes)
{
	session_close(&w->t);
	w->t.will_write = writes;
	return session_open(&w->t);
}

/* From now on the next step may wait for etcd. */
static void begin_wait(struct world *w)
{
	w->away.asked = w->r;
	if (w->r)
		records_wait(w->r, away_wait(&w->away));
}

/* Opens the backend. In a cluster the switch stays closed. */
static int begin(struct world *w, bool writes)
{
	begin_wait(w);
	return w->r ? 0 : begin_here(w, writes);
}

/* Releases the lock. Keeps failure(). */
static int end(struct world *w, int err)
{
	const struct failure why = *failure();

	if (w->r)
		away_note(&w->away, err);
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
	err = session_enter(&w->t);
	if (err || !member_is(w->t.instance))
		return err;
	away_begin(&w->away, w->t.instance);
	return records_open(w->t.instance, away_wait(&w->away), &w->r);
}

void world_close(struct world *w)
{
	end(w, 0);
	records_close(w->r);
	w->r = NULL;
}

static struct backend backend(struct world *w)
{
	return backend_of(&w->t, w->r);
}

int world_answers(struct world *w)
{
	const struct backend b = backend(w);
	struct object nobody = {.kind = OBJECT_TENANT, .spec.tenant.name = {"-"}};
	int err = end(w, begin_here(w, false));

	if (err || !w->r)
		return err;
	err = begin(w, false);
	err = err ?: b.calls->get(&b, &nobody);
	return end(w, err == -ENOENT ? 0 : err);
}

/* ---- a tenant --------------------------------------------------------------------- */

static void take_gateway(const struct tsw_gateway_spec *spec, struct tenancy *tenancy)
{
	const struct tsw_addr *const resolver = spec->resolver.of;

	tenancy->gateway = spec->ip;
	tenancy->resolves =
		!addr_is_none(&resolver[TSW_IPV4]) || !addr_is_none(&resolver[TSW_IPV6]);
}

static int get_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy)
{
	const struct backend b = backend(w);
	struct object tenant = {.kind = OBJECT_TENANT, .spec.tenant.name = *name};
	struct object gateway = {.kind = OBJECT_GATEWAY, .tenant = *name};
	int err = b.calls->get(&b, &tenant);

	if (err)
		return err;
	tenancy->spec = tenant.spec.tenant;
	err = b.calls->get(&b, &gateway);
	if (!err)
		take_gateway(&gateway.spec.gateway, tenancy);
	return err == -ENOENT ? 0 : err;
}

/*
 * Reads a switch only when no other command is at work: at boot its tenants come before their
 * groups and gateways. A switch that is not up, or not whole, may be soon, so the runtime may try
 * again.
 */
static int begin_soon(struct world *w)
{
	struct failure why;
	int err;

	session_close(&w->t);
	w->t.will_write = false;
	err = w->r ? 0 : lock_join(&w->t);
	if (!err || err == -ENOENT)
		err = session_open(&w->t);
	if (err != -ENOENT)
		return err;
	why = *failure();
	why.code = EAGAIN;
	return fail_again(&why);
}

int world_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy)
{
	__u32 limit;
	int err;

	*tenancy = (struct tenancy){};
	err = begin_soon(w);
	begin_wait(w);
	err = err ?: get_tenant(w, name, tenancy);
	err = err ?: tenant_mtu_limit(&w->t, tenancy->spec.encap, &limit);
	if (!err)
		tenancy->mtu = tenant_mtu(tenancy->spec.mtu, limit);
	if (!err && !tenancy->mtu)
		err = fail(ENODEV, "the switch has no underlay whose MTU is known");
	return end(w, err);
}

int world_groups(struct world *w, const struct tenancy *tenancy, const struct tsw_group_list *list)
{
	const struct backend b = backend(w);
	int err;

	if (!list->n)
		return 0;
	err = begin(w, false);
	return end(w, err ?: b.calls->groups(&b, &tenancy->spec, list));
}

/* ---- an endpoint ------------------------------------------------------------------ */

static struct object endpoint_of(const struct tsw_name *tenant, const struct tsw_name *name)
{
	return (struct object){.kind = OBJECT_ENDPOINT,
			       .spec.endpoint = {.tenant = *tenant, .name = *name}};
}

int world_get(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      struct tsw_endpoint_spec *got)
{
	const struct backend here = backend_of(&w->t, NULL);
	struct object o = endpoint_of(tenant, name);
	int err;

	if (!pins_exist(w->t.instance))
		return fail(ENOENT, "no switch %s is up", quoted(w->t.instance));
	err = begin_here(w, false);
	err = err ?: here.calls->get(&here, &o);
	*got = o.spec.endpoint;
	return end(w, err);
}

/*
 * Containers of the tenant that are gone may have the name, the address or the room that a call
 * needs. Deletes their records, and returns whether there was one.
 */
static bool take_orphans(struct world *w, const struct tsw_name *tenant)
{
	cleanup_orphans struct orphans found = {};
	bool any = false, ports_stay;
	size_t i;
	int err = begin_here(w, false);

	begin_wait(w);
	err = end(w, err ?: orphans_find(w->r, &w->t, &found));
	for (i = 0; !err && i < found.n; i++)
		if (!strcmp(found.all[i].tenant.s, tenant->s)) {
			err = begin(w, true);
			err = err ?: orphan_take(w->r, &found, &found.all[i], &ports_stay);
			err = end(w, err == -ECANCELED ? 0 : err);
			any |= !err;
		}
	return any;
}

/* Is ERR one that an orphan may cause? Then without orphans the same may succeed. */
static bool may_succeed(struct world *w, const struct tsw_name *tenant, int err)
{
	const struct failure why = *failure();
	const bool may = w->r && (err == -EEXIST || err == -ENOSPC) && take_orphans(w, tenant);

	if (!may && err)
		fail_again(&why);
	return may;
}

static int add_once(struct world *w, struct object *o, __u64 given)
{
	const struct backend b = backend(w);
	int err = begin(w, true);

	return end(w, err ?: b.calls->put(&b, o, given & ~FIELD(ENDPOINT_NAME), SPEC_ADD));
}

int world_add(struct world *w, const struct tsw_endpoint_spec *spec, __u64 given,
	      struct tsw_endpoint_spec *got)
{
	const struct backend b = backend(w);
	struct object o = {.kind = OBJECT_ENDPOINT, .spec.endpoint = *spec};
	struct failure why;
	int err = add_once(w, &o, given);

	if (may_succeed(w, &spec->tenant, err)) {
		o.spec.endpoint = *spec;
		err = add_once(w, &o, given);
	}
	*got = o.spec.endpoint;
	if (err)
		return err;
	err = b.calls->await(&b, &o, false, w->t.wait_ms);
	if (!err)
		return 0;
	why = *failure();
	world_del(w, &spec->tenant, &spec->name, NULL);
	return fail_again(&why);
}

/* An endpoint to delete, or only its ports to withdraw. */
struct taking {
	const struct tsw_name *tenant, *name;
	const struct world_device *at; /* NULL: no other endpoint can have the name */
	bool ports_alone;
};

/* If no other endpoint can have the name, searches all tenants: the given one may be old. */
static int find(const struct backend *b, const struct taking *taking, struct object *o)
{
	int err;

	*o = endpoint_of(taking->tenant, taking->name);
	err = b->calls->get(b, o);
	if (err != -ENOENT || !*taking->tenant->s || taking->at)
		return err;
	*o = endpoint_of(&(struct tsw_name){}, taking->name);
	return b->calls->get(b, o);
}

struct unpublishing {
	const struct backend *b;
	const struct tsw_addr_list *of;
};

static int unpublish(void *context, const char *tenant, const struct tsw_publish_spec *spec)
{
	const struct unpublishing *u = context;
	struct object o = {.kind = OBJECT_PUBLISH, .spec.publish = *spec};
	int err = 0;

	snprintf(o.tenant.s, sizeof(o.tenant.s), "%s", tenant);
	if (addr_list_has(u->of, &spec->to.addr))
		err = u->b->calls->del(u->b, &o, false);
	return err == -ENOENT ? 0 : err; /* somebody else deleted it */
}

/* Leaves an endpoint of another host alone. */
static int take_found(struct world *w, const struct taking *taking, struct object *o, bool *gone)
{
	const struct world_device any = {}, *at = taking->at ?: &any;
	const struct backend b = backend(w);
	struct unpublishing u = {&b, &o->spec.endpoint.ip};
	int err = begin(w, true);

	err = err ?: find(&b, taking, o);
	if (err || !b.calls->is_here(&b, o, at->dev, at->ifindex))
		return err;
	err = b.calls->publishes(&b, &o->spec.endpoint.tenant, unpublish, &u);
	if (err || taking->ports_alone)
		return err;
	*gone = true;
	return b.calls->del(&b, o, false);
}

/* A killed DEL may have deleted the record, but left the endpoint on this host's switch. */
static int take_left(struct world *w, const struct taking *taking)
{
	struct tsw_endpoint_spec got;

	if (!w->r || taking->ports_alone || world_get(w, taking->tenant, taking->name, &got) ||
	    *got.host.s || (taking->at && *got.dev && strcmp(got.dev, taking->at->dev)))
		return 0;
	return local_wait_endpoint(&w->t, &w->r->m, &got, true, w->t.wait_ms);
}

static int take(struct world *w, const struct taking *taking)
{
	const struct backend b = backend(w);
	struct object o;
	bool gone = false;
	int err;

	if (!w->r && !pins_exist(w->t.instance))
		return 0;
	err = end(w, take_found(w, taking, &o, &gone));
	if (err == -ENOENT)
		return take_left(w, taking);
	return err || !gone ? err : b.calls->await(&b, &o, true, w->t.wait_ms);
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

/* In a cluster agents open the port later. If this host will, the caller is told why not. */
static int check_port(struct world *w, const struct tsw_name *tenant,
		      const struct tsw_publish_spec *spec)
{
	struct publish want = publish_of(spec, true);
	struct tsw_gateway gw;
	int err = begin_here(w, false);

	err = err ?: gateway_find(&w->t, tenant, &want.to.tenant, &gw);
	if (!err && gateway_is_ready(&gw))
		err = publish_check_port(&w->t, &want);
	session_close(&w->t);
	return err == -ENOENT ? 0 : err;
}

int world_publish(struct world *w, const struct tsw_name *tenant,
		  const struct tsw_publish_spec *spec, const struct dress *dress)
{
	const struct backend b = backend(w);
	struct object one = {.kind = OBJECT_PUBLISH, .tenant = *tenant, .spec.publish = *spec};
	bool done[TSW_FAMILIES] = {};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < dress->n_ip; i++) {
		const struct dress_ip *ip = &dress->ip[i];

		if (done[addr_family(&ip->at.addr)] || addr_is_none(&ip->gateway))
			continue;
		done[addr_family(&ip->at.addr)] = true;
		one.spec.publish.to.addr = ip->at.addr;
		err = w->r ? check_port(w, tenant, &one.spec.publish) : 0;
		err = err ?: begin(w, true);
		err = end(w, err ?: b.calls->put(&b, &one, ~0ULL, SPEC_ADD));
	}
	return err;
}

/* ---- an address ------------------------------------------------------------------- */

static int reserve_once(struct world *w, const struct tsw_name *tenant,
			const struct tsw_prefix *net, struct tsw_addr *addr)
{
	const struct backend b = backend(w);
	int err = begin(w, true);

	return end(w, err ?: b.calls->reserve(&b, tenant, net, addr));
}

int world_reserve(struct world *w, const struct tsw_name *tenant, const struct tsw_prefix *net,
		  struct tsw_addr *addr)
{
	int err = addr_is_none(addr) ? 0 : net_check(net, addr);

	if (err)
		return err;
	err = reserve_once(w, tenant, net, addr);
	return may_succeed(w, tenant, err) ? reserve_once(w, tenant, net, addr) : err;
}

/* ---- all of a network ------------------------------------------------------------- */

static int append(struct name_list *list, const char *name)
{
	struct tsw_name next = {};

	snprintf(next.s, sizeof(next.s), "%s", name);
	return list_append(&list->at, &list->n, &next, sizeof(next));
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
		else if (err == -ENOENT) /* deleted meanwhile */
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
	int err = 0;

	*list = (struct name_list){};
	if (pins_exist(w->t.instance)) {
		/* Opens it for writing, which completes or undoes what a killed command left. */
		err = begin_here(w, true);
		err = end(w, err ?: own_names(w, begins, list));
	}
	if (err || !w->r)
		return err;
	err = begin(w, false);
	return end(w, err ?: records_read(w->r, NULL, record_names, &n, "at/%s/", w->r->m.host.s));
}
