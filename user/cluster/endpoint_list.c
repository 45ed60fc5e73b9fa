// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/parse.h"
#include "cluster/endpoint.h"
#include "cluster/tenant.h"

int cluster_endpoint_read(const char *key, const char *value, struct tsw_endpoint_spec *spec)
{
	return record_read_at(OBJECT_ENDPOINT, key, value, spec);
}

/* ---- one, by its name ------------------------------------------------------------- */

/* Reads the endpoint NAME of each tenant. */
static int look_in_all(const struct records *r, const struct tenant_ids *tenants,
		       const struct tsw_name *name, struct look *look)
{
	size_t i;

	for (i = 0; i < tenants->n; i++)
		look_at(look, r, "e/%u/%s", tenants->all[i].id, name->s);
	return look_read(r, look);
}

int cluster_endpoint_tenant(const struct records *r, const struct tsw_name *name,
			    struct tsw_name *tenant)
{
	cleanup_look struct look look = {};
	cleanup_tenant_ids struct tenant_ids tenants = {};
	size_t i, refused = 0;
	const struct tsw_name *in = NULL;
	int err = tenant_ids_read(r, &(struct tsw_name){}, &refused, &tenants);

	err = err ?: look_in_all(r, &tenants, name, &look);
	for (i = 0; !err && i < look.n; i++) {
		if (!look.at[i].value)
			continue;
		if (in)
			err = rule_ambiguous(in->s, tenants.all[i].name.s, name->s);
		in = &tenants.all[i].name;
	}
	if (!err && !in)
		err = rule_missing("endpoint", name->s);
	if (!err)
		*tenant = *in;
	return err;
}

/* ---- all of them ------------------------------------------------------------------ */

struct row {
	const struct tsw_name *tenant;
	char *key, *value;
};

struct listing {
	const struct tenant_ids *tenants;
	struct row *all;
	size_t n;
	size_t *refused;
};

static int add(struct listing *l, const struct tsw_name *tenant, const char *key, const char *value)
{
	struct row *next = list_grow(&l->all, &l->n, sizeof(*next));

	if (!next)
		return -ENOMEM;
	*next = (struct row){tenant, strdup(key), strdup(value)};
	return next->key && next->value ? 0 : fail_memory();
}

/* The key is `.../e/ID/NAME`. */
static int list(void *context, const struct etcd_entry *entry)
{
	struct listing *l = context;
	const char *end = strrchr(entry->key, '/'), *id = end;
	const struct tsw_name *tenant;
	char text[16];
	__u32 number;

	while (id > entry->key && id[-1] != '/')
		id--;
	snprintf(text, sizeof(text), "%.*s", (int)(end - id), id);
	if (!parse_number(text, 1, ~0U, &number)) {
		tenant = tenant_ids_name(l->tenants, number);
		if (tenant)
			return add(l, tenant, entry->key, entry->value);
	}
	++*l->refused;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const int order = strcmp(x->tenant->s, y->tenant->s);

	return order ?: strcmp(record_name(x->key), record_name(y->key));
}

/* Reads whole prefixes, or with a name one key of each tenant. */
static int collect(const struct records *r, struct listing *l, const struct tsw_name *name)
{
	cleanup_look struct look look = {};
	size_t i;
	int err;

	if (*name->s) {
		err = look_in_all(r, l->tenants, name, &look);
		for (i = 0; !err && i < look.n; i++)
			if (look.at[i].value)
				err = add(l, &l->tenants->all[i].name, look.at[i].key,
					  look.at[i].value);
		return err;
	}
	if (l->tenants->n == 1)
		return records_read(r, NULL, list, l, "e/%u/", l->tenants->all[0].id);
	return records_read(r, NULL, list, l, "e/");
}

static int give(const struct listing *l, cluster_each_endpoint *each, void *context)
{
	struct tsw_endpoint_spec spec;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < l->n; i++) {
		spec = (struct tsw_endpoint_spec){};
		if (cluster_endpoint_read(l->all[i].key, l->all[i].value, &spec)) {
			++*l->refused;
			continue;
		}
		spec.tenant = *l->all[i].tenant;
		err = each(context, &spec);
	}
	return err;
}

int cluster_endpoints(const struct records *r, const struct tsw_name *tenant,
		      const struct tsw_name *name, size_t *refused, cluster_each_endpoint *each,
		      void *context)
{
	cleanup_tenant_ids struct tenant_ids tenants = {};
	struct listing l = {.tenants = &tenants, .refused = refused};
	int err = tenant_ids_read(r, tenant, refused, &tenants);

	tenant_ids_sort(&tenants);
	if (!err && tenants.n)
		err = collect(r, &l, name);
	if (!err && l.n)
		qsort(l.all, l.n, sizeof(*l.all), compare_rows);
	err = err ?: give(&l, each, context);
	while (l.n) {
		free(l.all[--l.n].key);
		free(l.all[l.n].value);
	}
	free(l.all);
	return err;
}
