// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/bound.h"
#include "base/err.h"
#include "record/share.h"

/* Marks TENANT's endpoints that HAVE has, in the same order, and returns their number. */
static size_t keep_known(const struct state *have, const struct state *want,
			 const struct state_tenant *tenant, bool *keep, __u64 *addrs)
{
	const __u32 found = state_find_tenant(have, tenant->spec.name.s);
	const struct state_tenant *its = found == STATE_NONE ? NULL : &have->tenant[found];
	size_t at = its ? its->first : 0, kept = 0, i;
	const size_t end = its ? its->first + its->n : 0;
	int order;

	for (i = tenant->first; at < end && i < tenant->first + tenant->n; i++) {
		do
			order = strcmp(have->endpoint[at].name.s, want->endpoint[i].name.s);
		while (order < 0 && ++at < end);
		keep[i] = at < end && !order;
		kept += keep[i];
		*addrs += keep[i] ? want->endpoint[i].n_ip : 0;
	}
	return kept;
}

/* Marks others as long as the share has room. Returns how many are left out. */
static size_t keep_some(const struct tsw *t, const struct state *have, const struct state *want,
			const struct state_tenant *tenant, bool *keep)
{
	const __u32 most = share_endpoints(&t->config, tenant->spec.max_endpoints);
	__u64 addrs = 0;
	size_t kept = keep_known(have, want, tenant, keep, &addrs), i;

	for (i = tenant->first; i < tenant->first + tenant->n; i++) {
		const __u32 n_ip = want->endpoint[i].n_ip;

		if (keep[i] || kept >= most || addrs + n_ip > share_addrs(&t->config, most))
			continue;
		keep[i] = true;
		kept++;
		addrs += n_ip;
	}
	return tenant->n - kept;
}

static void tell(const struct tsw *t, const struct state_tenant *tenant,
		 struct complaints *complaints)
{
	const __u32 most = share_endpoints(&t->config, tenant->spec.max_endpoints);
	char what[96], why[192];

	snprintf(what, sizeof(what), "tenant %s", tenant->spec.name.s);
	snprintf(why, sizeof(why),
		 "only %u endpoints with %u addresses fit into its share of this host, the others "
		 "are ignored; allow more with: tsw -c tenant set, max-endpoints",
		 most, share_addrs(&t->config, most));
	complaints_add(complaints, what, why);
}

int bound_shares(const struct tsw *t, const struct state *have, struct state *want,
		 struct complaints *complaints, size_t *n)
{
	bool *keep = calloc(want->n_endpoints + 1, sizeof(*keep));
	size_t i, left = 0, out;

	*n = 0;
	if (!keep)
		return fail_memory();
	for (i = 0; i < want->n_tenants; i++) {
		out = keep_some(t, have, want, &want->tenant[i], keep);
		if (out)
			tell(t, &want->tenant[i], complaints);
		*n += out;
	}
	for (i = 0; *n && i < want->n_endpoints; i++)
		if (keep[i])
			want->endpoint[left++] = want->endpoint[i];
	free(keep);
	if (!*n)
		return 0;
	want->n_endpoints = left;
	state_sort_rest(want);
	return 0;
}
