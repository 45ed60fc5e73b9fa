// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/bound.h"
#include "agent/reconcile.h"
#include "agent/suspects.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "state/apply.h"
#include "state/check.h"
#include "state/devices.h"
#include "state/load.h"
#include "state/missing.h"
#include "state/report.h"
#include "store/config.h"
#include "switch/session.h"
#include "switch/switch.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

struct run {
	struct reconciler *c;
	struct record_set refused; /* the keys of records that were left out */
	struct state have, want;
	struct changes changes;
};

static void refused(void *context, const char *key)
{
	struct run *y = context;

	y->c->refused++;
	complaints_add(y->c->complaints, key, failure()->text);
	record_set_mark(&y->refused, key);
}

static void untrue(void *context, const char *key)
{
	const struct run *y = context;

	complaints_add(y->c->complaints, key, failure()->text);
}

/* With the index's revision, so that adopt_write() overwrites no newer one. */
static void adopted(void *context, const struct record *index, const char *value)
{
	const struct record record = {
		.key = index->key, .value = value, .modified = index->modified};
	struct run *y = context;

	record_set_put(&y->c->adopted, &record);
}

/* Was that key refused? If it ends with a slash: was any key below it refused? */
static bool is_refused(const struct run *y, const char *format, const char *name)
{
	char key[256];

	snprintf(key, sizeof(key), format, name);
	return record_set_is_in(&y->refused, record_set_first(&y->refused, key), key) &&
	       (key[strlen(key) - 1] == '/' || record_set_find(&y->refused, key));
}

static bool endpoint_is_refused(const struct run *y, const struct state_endpoint *ep)
{
	const struct state *have = &y->have;
	char key[256];

	snprintf(key, sizeof(key), "e/%u/%s", have->tenant[ep->tenant].spec.id, ep->name.s);
	return record_set_find(&y->refused, key) ||
	       (ep->host != STATE_NONE &&
		is_refused(y, "host/%s", have->host[ep->host].spec.name.s)) ||
	       (ep->to != STATE_NONE && is_refused(y, "host/%s", have->host[ep->to].spec.name.s));
}

/* A refused rule or endpoint may name a group, so groups stay if any of these is refused. */
static bool group_is_refused(const struct run *y, __u32 tenant)
{
	char key[256];
	const __u32 id = y->have.tenant[tenant].spec.id;

	snprintf(key, sizeof(key), "policy/%u/", id);
	if (is_refused(y, "%s", key))
		return true;
	snprintf(key, sizeof(key), "e/%u/", id);
	return is_refused(y, "%s", key);
}

static bool policy_is_refused(const struct run *y, const struct state_policy *policy)
{
	char key[256];

	snprintf(key, sizeof(key), "policy/%u/rule/%s", y->have.tenant[policy->tenant].spec.id,
		 policy->spec.name.s);
	return record_set_find(&y->refused, key);
}

/* Was the tenant's record refused, or the one that FORMAT makes of its name? */
static bool of_tenant(const struct run *y, __u32 tenant, const char *format)
{
	const char *name = y->have.tenant[tenant].spec.name.s;

	return is_refused(y, "tenant/%s", name) || is_refused(y, format, name);
}

/*
 * A refused record still exists. It may be valid for a newer version, so what this switch has of it
 * stays.
 */
static bool stays(struct run *y, const struct change *c)
{
	const struct state *have = &y->have;
	const __u32 i = c->have;

	if (c->what != CHANGE_DEL)
		return false;
	switch (c->object) {
	case OBJECT_HOST:
		return is_refused(y, "host/%s", have->host[i].spec.name.s);
	case OBJECT_TENANT:
		return of_tenant(y, i, "tenant/%s");
	case OBJECT_GATEWAY:
		return of_tenant(y, i, "gateway/%s");
	case OBJECT_ENDPOINT:
		return of_tenant(y, have->endpoint[i].tenant, "tenant/%s") ||
		       endpoint_is_refused(y, &have->endpoint[i]);
	case OBJECT_PUBLISH:
		return of_tenant(y, have->publish[i].tenant, "publish/%s/");
	case OBJECT_PEER:
		return of_tenant(y, have->peer[i].tenant, "peer/%s/") ||
		       of_tenant(y, have->peer[i].with, "tenant/%s");
	case OBJECT_GROUP:
		return of_tenant(y, have->group[i].tenant, "tenant/%s") ||
		       group_is_refused(y, have->group[i].tenant);
	case OBJECT_POLICY:
		return of_tenant(y, have->policy[i].tenant, "tenant/%s") ||
		       policy_is_refused(y, &have->policy[i]);
	}
	return false;
}

