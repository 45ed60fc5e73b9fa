// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "agent/quick.h"
#include "base/err.h"
#include "object/endpoint.h"
#include "object/spec.h"
#include "state/state_keys.h"
#include "switch/session.h"

/* Without groups it is in none. */
enum {
	GIVEN = FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_IP) | FIELD(ENDPOINT_SERVER) |
		FIELD(ENDPOINT_GROUP)
};

/* `e/ID/NAME`: the tenant as it is known here, if that is whose record has the id. */
static int tenant_of(const struct tsw *t, const struct follow *f, const char *key,
		     struct tsw_tenant *tenant)
{
	const __u32 id = (__u32)strtoul(key + strlen("e/"), NULL, 10);
	char record[MEMBER_KEY];
	int err = map_get(&t->maps, MAP_TENANTS, &id, tenant);

	if (err)
		return err;
	snprintf(record, sizeof(record), "tenant/%s", tenant->name);
	return want_tenant_id(mirror_find(&f->records, record)) == id ? 0 : -EEXIST;
}

static int put(struct tsw *t, const struct follow *f, const struct record *record,
	       const struct tsw_tenant *tenant, const char *name)
{
	const struct json_at at = {.key = record->key};
	struct tsw_endpoint_spec spec = {};
	json_t *value = json_loads(record->value, JSON_REJECT_DUPLICATES, NULL);
	bool lives, comes;
	__u64 given;
	int err = value ? fields_read(value, &at, endpoint_keys, &spec, &given) : -EINVAL;

	json_decref(value);
	if (err || strcmp(spec.name.s, name))
		return -EINVAL;
	memcpy(spec.tenant.s, tenant->name, sizeof(spec.tenant.s));
	lives = !strcmp(spec.host.s, t->config.name);
	comes = !strcmp(spec.to_host.s, t->config.name);
	if ((lives || comes) && !want_is_at(&f->records, t->config.name, record->key))
		return 0; /* when that comes it is heard of, too */
	if ((lives && !*spec.dev) || (comes && !*spec.to_dev))
		return -ENODEV; /* it waits for its device */
	given = (given & ENDPOINT_LIMITS) | GIVEN;
	given |= FIELD(lives ? ENDPOINT_DEV : ENDPOINT_HOST);
	if (*spec.to_host.s)
		given |= FIELD(comes ? ENDPOINT_TO_DEV : ENDPOINT_TO_HOST);
	return spec_endpoint(t, &spec, given, SPEC_PUT);
}

static int del(struct tsw *t, const struct tsw_tenant *tenant, const char *name)
{
	struct tsw_name its = {}, of = {};
	struct endpoint ep;
	int err;

	if (strlen(name) >= sizeof(its.s))
		return -EINVAL;
	memcpy(its.s, name, strlen(name));
	memcpy(of.s, tenant->name, sizeof(of.s));
	err = endpoint_find(t, &of, &its, &ep);
	if (err)
		return err == -ENOENT ? 0 : err;
	return endpoint_del(t, &ep);
}

/* As the record is now, whatever happened before. */
static int carry(struct tsw *t, const struct follow *f, const char *key)
{
	const struct record *record = mirror_find(&f->records, key);
	const char *name = strchr(key + strlen("e/"), '/') + 1;
	struct tsw_tenant tenant;
	int err = tenant_of(t, f, key, &tenant);

	if (err)
		return err;
	return record ? put(t, f, record, &tenant, name) : del(t, &tenant, name);
}

int quick_carry(struct tsw *t, struct follow *f)
{
	size_t i;
	int err;

	session_close(t);
	t->will_write = true;
	err = session_open(t);
	/* What goes gives others what they wait for. */
	for (i = 0; !err && i < f->n_fresh; i++)
		if (!mirror_find(&f->records, f->fresh[i]))
			err = carry(t, f, f->fresh[i]);
	for (i = 0; !err && i < f->n_fresh; i++)
		if (mirror_find(&f->records, f->fresh[i]))
			err = carry(t, f, f->fresh[i]);
	session_close(t);
	t->will_write = false;
	follow_seen(f);
	return err;
}
