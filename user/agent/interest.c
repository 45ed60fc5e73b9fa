// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "agent/interest.h"
#include "base/list.h"
#include "cluster/member.h"

/* ---- sets of ids ------------------------------------------------------------------ */

void interest_free(struct interest *i)
{
	free(i->id);
	*i = (struct interest){};
}

/* Index of the first that is not below ID. */
static size_t place_of(const struct interest *i, __u32 id)
{
	size_t low = 0, high = i->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (i->id[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool interest_has(const struct interest *i, __u32 id)
{
	const size_t at = place_of(i, id);

	return at < i->n && i->id[at] == id;
}

static int interest_add(struct interest *i, __u32 id)
{
	const size_t at = place_of(i, id);

	if (at < i->n && i->id[at] == id)
		return 0;
	if (!list_grow(&i->id, &i->n, sizeof(*i->id)))
		return -ENOMEM;
	memmove(&i->id[at + 1], &i->id[at], (i->n - 1 - at) * sizeof(*i->id));
	i->id[at] = id;
	return 0;
}

/* ---- which tenants concern a host ------------------------------------------------- */

__u32 interest_tenant_id(const struct record *tenant)
{
	json_t *value = tenant ? json_loads(tenant->value, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const json_int_t id = json_integer_value(json_object_get(value, "id"));

	json_decref(value);
	return id > 0 && id <= 0xffffffffLL ? (__u32)id : 0;
}

static __u32 id_of(const struct record_set *r, const char *tenant)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "tenant/%s", tenant);
	return interest_tenant_id(record_set_find(r, key));
}

/* Ignores a tenant without a record. */
static int add_by_name(const struct record_set *r, const char *tenant, struct interest *to)
{
	const __u32 id = id_of(r, tenant);

	return id ? interest_add(to, id) : 0;
}

static bool is_vni(const struct record_set *r, unsigned long id)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "vni/%lu", id);
	return record_set_find(r, key);
}

/* `at/HOST/ID/NAME` */
static int add_endpoints(const struct record_set *r, const char *host, struct interest *to)
{
	char prefix[MEMBER_KEY];
	size_t i;
	int err = 0;

	snprintf(prefix, sizeof(prefix), "at/%s/", host);
	for (i = record_set_first(r, prefix); !err && record_set_is_in(r, i, prefix); i++) {
		const unsigned long id = strtoul(r->all[i].key + strlen(prefix), NULL, 10);

		/* Ignores an id without a claim. */
		if (id && id <= 0xffffffffUL && is_vni(r, id))
			err = interest_add(to, (__u32)id);
	}
	return err;
}

static bool is_name(const json_t *value, const char *name)
{
	const char *text = json_string_value(value);

	return text && !strcmp(text, name);
}

/*
 * Does HOST serve the gateway, now or as a backup? A gateway without a host is served where the
 * tenant has endpoints, and these concern such a host anyway.
 */
static bool is_served(const struct record *gateway, const char *host)
{
	json_t *value = json_loads(gateway->value, JSON_REJECT_DUPLICATES, NULL);
	const json_t *backups = json_object_get(value, "backup"), *backup;
	bool served = is_name(json_object_get(value, "host"), host);
	size_t i;

	json_array_foreach(backups, i, backup)
		served |= is_name(backup, host);
	json_decref(value);
	return served;
}

static int add_gateways(const struct record_set *r, const char *host, struct interest *to)
{
	static const char prefix[] = "gateway/";
	size_t i;
	int err = 0;

	for (i = record_set_first(r, prefix); !err && record_set_is_in(r, i, prefix); i++)
		if (is_served(&r->all[i], host))
			err = add_by_name(r, r->all[i].key + strlen(prefix), to);
	return err;
}

bool interest_peers(const char *key, char tenant[INTEREST_NAME], char with[INTEREST_NAME])
{
	const char *a = strchr(key, '/'), *b = a ? strchr(a + 1, '/') : NULL;

	if (!b || b == a + 1 || !b[1])
		return false;
	if (b - a > INTEREST_NAME || strlen(b + 1) >= INTEREST_NAME)
		return false;
	snprintf(tenant, INTEREST_NAME, "%.*s", (int)(b - a - 1), a + 1);
	snprintf(with, INTEREST_NAME, "%s", b + 1);
	return true;
}

/* Adds the peers of OWN, but not the peers of those. */
static int add_peers(const struct record_set *r, const struct interest *own, struct interest *to)
{
	static const char prefix[] = "peer/";
	char tenant[INTEREST_NAME], with[INTEREST_NAME];
	size_t i;
	int err = 0;

	for (i = record_set_first(r, prefix); !err && record_set_is_in(r, i, prefix); i++) {
		if (!interest_peers(r->all[i].key, tenant, with))
			continue;
		if (interest_has(own, id_of(r, tenant)))
			err = add_by_name(r, with, to);
		if (!err && interest_has(own, id_of(r, with)))
			err = add_by_name(r, tenant, to);
	}
	return err;
}

int interest_find(const struct record_set *r, const char *host, struct interest *interest)
{
	struct interest own = {};
	size_t i;
	int err = add_endpoints(r, host, &own);

	*interest = (struct interest){};
	err = err ?: add_gateways(r, host, &own);
	for (i = 0; !err && i < own.n; i++)
		err = interest_add(interest, own.id[i]);
	err = err ?: add_peers(r, &own, interest);
	interest_free(&own);
	if (err)
		interest_free(interest);
	return err;
}
