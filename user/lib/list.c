// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "lib/lib.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/hosts.h"
#include "record/tenant_find.h"

/* The result for the caller: an error, or 0 also if EACH ended the list. */
static int end_of_list(int result)
{
	return result < 0 ? result : 0;
}

int tsw_hosts(struct tsw *t, int (*each)(void *context, const struct tsw_host_spec *spec),
	      void *context)
{
	cleanup_hosts struct hosts all = {};
	struct tsw_host_spec spec;
	int result = lib_read(t);
	size_t i;

	if (!result)
		result = hosts_read(t, &all);
	for (i = 0; !result && i < all.n; i++) {
		result = host_spec_get(t, all.row[i].id, &all.row[i].host, &spec);
		if (!result)
			result = each(context, &spec);
	}
	return end_of_list(result);
}

int tsw_tenants(struct tsw *t, int (*each)(void *context, const struct tsw_tenant_spec *spec),
		void *context)
{
	cleanup_tenants struct tenants all = {};
	struct tsw_tenant_spec spec;
	int result = lib_read(t);
	struct tsw_name name;
	size_t i;

	if (!result)
		result = tenants_read(t, &all);
	for (i = 0; !result && i < all.n; i++) {
		memcpy(name.s, all.row[i].tenant.name, sizeof(name.s));
		result = spec_get_tenant(t, &name, &spec);
		if (!result)
			result = each(context, &spec);
		else if (result == -ENOENT) /* deleted in between */
			result = 0;
	}
	return end_of_list(result);
}

/* Reads an endpoint if it is TENANT's, or if TENANT is 0; else -ENOENT. */
static int endpoint(struct tsw *t, const struct tsw_endpoint_key *key, __u32 tenant,
		    struct tsw_endpoint_spec *spec)
{
	struct endpoint ep;
	int err = tenant && key->tenant != tenant ? -ENOENT : endpoint_load(t, key, &ep);

	return err ?: spec_get_endpoint(t, &ep, spec);
}

int tsw_endpoints(struct tsw *t, const char *tenant,
		  int (*each)(void *context, const struct tsw_endpoint_spec *spec), void *context)
{
	cleanup_rows struct rows rows = {};
	struct tsw_endpoint_spec spec;
	struct tsw_name name = {};
	__u32 id;
	size_t i;
	int result = tenant ? lib_name(tenant, &name) : 0;

	if (!result)
		result = lib_read(t);
	if (!result)
		result = tenant_id(t, &name, &id);
	if (!result)
		result = map_rows(&t->maps, MAP_ENDPOINTS, &rows);
	for (i = 0; !result && i < rows.n; i++) {
		result = endpoint(t, row_key(&rows, i), id, &spec);
		if (!result)
			result = each(context, &spec);
		else if (result == -ENOENT) /* another tenant's, or deleted in between */
			result = 0;
	}
	return end_of_list(result);
}
