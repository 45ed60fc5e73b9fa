// SPDX-License-Identifier: GPL-2.0-only
/* Options use the switch's own words. Rates are read by the table of an endpoint's fields. */
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "record/fields.h"

enum { OF_NETWORK = 1, OF_ENDPOINT = 2, OF_POOL = 4 };

static int read_place(const char *key, const char *text, struct docker_options *o)
{
	return parse_known_name(text, *key == 'i' ? &o->instance : &o->tenant);
}

static int read_mtu(const char *key, const char *text, struct docker_options *o)
{
	(void)key;
	return parse_number(text, MTU_MIN, MTU_MAX, &o->mtu);
}

static int read_device(const char *key, const char *text, struct docker_options *o)
{
	(void)key;
	return device_kind_parse(text, &o->device);
}

/* Ignores an option that Docker itself carries out. */
static int read_nothing(const char *key, const char *text, struct docker_options *o)
{
	(void)key;
	(void)text;
	(void)o;
	return 0;
}

static int read_rate(const char *key, const char *text, struct docker_options *o)
{
	size_t i;

	for (i = ENDPOINT_RATE_OUT; !field_is_word(&endpoint_fields[i], key); i++)
		;
	o->given |= FIELD(i);
	return field_read(&endpoint_fields[i], text, &o->spec);
}

static int add_group(void *context, const char *name)
{
	struct docker_options *o = context;

	o->given |= FIELD(ENDPOINT_GROUP);
	return groups_add(&o->spec.group, name);
}

static int offer_group(void *context, const char *name)
{
	struct docker_options *o = context;

	return groups_offer(&o->choice, name);
}

static int choose_group(void *context, const char *name)
{
	struct docker_options *o = context;

	o->given |= FIELD(ENDPOINT_GROUP);
	return groups_choose(&o->choice, name, &o->spec.group);
}

static int read_groups(const char *key, const char *text, struct docker_options *o)
{
	return groups_split(text, strcmp(key, "group") ? offer_group : add_group, o);
}

static int read_choice(const char *key, const char *text, struct docker_options *o)
{
	(void)key;
	return groups_split(text, choose_group, o);
}

static int read_name(const char *key, const char *text, struct docker_options *o)
{
	(void)key;
	return parse_name(text, &o->spec.name);
}

/* Options that have another place in Docker or at the tenant. */
static const struct elsewhere {
	const char *key, *say;
} elsewhere[] = {
	{"name", "use docker run --network name=NETWORK,driver-opt=name=NAME"},
	{"ip", "use docker run --ip ADDRESS"},
	{"mac", "use docker run --mac-address ADDRESS"},
	{"publish", "use docker run -p PORT:PORT"},
	{"dns", "use docker run --dns ADDRESS; for names of the tenant: tsw tenant set TENANT dns "
		"on"},
};

static int say_elsewhere(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (!strcmp(elsewhere[i].key, key))
			return misuse("option %s is not accepted here; %s", quoted(key),
				      elsewhere[i].say);
	return misuse("option %s is unknown", quoted(key));
}

static const struct word {
	const char *key;
	unsigned int of;
	int (*read)(const char *key, const char *text, struct docker_options *o);
} words[] = {
	{"tenant", OF_NETWORK | OF_POOL, read_place},
	{"instance", OF_NETWORK | OF_POOL, read_place},
	{"mtu", OF_NETWORK, read_mtu},
	{"device", OF_NETWORK, read_device},
	{"com.docker.network.driver.mtu", OF_NETWORK, read_mtu},
	{"com.docker.network.enable_ipv4", OF_NETWORK, read_nothing},
	{"com.docker.network.enable_ipv6", OF_NETWORK, read_nothing},
	{"com.docker.network.advertise_addr_ms", OF_NETWORK, read_nothing},
	{"com.docker.network.advertise_addr_nmsgs", OF_NETWORK, read_nothing},
	{"rate-out", OF_NETWORK | OF_ENDPOINT, read_rate},
	{"rate-in", OF_NETWORK | OF_ENDPOINT, read_rate},
	{"burst", OF_NETWORK | OF_ENDPOINT, read_rate},
	{"group", OF_NETWORK, read_groups},
	{"group-choice", OF_NETWORK, read_groups},
	{"group", OF_ENDPOINT, read_choice},
	{"name", OF_ENDPOINT, read_name},
};

static int read_one(const char *key, const json_t *value, unsigned int of, struct docker_options *o)
{
	const char *text = json_string_value(value);
	size_t i;
	int err;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!(words[i].of & of) || strcmp(words[i].key, key))
			continue;
		err = text ? words[i].read(key, text, o) : misuse("its value is not a text");
		if (err)
			fail_where("option %s: ", quoted(key));
		return err;
	}
	/* Docker puts options of its own beside the user's. */
	if (of == OF_ENDPOINT && !strncmp(key, "com.docker.", strlen("com.docker.")))
		return 0;
	return say_elsewhere(key);
}

static int read_all(const json_t *values, unsigned int of, struct docker_options *o)
{
	const json_t *value;
	const char *key;
	int err = 0;

	json_object_foreach((json_t *)values, key, value) {
		err = err ?: read_one(key, value, of, o);
	}
	return err;
}

static int read_with_tenant(const json_t *values, unsigned int of, struct docker_options *o)
{
	int err;

	*o = (struct docker_options){.instance = {"default"}};
	err = read_all(values, of, o);
	if (err || *o->tenant.s)
		return err;
	return misuse("name the tenant with %s tenant=NAME", of == OF_POOL ? "--ipam-opt" : "-o");
}

int docker_network_options(const json_t *values, struct docker_options *o)
{
	return read_with_tenant(values, OF_NETWORK, o);
}

int docker_pool_options(const json_t *values, struct docker_options *o)
{
	return read_with_tenant(values, OF_POOL, o);
}

int docker_endpoint_options(const json_t *values, struct docker_options *o)
{
	return read_all(values, OF_ENDPOINT, o);
}