/* Drops the changes of which IS returns true. */
static void drop_changes(struct run *y, bool (*is)(struct run *y, const struct change *c))
{
	struct changes *all = &y->changes;
	size_t n = 0, i;

	for (i = 0; i < all->n; i++)
		if (!is(y, &all->all[i]))
			all->all[n++] = all->all[i];
	all->n = n;
}

static void tell_missing(const struct run *y, const struct state_endpoint *ep)
{
	char what[160];

	snprintf(what, sizeof(what), "endpoint %s/%s", y->want.tenant[ep->tenant].spec.name.s,
		 ep->name.s);
	complaints_add(y->c->complaints, what, "waits for its device, which does not exist");
}

/*
 * An endpoint of this host waits until its device exists. If the switch has the endpoint already,
 * it stays as it is, because the device may come back.
 */
static void settle_missing(struct run *y)
{
	size_t n = 0, i;

	for (i = 0; i < y->want.n_endpoints; i++) {
		struct state_endpoint *ep = &y->want.endpoint[i];

		if (state_is_own(&y->want, ep) && !ep->ifindex) {
			y->c->missing++;
			if (*ep->dev)
				tell_missing(y, ep);
			if (!desired_find(&y->have, y->want.tenant[ep->tenant].spec.name.s,
					  ep->name.s))
				continue;
		}
		y->want.endpoint[n++] = *ep;
	}
	y->want.n_endpoints = n;
	state_sort_rest(&y->want);
}

/* Is it a change of an endpoint whose device does not exist? */
static bool is_missing(struct run *y, const struct change *c)
{
	const struct state_endpoint *ep = c->object == OBJECT_ENDPOINT && c->what == CHANGE_SET
						  ? &y->want.endpoint[c->want]
						  : NULL;

	return ep && state_is_own(&y->want, ep) && !ep->ifindex;
}

/* Keeps the switch's own settings, which no record may change. */
static int take_own(struct run *y)
{
	const struct state_host *own = &y->have.host[y->have.own];
	struct state_host *this_host;
	int err = state_take_own(&y->want, own->spec.name.s);

	if (err)
		return fail(ENOENT, "the cluster has no record of this host, %s: run cluster join",
			    quoted(own->spec.name.s));
	this_host = &y->want.host[y->want.own];
	this_host->spec.ip = own->spec.ip;
	this_host->up = (struct tsw_switch_spec){};
	return 0;
}

/* Holds deletions that may be a mistake. */
static int hold(struct run *y)
{
	struct reconciler *c = y->c;
	const struct comparison now = {
		.records = c->records, .have = &y->have, .want = &y->want, .trusted = c->trusted};
	int err = 0;

	if (c->accepted)
		suspects_clear(c->suspects);
	else
		err = suspects_hold(c->suspects, &now, &y->changes, &c->held);
	if (!c->dry)
		suspects_save(c->suspects, c->t->instance);
	return err;
}

static int compare(struct run *y)
{
	struct reconciler *c = y->c;
	const struct desired desired = {.records = c->records,
					.interest = c->interest,
					.host = c->host,
					.have = &y->have,
					.refused = refused,
					.untrue = untrue,
					.adopted = adopted,
					.context = y};
	cleanup_devices struct devices devices = {};
	size_t beyond = 0;
	int err = devices_read(&devices);

	err = err ?: state_load(c->t, &devices, &y->have);
	err = err ?: desired_state(&desired, &y->want);
	err = err ?: take_own(y);
	err = err ?: bound_shares(c->t, &y->have, &y->want, c->complaints, &beyond);
	if (err)
		return err;
	c->refused += beyond;
	if (state_find_devices(&y->want, &devices))
		settle_missing(y);
	err = state_diff(&y->have, &y->want, &y->changes);
	if (!err && c->missing)
		drop_changes(y, is_missing);
	if (!err && y->refused.n)
		drop_changes(y, stays);
	return err ?: hold(y);
}

static void done(void *context, const struct change *change, int err)
{
	struct run *y = context;
	struct reconciler *c = y->c;

	if (err) {
		c->failed++;
		complaints_add(c->complaints, state_change_text(&y->have, &y->want, change),
			       failure()->text);
		return;
	}
	c->changed++;
	if (c->tell)
		c->tell(c->context, state_change_json(&y->have, &y->want, change));
}

