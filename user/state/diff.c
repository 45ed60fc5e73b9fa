// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "state/equal.h"
#include "state/resource.h"

/* ---- matching --------------------------------------------------------------------- */

static int match_make(struct match *m, size_t n_have, size_t n_want)
{
	m->n_have = n_have;
	m->n_want = n_want;
	m->want = calloc(n_have + 1, sizeof(*m->want));
	m->have = calloc(n_want + 1, sizeof(*m->have));
	m->fate = calloc(n_have + 1, 1);
	m->gives = calloc(n_have + 1, 1);
	m->takes = calloc(n_have + 1, 1);
	if (!m->want || !m->have || !m->fate || !m->gives || !m->takes)
		return fail_memory();
	memset(m->want, 0xff, n_have * sizeof(*m->want));
	memset(m->have, 0xff, n_want * sizeof(*m->have));
	memset(m->fate, FATE_GONE, n_have);
	return 0;
}

static void match_free(struct match *m)
{
	free(m->want);
	free(m->have);
	free(m->fate);
	free(m->gives);
	free(m->takes);
}

static void pair_up(struct match *m, __u32 have, __u32 want, bool same)
{
	m->want[have] = want;
	m->have[want] = have;
	m->fate[have] = same ? FATE_KEEP : FATE_SET;
}

static void match_hosts(struct diff *d)
{
	__u32 i, k;

	for (i = 0; i < d->have->n_hosts; i++) {
		k = state_find_host(d->want, d->have->host[i].spec.name.s);
		if (k != STATE_NONE)
			pair_up(&d->host, i, k,
				i == d->have->own
					? state_equal_own(&d->have->host[i], &d->want->host[k])
					: state_equal_hosts(&d->have->host[i], &d->want->host[k]));
	}
}

/* Matches tenants by name. A tenant with another id does not match, because it is a new one. */
static void match_tenants(struct diff *d)
{
	const struct state_tenant *have, *want;
	__u32 i, k;

	for (i = 0; i < d->have->n_tenants; i++) {
		have = &d->have->tenant[i];
		k = state_find_tenant(d->want, have->spec.name.s);
		want = k == STATE_NONE ? NULL : &d->want->tenant[k];
		if (!want || want->spec.id != have->spec.id)
			continue;
		pair_up(&d->tenant, i, k, state_equal_tenants(have, want));
		if (have->has_gateway && want->has_gateway)
			pair_up(&d->gateway, i, k, state_equal_gateways(d, i, k));
	}
	/* Tenants without a gateway need nothing. */
	for (i = 0; i < d->have->n_tenants; i++)
		if (!d->have->tenant[i].has_gateway)
			d->gateway.fate[i] = FATE_KEEP;
}

/* Matches the endpoints of one tenant: both lists are sorted by name. */
static void match_endpoints_of(struct diff *d, const struct state_tenant *have,
			       const struct state_tenant *want)
{
	size_t i = have->first, k = want->first;
	int order;

	while (i < have->first + have->n && k < want->first + want->n) {
		order = strcmp(d->have->endpoint[i].name.s, d->want->endpoint[k].name.s);
		if (!order)
			pair_up(&d->endpoint, (__u32)i, (__u32)k,
				state_equal_endpoints(d, (__u32)i, (__u32)k));
		i += order <= 0;
		k += order >= 0;
	}
}

static void match_endpoints(struct diff *d)
{
	__u32 i;

	for (i = 0; i < d->have->n_tenants; i++)
		if (d->tenant.want[i] != STATE_NONE)
			match_endpoints_of(d, &d->have->tenant[i],
					   &d->want->tenant[d->tenant.want[i]]);
}

