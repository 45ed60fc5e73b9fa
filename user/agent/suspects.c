// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/suspects.h"
#include "base/err.h"
#include "state/policy.h"

enum { PATH = 160, LINE = 160 };

struct judging {
	struct suspects *suspects;
	struct record_set now; /* the prefixes that are suspect now; replaces the former ones */
	const struct record_set *records;
	const struct state *have, *want;
	bool trusted;
	/* What stays of HAVE: */
	bool *tenant;	 /* by index: the tenant and all that it has */
	bool *endpoints; /* by tenant's index */
	struct {
		size_t had, gone;
		bool stays;
	} * policy; /* groups and rules, by tenant's index */
	bool hosts, gateways, publishes, peers;
};

/*
 * Is it suspect that GONE of HAD are gone? Yes, if they are more than half and the prefix has no
 * pulse; if the store is an older copy; or if the prefix was suspect before, and is not all back.
 */
static bool is_suspect(struct judging *d, const char *prefix, size_t gone, size_t had)
{
	const bool was = record_set_find(&d->suspects->prefixes, prefix);
	const bool lost = !d->trusted || (gone * 2 > had && !record_set_find(d->records, prefix));
	const bool is = gone && (was || lost);

	d->suspects->changed |= is != was;
	if (is)
		record_set_mark(&d->now, prefix);
	return is;
}

/* Keeps the former judgement of a prefix that cannot be judged now. */
static void keep(struct judging *d, const char *prefix)
{
	if (record_set_find(&d->suspects->prefixes, prefix))
		record_set_mark(&d->now, prefix);
}

/* Compares only numbers, which is enough for objects that depend on other records. */
static bool has_shrunk(struct judging *d, const char *prefix, size_t had, size_t has)
{
	return is_suspect(d, prefix, has < had ? had - has : 0, had);
}

static void look_at_hosts(struct judging *d)
{
	size_t gone = 0, i;

	for (i = 0; i < d->have->n_hosts; i++)
		gone += state_find_host(d->want, d->have->host[i].spec.name.s) == STATE_NONE;
	d->hosts = is_suspect(d, "host/", gone, d->have->n_hosts - 1);
}

static bool has_record(const struct judging *d, const char *tenant)
{
	char key[128];

	snprintf(key, sizeof(key), "tenant/%s", tenant);
	return record_set_find(d->records, key);
}

/* Both lists are sorted by name. */
static size_t count_gone(const struct judging *d, const struct state_tenant *have,
			 const struct state_tenant *want)
{
	size_t i = have->first, k = want->first, gone = 0;

	for (; i < have->first + have->n; i++) {
		int order = 1;

		while (k < want->first + want->n &&
		       (order = strcmp(d->want->endpoint[k].name.s, d->have->endpoint[i].name.s)) <
			       0)
			k++;
		gone += k == want->first + want->n || order;
	}
	return gone;
}

static size_t count_own(const struct state *s, const struct state_tenant *tenant)
{
	size_t n = 0, i;

	for (i = tenant->first; i < tenant->first + tenant->n; i++)
		n += state_is_own(s, &s->endpoint[i]);
	return n;
}

/*
 * A tenant goes because its record is gone, or because it has no endpoint on this host any more.
 * The first is judged by the prefix of tenants, the second by the one of this host's index.
 */
static void look_at_tenants(struct judging *d)
{
	const struct state *have = d->have;
	size_t gone = 0, own_gone = 0, own = 0, i;
	bool no_records, not_here;
	char prefix[128];

	for (i = 0; i < have->n_tenants; i++) {
		const size_t lives = count_own(have, &have->tenant[i]);

		own += lives;
		if (state_find_tenant(d->want, have->tenant[i].spec.name.s) != STATE_NONE)
			continue;
		if (has_record(d, have->tenant[i].spec.name.s))
			own_gone += lives;
		else
			gone++;
	}
	snprintf(prefix, sizeof(prefix), "at/%s/", have->host[have->own].spec.name.s);
	no_records = is_suspect(d, "tenant/", gone, have->n_tenants);
	not_here = is_suspect(d, prefix, own_gone, own);
	for (i = 0; i < have->n_tenants; i++)
		if (state_find_tenant(d->want, have->tenant[i].spec.name.s) == STATE_NONE)
			d->tenant[i] =
				has_record(d, have->tenant[i].spec.name.s) ? not_here : no_records;
}

static void look_at_endpoints(struct judging *d)
{
	const struct state_tenant *have, *want;
	char prefix[32];
	__u32 found;
	size_t i;

	for (i = 0; i < d->have->n_tenants; i++) {
		have = &d->have->tenant[i];
		found = state_find_tenant(d->want, have->spec.name.s);
		want = found == STATE_NONE ? NULL : &d->want->tenant[found];
		snprintf(prefix, sizeof(prefix), "e/%u/", have->spec.id);
		if (!want || want->spec.id != have->spec.id || !have->n) {
			keep(d, prefix);
			continue;
		}
		d->endpoints[i] = is_suspect(d, prefix, count_gone(d, have, want), have->n);
	}
}

/* The desired tenant that is tenant I of HAVE; STATE_NONE: it is gone or has another id. */
static __u32 wanted_tenant(const struct judging *d, __u32 i)
{
	const struct state_tenant *have = &d->have->tenant[i];
	const __u32 want = state_find_tenant(d->want, have->spec.name.s);

	return want != STATE_NONE && d->want->tenant[want].spec.id == have->spec.id ? want
										    : STATE_NONE;
}

