// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/routed.h"
#include "cluster/tenant.h"

struct look_out {
	const struct tsw_name *tenant;
	const struct tsw_prefix_list *list;
	const struct prefixes *behind;
	struct tsw_name *other; /* tenants without NAT */
	size_t n;
	struct tenant_ids ids; /* of all tenants, sorted by id */
	size_t begin;	       /* octets of a claim's key before the id */
};

/* Refuses a network ITS that another tenant has. */
static int compare(const struct look_out *l, const char *other, const struct tsw_prefix *its)
{
	size_t i;

	for (i = 0; i < l->list->n; i++)
		if (prefix_overlap(&l->list->at[i], its))
			return rule_routed(&l->list->at[i], its, quoted(other));
	for (i = 0; l->behind && i < l->behind->n; i++)
		if (prefix_overlap(&l->behind->all[i].prefix, its))
			return rule_routed(&l->behind->all[i].prefix, its, quoted(other));
	return 0;
}

static int check_gateway(void *context, const struct etcd_entry *entry)
{
	const char *tenant = record_name(entry->key);
	struct tsw_gateway_spec its = TSW_GATEWAY_DEFAULTS;
	struct look_out *l = context;
	struct tsw_name *other;
	__u32 i;
	int err = 0;

	if (!strcmp(tenant, l->tenant->s) || strlen(tenant) >= sizeof(other->s) ||
	    record_read_at(OBJECT_GATEWAY, entry->key, entry->value, &its) || its.nat)
		return 0;
	for (i = 0; !err && i < its.ip.n; i++)
		err = compare(l, tenant, &its.ip.at[i]);
	other = err ? NULL : list_grow(&l->other, &l->n, sizeof(*other));
	if (!other)
		return err ?: -ENOMEM;
	snprintf(other->s, sizeof(other->s), "%s", tenant);
	return 0;
}

static bool is_other(const struct look_out *l, const struct tsw_name *name)
{
	size_t i;

	for (i = 0; name && i < l->n; i++)
		if (!strcmp(l->other[i].s, name->s))
			return true;
	return false;
}

/* A claim on a network behind an endpoint, ID/CIDR. `tsw -c check` reports an invalid one. */
static int check_claim(void *context, const struct etcd_entry *entry)
{
	const struct look_out *l = context;
	const struct tsw_name *name;
	struct tsw_prefix its;
	char *end;
	const __u32 id = (__u32)strtoul(entry->key + l->begin, &end, 10);

	name = tenant_ids_name(&l->ids, id);
	if (*end != '/' || !is_other(l, name) || parse_network(end + 1, &its))
		return 0;
	return compare(l, name->s, &its);
}

static int check_claims(const struct records *r, struct change *c, struct look_out *l)
{
	const struct tsw_name all = {};
	char begin[MEMBER_KEY];
	size_t refused = 0;
	int err = tenant_ids_read(r, &all, &refused, &l->ids);

	if (err)
		return err;
	tenant_ids_sort(&l->ids);
	record_key(r, begin, "net/");
	l->begin = strlen(begin);
	return records_read(r, c, check_claim, l, "net/");
}

int cluster_check_routed(const struct records *r, struct change *c, const struct tsw_name *tenant,
			 const struct tsw_prefix_list *list, const struct prefixes *behind)
{
	struct look_out l = {.tenant = tenant, .list = list, .behind = behind};
	int err = records_read(r, c, check_gateway, &l, "gateway/");

	if (!err && l.n)
		err = check_claims(r, c, &l);
	tenant_ids_free(&l.ids);
	free(l.other);
	return err;
}