/* Matches two sorted lists. OTHERWISE: the fate of an object that has changed. */
static void match_sorted(const struct diff *d, struct match *m, typeof(state_order_peers) *compare,
			 typeof(state_equal_peers) *equal, enum fate otherwise)
{
	size_t i = 0, k = 0;
	int order;

	while (i < m->n_have && k < m->n_want) {
		order = compare(d, i, k);
		if (!order) {
			pair_up(m, (__u32)i, (__u32)k, true);
			if (equal && !equal(d, i, k))
				m->fate[i] = (__u8)otherwise;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

/* A published port or a peering that differs is made again, because it cannot be changed. */
static void match_parts(struct diff *d)
{
	size_t i;

	match_sorted(d, &d->publish, state_order_publishes, state_equal_publishes, FATE_REMAKE);
	match_sorted(d, &d->peer, state_order_peers, state_equal_peers, FATE_REMAKE);
	match_sorted(d, &d->group, state_order_groups, NULL, FATE_KEEP);
	match_sorted(d, &d->policy, state_order_policies, state_equal_policies, FATE_SET);
	/* Parts of a deleted tenant need no change of their own. */
	for (i = 0; i < d->have->n_groups; i++)
		if (d->tenant.want[d->have->group[i].tenant] == STATE_NONE)
			d->group.fate[i] = FATE_KEEP;
	for (i = 0; i < d->have->n_policies; i++)
		if (d->tenant.want[d->have->policy[i].tenant] == STATE_NONE)
			d->policy.fate[i] = FATE_KEEP;
}

/* ---- who waits for whom: hosts ---------------------------------------------------- */

static __u32 host_with(const struct state *s, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < s->n_hosts; i++)
		if (addr_equal(&s->host[i].spec.ip.of[addr_family(addr)], addr))
			return i;
	return STATE_NONE;
}

static void mark_host(struct diff *d, __u32 have)
{
	const struct state_host *host = &d->have->host[have];
	__u32 want;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&host->spec.ip.of[family]))
			continue;
		want = host_with(d->want, &host->spec.ip.of[family]);
		if (want == STATE_NONE || want == d->host.want[have])
			continue;
		d->host.gives[have] = 1;
		if (d->host.have[want] != STATE_NONE)
			d->host.takes[d->host.have[want]] = 1;
	}
}

/* Whether this host has an address of a family that the other host has. */
static bool is_reachable(const struct state_host *own, const struct state_host *host)
{
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&own->spec.ip.of[family]) &&
		    !addr_is_none(&host->spec.ip.of[family]))
			return true;
	return false;
}

static __u8 host_fate(const struct diff *d, __u32 i)
{
	const struct match *m = &d->host;

	if (i == d->have->own || m->fate[i] == FATE_KEEP || !m->gives[i])
		return m->fate[i];
	if (m->fate[i] == FATE_GONE)
		return FATE_GONE_EARLY;
	if (m->takes[i] || d->have->whole ||
	    !is_reachable(&d->have->host[d->have->own], &d->want->host[m->want[i]]))
		return FATE_REMAKE;
	return FATE_SET_EARLY;
}

static bool must_go(const struct diff *d, __u32 host)
{
	const __u8 fate = host == STATE_NONE ? FATE_KEEP : d->host.fate[host];

	return fate == FATE_REMAKE || fate == FATE_GONE_EARLY;
}

static bool gateway_must_go(const struct diff *d, const struct state_gateway *gw)
{
	__u32 i;

	for (i = 0; i < gw->n_backups; i++)
		if (must_go(d, gw->backup[i]))
			return true;
	return must_go(d, gw->host);
}

/* Marks endpoints and gateways to be made again if their host is deleted. */
static void take_along(struct diff *d)
{
	__u32 i;

	for (i = 0; i < d->have->n_endpoints; i++)
		if ((must_go(d, d->have->endpoint[i].host) ||
		     must_go(d, d->have->endpoint[i].to)) &&
		    d->endpoint.fate[i] != FATE_GONE)
			d->endpoint.fate[i] = FATE_REMAKE;
	for (i = 0; i < d->have->n_tenants; i++)
		if (d->have->tenant[i].has_gateway &&
		    gateway_must_go(d, &d->have->tenant[i].gateway) &&
		    d->gateway.fate[i] != FATE_GONE)
			d->gateway.fate[i] = FATE_REMAKE;
}

static void resolve_hosts(struct diff *d)
{
	__u32 i;

	for (i = 0; i < d->have->n_hosts; i++)
		if (d->host.fate[i] != FATE_KEEP)
			mark_host(d, i);
	for (i = 0; i < d->have->n_hosts; i++)
		d->host.fate[i] = host_fate(d, i);
	take_along(d);
}

/* ---- who waits for whom: endpoints and gateways ----------------------------------- */

static void mark_owners(struct diff *d, const struct resources *have, const struct resources *want)
{
	size_t i = 0, k = 0;
	__u32 new;
	int order;

	while (i < have->n && k < want->n) {
		order = resource_compare(&have->all[i], &want->all[k]);
		if (have->all[i].kind == RESOURCE_VIP || want->all[k].kind == RESOURCE_VIP)
			break;
		new = order ? STATE_NONE : diff_owner_now(d, want->all[k].owner);
		if (!order && have->all[i].owner != new)
			diff_exchange(d, have->all[i].owner, new);
		i += order <= 0;
		k += order >= 0;
	}
}

/* Whether the wanted HOST exists already and is not made again. */
static bool is_ready(const struct diff *d, __u32 host)
{
	const __u32 have = host == STATE_NONE ? STATE_NONE : d->host.have[host];

	return host == STATE_NONE || (have != STATE_NONE && d->host.fate[have] != FATE_REMAKE);
}

