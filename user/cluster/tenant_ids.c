// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/list.h"
#include "cluster/tenant.h"
#include "cluster/tenant_ids.h"

static int add(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	struct tenant_ids *ids = context;
	struct tenant_id *next = list_grow(&ids->all, &ids->n, sizeof(*next));

	(void)endpoints;
	if (!next)
		return -ENOMEM;
	*next = (struct tenant_id){spec->id, spec->name};
	return 0;
}

int tenant_ids_read(const struct records *r, const struct tsw_name *name, size_t *refused,
		    struct tenant_ids *ids)
{
	struct tsw_tenant_spec one;
	int err;

	if (!*name->s)
		return cluster_tenants(r, refused, add, ids);
	err = cluster_tenant_get(r, name, &one, NULL);
	return err ?: add(ids, &one, 0);
}

void tenant_ids_free(struct tenant_ids *ids)
{
	free(ids->all);
	*ids = (struct tenant_ids){};
}

static int compare(const void *a, const void *b)
{
	const struct tenant_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void tenant_ids_sort(struct tenant_ids *ids)
{
	if (ids->n)
		qsort(ids->all, ids->n, sizeof(*ids->all), compare);
}

const struct tsw_name *tenant_ids_name(const struct tenant_ids *ids, __u32 id)
{
	const struct tenant_id key = {.id = id}, *found = NULL;

	if (ids->n)
		found = bsearch(&key, ids->all, ids->n, sizeof(key), compare);
	return found ? &found->name : NULL;
}
