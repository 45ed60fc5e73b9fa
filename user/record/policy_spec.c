// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/fields.h"
#include "record/policy_find.h"
#include "record/policy_spec.h"

int policy_spec_check(const struct tsw_policy_spec *spec)
{
	if (!spec->port.first || policy_proto_ports(spec->proto))
		return 0;
	return misuse("port %s goes with proto tcp, udp or sctp", ports_text(&spec->port));
}

int policy_spec_order(const struct tsw_policy_spec *a, const struct tsw_policy_spec *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->action != b->action)
		return a->action == TSW_POLICY_DENY ? -1 : 1;
	return strcmp(a->name.s, b->name.s);
}

void policy_spec_take(const struct tsw_policy_spec *spec, __u64 given, struct tsw_policy_spec *want)
{
	fields_copy(policy_fields, given, spec, want);
	if (given & FIELD(POLICY_PROTO) && !(given & FIELD(POLICY_PORT)) &&
	    !policy_proto_ports(want->proto))
		want->port = (struct tsw_port_range){};
}

size_t policy_spec_cidrs(const struct tsw_policy_spec *spec, struct tsw_prefix *all, size_t n)
{
	if (spec->from.who == TSW_WHO_CIDR)
		all[n++] = spec->from.cidr;
	if (spec->to.who == TSW_WHO_CIDR)
		all[n++] = spec->to.cidr;
	return n;
}

/* Sorts by address, then by length, so a network comes right before the networks within it. */
static int compare_cidrs(const void *a, const void *b)
{
	const struct tsw_prefix *x = a, *y = b;
	const int order = memcmp(&x->addr, &y->addr, sizeof(x->addr));

	return order ?: x->len < y->len ? -1 : x->len > y->len;
}

/* WITHIN is the stack of the networks that contain the current one. */
enum policy_excess policy_cidrs_excess(struct tsw_prefix *all, size_t n,
				       const struct tsw_prefix **at)
{
	const struct tsw_prefix *within[TSW_POLICY_NESTED];
	size_t i, unique = 0;
	unsigned int depth = 0;

	*at = NULL;
	if (n)
		qsort(all, n, sizeof(*all), compare_cidrs);
	for (i = 0; i < n; i++) {
		if (i && !compare_cidrs(&all[i - 1], &all[i]))
			continue;
		*at = &all[i];
		if (++unique > TSW_POLICY_CIDRS)
			return POLICY_MANY_CIDRS;
		while (depth && !prefix_has(within[depth - 1], &all[i].addr))
			depth--;
		if (depth == TSW_POLICY_NESTED)
			return POLICY_DEEP_CIDRS;
		within[depth++] = &all[i];
	}
	return POLICY_FITS;
}
