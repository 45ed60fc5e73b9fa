// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/change.h"
#include "cluster/endpoint.h"
#include "cluster/hosts.h"
#include "record/fields.h"
#include "rules/rules.h"

#define STAYS (FIELD(ENDPOINT_HOST) | FIELD(ENDPOINT_DEV))

static int take_key(void *context, const struct etcd_entry *entry)
{
	struct look *keys = context;

	look_at_key(keys, entry->key);
	return keys->err;
}

/*
 * Reads the endpoint of KEY, at/HOST/ID/NAME. Its tenant is the owner of the claim on its id, or
 * empty if the endpoint neither lives on HOST nor moves there.
 */
static int find_endpoint(const struct records *r, const char *key, const char *host,
			 struct tsw_endpoint_spec *spec)
{
	cleanup_look struct look look = {};
	char owner[CHANGE_TEXT] = "", id[16];
	const char *end = strrchr(key, '/'), *start = end;
	int err;

	while (start > key && start[-1] != '/')
		start--;
	snprintf(id, sizeof(id), "%.*s", (int)(end - start), start);
	look_at(&look, r, "vni/%s", id);
	look_at(&look, r, "e/%s/%s", id, record_name(key));
	err = look_read(r, &look);
	if (!err && look.at[0].value && look.at[1].value &&
	    !cluster_endpoint_read(look.at[1].key, look.at[1].value, spec) &&
	    (!strcmp(spec->host.s, host) || !strcmp(spec->to_host.s, host)))
		claim_read(look.at[0].value, owner, NULL);
	spec->tenant = (struct tsw_name){};
	if (strlen(owner) < sizeof(spec->tenant.s))
		memcpy(spec->tenant.s, owner, strlen(owner));
	return err;
}

/* Deletes an index entry without such an endpoint. */
static int del_index(const struct records *r, const char *key, const char *host)
{
	struct change c;
	int err;

	change_begin(&c);
	record_pulse(r, &c, "at/%s/", host);
	change_clear(&c, key, NULL);
	err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err;
}

static int del_one(struct records *r, const char *key, const char *host)
{
	struct tsw_endpoint_spec spec = {};
	int err = find_endpoint(r, key, host, &spec);

	if (!err && !*spec.tenant.s)
		err = -ENOENT;
	if (!err && !strcmp(spec.host.s, host))
		err = cluster_endpoint_del(r, &spec.tenant, &spec.name, 0, NULL);
	else if (!err) /* it moves there: ends the move */
		err = cluster_endpoint_put(r, &spec, STAYS, SPEC_SET, NULL);
	return err == -ENOENT ? del_index(r, key, host) : err;
}

int cluster_host_check_empty(const struct records *r, const struct tsw_name *name)
{
	cleanup_look struct look keys = {};
	struct tsw_endpoint_spec spec;
	struct rule_names names = {};
	size_t i;
	int err = records_read(r, NULL, take_key, &keys, "at/%s/", name->s);

	for (i = 0; !err && i < keys.n; i++) {
		spec = (struct tsw_endpoint_spec){};
		if (i < RULE_NAMED)
			err = find_endpoint(r, keys.at[i].key, name->s, &spec);
		rule_name(&names, spec.tenant.s, record_name(keys.at[i].key));
	}
	return err ?: rule_host_del(&names);
}

int cluster_host_empty(struct records *r, const struct tsw_name *name)
{
	cleanup_look struct look keys = {};
	size_t i;
	int err = records_read(r, NULL, take_key, &keys, "at/%s/", name->s);

	for (i = 0; !err && i < keys.n; i++)
		err = del_one(r, keys.at[i].key, name->s);
	return err;
}
