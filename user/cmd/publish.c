// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "cluster/publish.h"
#include "cmd/show.h"
#include "object/publish.h"
#include "record/gateway_find.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "watch/names.h"

/* null if the endpoint is gone, or does not have the address any more. */
static json_t *endpoint_json(const struct names *names, const struct tsw_publish *to)
{
	const struct tsw_addr_key at = {.tenant = to->tenant, .addr = to->addr};
	struct tsw_mac its;

	return addr_owner(names->t, &at, &its)
		       ? json_null()
		       : json_text_or_null(name_of_endpoint(names, to->tenant, &its));
}

static int add_row(struct show *s, const struct publish *p, const struct names *names)
{
	const struct tsw_publish_spec spec = publish_spec(p);
	struct tsw_gateway gw = {.host = ~0U};
	json_t *item;
	int err = gateway_get(names->t, p->to.tenant, &gw);

	if (err && err != -ENOENT)
		return err;
	item = show_of_tenant(s, name_of_tenant(names, p->to.tenant) ?: "", publish_fields, ~0ULL,
			      &spec);
	json_object_set_new(item, "active", json_boolean(publish_is_active(&gw, &p->to)));
	json_object_set_new(item, "endpoint", endpoint_json(names, &p->to));
	if (p->to.flags & TSW_PUBLISH_PENDING)
		json_object_set_new(item, "pending", json_true());
	return 0;
}

static int show_switch(struct show *s)
{
	static const char *const order[] = {"tenant", "proto", "port", "to", NULL};
	struct names names = {.t = &s->cli->tsw};
	cleanup_free struct publish *all = NULL;
	__u32 id;
	size_t n, i;
	int err = tenant_id(names.t, &s->w->name, &id);

	err = err ?: publish_list(names.t, id, &all, &n);
	err = err ?: names_refresh(&names);
	for (i = 0; !err && i < n; i++)
		err = add_row(s, &all[i], &names);
	names_free(&names);
	return err ?: show_sort(s, order);
}

static int add_record(void *show, const char *tenant, const struct tsw_publish_spec *spec)
{
	show_of_tenant(show, tenant, publish_fields, ~0ULL, spec);
	return 0;
}

int show_publishes(struct show *s)
{
	return s->r ? cluster_publishes(s->r, &s->w->name, &s->refused, add_record, s)
		    : show_switch(s);
}