/* Decides the fate of object I that gives something away. READY: its wanted hosts exist already. */
static void resolve(struct match *m, __u32 i, bool ready)
{
	if (m->fate[i] == FATE_SET && m->gives[i])
		m->fate[i] = m->takes[i] || !ready ? FATE_REMAKE : FATE_SET_EARLY;
}

static bool endpoint_hosts_ready(const struct diff *d, const struct state_endpoint *want)
{
	return is_ready(d, want->host) && is_ready(d, want->to);
}

static bool gateway_hosts_ready(const struct diff *d, const struct state_gateway *want)
{
	__u32 i;

	for (i = 0; i < want->n_backups; i++)
		if (!is_ready(d, want->backup[i]))
			return false;
	return is_ready(d, want->host);
}

static bool all_kept(const struct match *m)
{
	size_t i;

	for (i = 0; i < m->n_have; i++)
		if (m->fate[i] != FATE_KEEP)
			return false;
	return true;
}

static int resolve_owners(struct diff *d)
{
	cleanup_resources struct resources have = {}, want = {};
	__u32 i;
	int err;

	/* Deletions come first anyway, so only changed objects can wait for each other. */
	if (all_kept(&d->endpoint) && all_kept(&d->gateway))
		return 0;
	err = resources_make(d->have, d->tenant.want, &have);
	err = err ?: resources_make(d->want, NULL, &want);
	if (err)
		return err;
	mark_owners(d, &have, &want);
	err = diff_mark_networks(d);
	if (err)
		return err;
	for (i = 0; i < d->have->n_endpoints; i++)
		if (d->endpoint.want[i] != STATE_NONE)
			resolve(&d->endpoint, i,
				endpoint_hosts_ready(d, &d->want->endpoint[d->endpoint.want[i]]));
	for (i = 0; i < d->have->n_tenants; i++)
		if (d->gateway.want[i] != STATE_NONE)
			resolve(&d->gateway, i,
				gateway_hosts_ready(d,
						    &d->want->tenant[d->gateway.want[i]].gateway));
	return 0;
}

/* ---- what goes with gateways ------------------------------------------------------ */

/* Whether the networks of the tenant's gateway change, and so what its peers may reach. */
static bool gateway_moves_peers(const struct diff *d, __u32 tenant)
{
	const __u32 want = d->gateway.want[tenant];

	if (want == STATE_NONE || fate_is_away(d->gateway.fate[tenant]))
		return true;
	return !state_same_networks(&d->have->tenant[tenant].gateway,
				    &d->want->tenant[want].gateway);
}

static void follow_gateways(struct diff *d)
{
	__u32 i;

	for (i = 0; i < d->have->n_publishes; i++)
		if (d->publish.fate[i] == FATE_KEEP &&
		    fate_is_away(d->gateway.fate[d->have->publish[i].tenant]))
			d->publish.fate[i] = FATE_REMAKE;
	for (i = 0; i < d->have->n_peers; i++)
		if (d->peer.fate[i] == FATE_KEEP &&
		    (gateway_moves_peers(d, d->have->peer[i].tenant) ||
		     gateway_moves_peers(d, d->have->peer[i].with)))
			d->peer.fate[i] = FATE_REMAKE;
}

static int make_all(struct diff *d)
{
	int err = match_make(&d->host, d->have->n_hosts, d->want->n_hosts);

	err = err ?: match_make(&d->tenant, d->have->n_tenants, d->want->n_tenants);
	err = err ?: match_make(&d->gateway, d->have->n_tenants, d->want->n_tenants);
	err = err ?: match_make(&d->endpoint, d->have->n_endpoints, d->want->n_endpoints);
	err = err ?: match_make(&d->publish, d->have->n_publishes, d->want->n_publishes);
	err = err ?: match_make(&d->group, d->have->n_groups, d->want->n_groups);
	err = err ?: match_make(&d->policy, d->have->n_policies, d->want->n_policies);
	return err ?: match_make(&d->peer, d->have->n_peers, d->want->n_peers);
}

int state_diff(const struct state *have, const struct state *want, struct changes *c)
{
	struct diff d = {.have = have, .want = want};
	int err = make_all(&d);

	*c = (struct changes){};
	if (!err) {
		match_hosts(&d);
		match_tenants(&d);
		match_endpoints(&d);
		match_parts(&d);
		resolve_hosts(&d);
		err = resolve_owners(&d);
	}
	if (!err) {
		follow_gateways(&d);
		err = state_order(&d, c);
	}
	match_free(&d.host);
	match_free(&d.tenant);
	match_free(&d.gateway);
	match_free(&d.endpoint);
	match_free(&d.publish);
	match_free(&d.peer);
	match_free(&d.group);
	match_free(&d.policy);
	return err;
}
