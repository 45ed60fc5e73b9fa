// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/bound.h"
#include "agent/reconcile.h"
#include "agent/suspects.h"
#include "base/err.h"
#include "base/text.h"
#include "state/devices.h"
#include "state/state_apply.h"
#include "state/state_check.h"
#include "state/state_load.h"
#include "state/state_missing.h"
#include "state/state_report.h"
#include "switch/session.h"
#include "wire/crypt.h"

struct run {
	struct reconciler *c;
	struct record_set refused; /* the keys of records that were left out */
	struct state have, want;
	struct changes changes;
};

static void refused(void *context, const char *key)
{
	const struct record record = {.key = (char *)key, .value = "", .modified = 1};
	struct run *y = context;

	y->c->refused++;
	complaints_add(y->c->complaints, key, failure()->text);
	record_set_put(&y->refused, &record);
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
static bool policy_is_refused(const struct run *y, const struct change *c)
{
	const struct state *have = &y->have;
	const bool is_group = c->object == OBJECT_GROUP;
	const __u32 tenant = is_group ? have->group[c->have].tenant : have->policy[c->have].tenant;
	const __u32 id = have->tenant[tenant].spec.id;
	char key[256];

	if (!is_group) {
		snprintf(key, sizeof(key), "policy/%u/rule/%s", id,
			 have->policy[c->have].spec.name.s);
		return record_set_find(&y->refused, key);
	}
	snprintf(key, sizeof(key), "policy/%u/", id);
	if (is_refused(y, "%s", key))
		return true;
	snprintf(key, sizeof(key), "e/%u/", id);
	return is_refused(y, "%s", key);
}

/*
 * A refused record still exists. It may be valid for a newer version, so what this switch has of it
 * stays.
 */
static bool stays(const struct run *y, const struct change *c)
{
	const struct state *have = &y->have;
	__u32 tenant = STATE_NONE;
	bool is = false;

	if (c->what != CHANGE_DEL)
		return false;
	if (c->object == OBJECT_HOST)
		return is_refused(y, "host/%s", have->host[c->have].spec.name.s);
	if (c->object == OBJECT_TENANT || c->object == OBJECT_GATEWAY)
		tenant = c->have;
	else if (c->object == OBJECT_ENDPOINT)
		tenant = have->endpoint[c->have].tenant;
	else if (c->object == OBJECT_PUBLISH)
		tenant = have->publish[c->have].tenant;
	else if (c->object == OBJECT_PEER)
		tenant = have->peer[c->have].tenant;
	else if (c->object == OBJECT_GROUP)
		tenant = have->group[c->have].tenant;
	else if (c->object == OBJECT_POLICY)
		tenant = have->policy[c->have].tenant;
	if (tenant == STATE_NONE)
		return false;
	if (c->object == OBJECT_ENDPOINT)
		is = endpoint_is_refused(y, &have->endpoint[c->have]);
	else if (c->object == OBJECT_GATEWAY)
		is = is_refused(y, "gateway/%s", have->tenant[tenant].spec.name.s);
	else if (c->object == OBJECT_PUBLISH)
		is = is_refused(y, "publish/%s/", have->tenant[tenant].spec.name.s);
	else if (c->object == OBJECT_PEER)
		is = is_refused(y, "peer/%s/", have->tenant[tenant].spec.name.s) ||
		     is_refused(y, "tenant/%s", have->tenant[have->peer[c->have].with].spec.name.s);
	else if (c->object == OBJECT_GROUP || c->object == OBJECT_POLICY)
		is = policy_is_refused(y, c);
	return is || is_refused(y, "tenant/%s", have->tenant[tenant].spec.name.s);
}

static void leave_refused(struct run *y)
{
	struct changes *all = &y->changes;
	size_t n = 0, i;

	for (i = 0; i < all->n; i++)
		if (!stays(y, &all->all[i]))
			all->all[n++] = all->all[i];
	all->n = n;
}

/* Does this switch have the endpoint already? */
static bool switch_has(const struct run *y, const struct state_endpoint *ep)
{
	const __u32 found = state_find_tenant(&y->have, y->want.tenant[ep->tenant].spec.name.s);
	const struct state_tenant *tenant = found == STATE_NONE ? NULL : &y->have.tenant[found];
	size_t i;

	for (i = tenant ? tenant->first : 0; tenant && i < tenant->first + tenant->n; i++)
		if (!strcmp(y->have.endpoint[i].name.s, ep->name.s))
			return true;
	return false;
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
			if (!switch_has(y, ep))
				continue;
		}
		y->want.endpoint[n++] = *ep;
	}
	y->want.n_endpoints = n;
	state_sort_rest(&y->want);
}

/* Drops changes of endpoints whose device does not exist. */
static void leave_missing(struct run *y)
{
	struct changes *all = &y->changes;
	size_t n = 0, i;

	for (i = 0; i < all->n; i++) {
		const struct change *change = &all->all[i];
		const struct state_endpoint *ep =
			change->object == OBJECT_ENDPOINT && change->what == CHANGE_SET
				? &y->want.endpoint[change->want]
				: NULL;

		if (!ep || !state_is_own(&y->want, ep) || ep->ifindex)
			all->all[n++] = *change;
	}
	all->n = n;
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
		leave_missing(y);
	if (!err && y->refused.n)
		leave_refused(y);
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
static bool is_closed(const struct run *y, const struct change *c)
{
	return c->object == OBJECT_HOST && c->what == CHANGE_ADD && !crypt_is_on(y->c->t) &&
	       y->want.host[c->want].spec.key.n;
}

static void leave_encrypting(struct run *y)
{
	struct changes *all = &y->changes;
	size_t n = 0, i;

	for (i = 0; i < all->n; i++) {
		if (!is_closed(y, &all->all[i])) {
			all->all[n++] = all->all[i];
			continue;
		}
		fail(ENOKEY,
		     "host %s encrypts, but this switch does not; change that with: tsw switch set "
		     "encrypt wireguard",
		     quoted(y->want.host[all->all[i].want].spec.name.s));
		done(y, &all->all[i], -ENOKEY);
	}
	all->n = n;
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

int reconcile_run(struct reconciler *c)
{
	struct run y = {.c = c};
	int err;

	c->changed = c->failed = c->refused = c->held = c->missing = 0;
	record_set_free(&c->adopted);
	session_close(c->t);
	c->t->will_write = true;
	err = session_open(c->t);
	complaints_begin(c->complaints);
	err = err ?: compare(&y);
	if (!err)
		tell_held(c);
	if (!err)
		leave_encrypting(&y);
	err = err ?: state_apply_each(c->t, &y.have, &y.want, &y.changes, done, &y);
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