static void count_policies(struct judging *d)
{
	const struct state *have = d->have;
	size_t i;

	for (i = 0; i < have->n_groups; i++) {
		const struct state_group *group = &have->group[i];

		d->policy[group->tenant].had++;
		d->policy[group->tenant].gone +=
			!state_has_group(d->want, wanted_tenant(d, group->tenant), &group->name);
	}
	for (i = 0; i < have->n_policies; i++) {
		const struct state_policy *policy = &have->policy[i];

		d->policy[policy->tenant].had++;
		d->policy[policy->tenant].gone += !state_has_policy(
			d->want, wanted_tenant(d, policy->tenant), &policy->spec.name);
	}
}

static void look_at_policies(struct judging *d)
{
	char prefix[32];
	__u32 i;

	count_policies(d);
	for (i = 0; i < d->have->n_tenants; i++) {
		snprintf(prefix, sizeof(prefix), "policy/%u/", d->have->tenant[i].spec.id);
		if (wanted_tenant(d, i) == STATE_NONE || !d->policy[i].had)
			keep(d, prefix);
		else
			d->policy[i].stays =
				is_suspect(d, prefix, d->policy[i].gone, d->policy[i].had);
	}
}

static size_t count_gateways(const struct state *s)
{
	size_t n = 0, i;

	for (i = 0; i < s->n_tenants; i++)
		n += s->tenant[i].has_gateway;
	return n;
}

static bool is_held(const struct judging *d, const struct change *c)
{
	const struct state *have = d->have;

	if (c->what != CHANGE_DEL)
		return false;
	switch (c->object) {
	case OBJECT_HOST:
		return d->hosts;
	case OBJECT_TENANT:
		return d->tenant[c->have];
	case OBJECT_ENDPOINT:
		return d->tenant[have->endpoint[c->have].tenant] ||
		       d->endpoints[have->endpoint[c->have].tenant];
	case OBJECT_GATEWAY:
		return d->tenant[c->have] || d->gateways;
	case OBJECT_PUBLISH:
		return d->tenant[have->publish[c->have].tenant] || d->publishes;
	case OBJECT_GROUP:
		return d->policy[have->group[c->have].tenant].stays;
	case OBJECT_POLICY:
		return d->policy[have->policy[c->have].tenant].stays;
	case OBJECT_PEER:
		return d->tenant[have->peer[c->have].tenant] ||
		       d->tenant[have->peer[c->have].with] || d->peers;
	}
	return false;
}

static void look(struct judging *d)
{
	const struct state *have = d->have, *want = d->want;

	look_at_hosts(d);
	look_at_tenants(d);
	look_at_endpoints(d);
	look_at_policies(d);
	d->gateways = has_shrunk(d, "gateway/", count_gateways(have), count_gateways(want));
	d->publishes = has_shrunk(d, "publish/", have->n_publishes, want->n_publishes);
	d->peers = has_shrunk(d, "peer/", have->n_peers, want->n_peers);
	/* Prefixes of which this switch has nothing any more are not suspect. */
	d->suspects->changed |= d->now.n != d->suspects->prefixes.n;
	record_set_free(&d->suspects->prefixes);
	d->suspects->prefixes = d->now;
}

int suspects_hold(struct suspects *suspects, const struct comparison *now, struct changes *c,
		  size_t *held)
{
	struct judging d = {
		.suspects = suspects,
		.records = now->records,
		.have = now->have,
		.want = now->want,
		.trusted = now->trusted,
		.tenant = calloc(now->have->n_tenants + 1, sizeof(bool)),
		.endpoints = calloc(now->have->n_tenants + 1, sizeof(bool)),
		.policy = calloc(now->have->n_tenants + 1, sizeof(*d.policy)),
	};
	const int err = d.tenant && d.endpoints && d.policy ? 0 : fail_memory();
	size_t n = 0, i;

	*held = 0;
	if (!err) {
		look(&d);
		for (i = 0; i < c->n; i++)
			if (!is_held(&d, &c->all[i]))
				c->all[n++] = c->all[i];
		*held = c->n - n;
		c->n = n;
	}
	free(d.tenant);
	free(d.endpoints);
	free(d.policy);
	return err;
}

void suspects_clear(struct suspects *suspects)
{
	suspects->changed |= suspects->prefixes.n > 0;
	record_set_free(&suspects->prefixes);
}

void suspects_free(struct suspects *suspects)
{
	record_set_free(&suspects->prefixes);
}

/* ---- for the next agent ----------------------------------------------------------- */

static void path_of(char path[PATH], const char *instance)
{
	snprintf(path, PATH, "/run/tsw/%s.doubt", instance);
}

void suspects_load(struct suspects *suspects, const char *instance)
{
	char path[PATH], line[LINE];
	FILE *file;

	path_of(path, instance);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		record_set_mark(&suspects->prefixes, line);
	}
	if (file)
		fclose(file);
}

/* Errors are ignored: without the file the next agent judges by the records alone. */
void suspects_save(struct suspects *suspects, const char *instance)
{
	char path[PATH];
	FILE *file;
	size_t i;

	if (!suspects->changed)
		return;
	suspects->changed = false;
	path_of(path, instance);
	if (!suspects->prefixes.n) {
		unlink(path);
		return;
	}
	file = fopen(path, "we");
	for (i = 0; file && i < suspects->prefixes.n; i++)
		fprintf(file, "%s\n", suspects->prefixes.all[i].key);
	if (file)
		fclose(file);
}