/*
 * Is it a new host that encrypts while this switch does not? Such a host would ignore this switch's
 * clear frames. A host that is known already may be about to change to encryption.
 */
static bool is_closed(struct run *y, const struct change *c)
{
	if (c->object != OBJECT_HOST || c->what != CHANGE_ADD || crypt_is_on(y->c->t) ||
	    !y->want.host[c->want].spec.key.n)
		return false;
	fail(ENOKEY,
	     "host %s encrypts, but this switch does not; change that with: tsw switch set encrypt "
	     "wireguard",
	     quoted(y->want.host[c->want].spec.name.s));
	done(y, c, -ENOKEY);
	return true;
}

static void tell_held(const struct reconciler *c)
{
	char why[160];

	if (!c->held)
		return;
	snprintf(why, sizeof(why),
		 "most of a kind were deleted, but not by tsw: %zu deletions wait on this host "
		 "for: tsw cluster accept",
		 c->held);
	complaints_add(c->complaints, "records", why);
}

/* Tells that the switch would follow its devices' addresses, and goes on as if it had. */
static int foresee(struct reconciler *c)
{
	struct tsw_config want;
	int err = switch_new_locals(c->t, &want);

	if (!err && memcmp(want.local, c->t->config.local, sizeof(want.local)))
		c->tell(c->context,
			json_pack("{s:s, s:s, s:s, s:o}", "change", "set", "object", "switch",
				  "name", want.name, "ip", json_addrs(want.local)));
	memcpy(c->t->config.local, want.local, sizeof(want.local));
	return err;
}

/* The switch follows its devices' addresses. Without that the records still count. */
static void follow(struct reconciler *c)
{
	if (!(c->dry ? foresee(c) : switch_follow(c->t)))
		return;
	c->failed++;
	complaints_add(c->complaints, "this host's address", failure()->text);
}

/* One line for all hosts whose underlay takes less than this host's devices would send. */
static void tell_narrow(const struct run *y)
{
	const __u32 own = underlay_least_mtu(y->c->t);
	const struct state_host *first = NULL;
	char what[80], why[192];
	size_t n = 0, i;

	for (i = 0; i < y->want.n_hosts; i++) {
		const struct state_host *host = &y->want.host[i];

		if (!host->spec.mtu || host->spec.mtu >= own || i == y->want.own)
			continue;
		if (!n++)
			first = host;
	}
	if (!n)
		return;
	snprintf(what, sizeof(what), "host %s", first->spec.name.s);
	snprintf(why, sizeof(why),
		 "its underlay has MTU %u, and this host's %u: longer packets to it are answered "
		 "as too big; hosts like it: %zu",
		 first->spec.mtu, own, n);
	complaints_add(y->c->complaints, what, why);
}

static int apply(struct run *y)
{
	struct tsw *t = y->c->t;
	size_t i;

	if (!y->c->dry)
		return state_apply_each(t, &y->have, &y->want, &y->changes, done, y);
	for (i = 0; i < y->changes.n; i++)
		done(y, &y->changes.all[i], 0);
	return 0;
}

int reconcile_run(struct reconciler *c)
{
	struct run y = {.c = c};
	int err;

	c->changed = c->failed = c->refused = c->held = c->missing = 0;
	record_set_free(&c->adopted);
	session_close(c->t);
	c->t->will_write = !c->dry;
	err = session_open(c->t);
	err = err ?: config_check_netns(c->t); /* also where only a writer must */
	complaints_begin(c->complaints);
	if (!err)
		follow(c);
	err = err ?: compare(&y);
	if (!err) {
		tell_held(c);
		tell_narrow(&y);
	}
	if (!err)
		drop_changes(&y, is_closed);
	err = err ?: apply(&y);
	if (err) {
		c->failed++; /* so that `cluster wait` knows that this host is not in step */
		complaints_add(c->complaints, "this host", failure()->text);
	}
	complaints_end(c->complaints);
	c->awaits = !err && crypt_awaits(c->t);
	session_close(c->t);
	c->t->will_write = false;
	record_set_free(&y.refused);
	state_free(&y.have);
	state_free(&y.want);
	changes_free(&y.changes);
	return err;
}

void reconcile_end(struct reconciler *c)
{
	record_set_free(&c->adopted);
}
