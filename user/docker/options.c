// SPDX-License-Identifier: GPL-2.0-only
/* Options use the switch's own words, and are read by the table of an endpoint's fields. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "record/fields.h"

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

static int read_rate(const char *key, const char *text, struct docker_options *o)
{
	size_t i;

	for (i = ENDPOINT_RATE_OUT; !field_is_word(&endpoint_fields[i], key); i++)
		;
	o->given |= FIELD(i);
	return field_read(&endpoint_fields[i], text, &o->spec);
}

/* Is KEY the field's own word, or with CHOICE that by which a network offers it? */
static bool is_key(const char *key, enum endpoint_field field, bool choice)
{
	char word[64];

	snprintf(word, sizeof(word), "%s%s", field_word(&endpoint_fields[field]),
		 choice ? "-choice" : "");
	return !strcmp(key, word);
}

/* Reads a word of OFFER_FIELDS. -ENOENT without a message: KEY is no such word. */
static int read_offer(const char *key, const char *text, unsigned int of, struct docker_options *o)
{
	struct offering r = {&o->offers, &o->spec, &o->given, ENDPOINT_NAME};

	while (of != DOCKER_POOL && (r.field = offer_next(r.field)) < ENDPOINT_END) {
		const bool own = is_key(key, r.field, false);

		if (!own && (of == DOCKER_ENDPOINT || !is_key(key, r.field, true)))
			continue;
		if (!text)
			return misuse("its value is not a text");
		return offer_split(text,
				   of == DOCKER_ENDPOINT ? offer_choose
				   : own		 ? offer_give
							 : offer_add,
				   &r);
	}
	return -ENOENT;
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
	/* NULL: ignored, because Docker itself carries it out */
	int (*read)(const char *key, const char *text, struct docker_options *o);
} words[] = {
	{"tenant", DOCKER_NETWORK | DOCKER_POOL, read_place},
	{"instance", DOCKER_NETWORK | DOCKER_POOL, read_place},
	{"mtu", DOCKER_NETWORK, read_mtu},
	{"device", DOCKER_NETWORK, read_device},
	{"com.docker.network.driver.mtu", DOCKER_NETWORK, read_mtu},
	{"com.docker.network.enable_ipv4", DOCKER_NETWORK, NULL},
	{"com.docker.network.enable_ipv6", DOCKER_NETWORK, NULL},
	{"com.docker.network.advertise_addr_ms", DOCKER_NETWORK, NULL},
	{"com.docker.network.advertise_addr_nmsgs", DOCKER_NETWORK, NULL},
	{"rate-out", DOCKER_NETWORK | DOCKER_ENDPOINT, read_rate},
	{"rate-in", DOCKER_NETWORK | DOCKER_ENDPOINT, read_rate},
	{"burst", DOCKER_NETWORK | DOCKER_ENDPOINT, read_rate},
	{"name", DOCKER_ENDPOINT, read_name},
};

static int read_one(const char *key, const json_t *value, unsigned int of, struct docker_options *o)
{
	const char *text = json_string_value(value);
	size_t i;
	int err;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!(words[i].of & of) || strcmp(words[i].key, key))
			continue;
		err = text ? 0 : misuse("its value is not a text");
		if (text && words[i].read)
			err = words[i].read(key, text, o);
		if (err)
			fail_where("option %s: ", quoted(key));
		return err;
	}
	err = read_offer(key, text, of, o);
	if (err && err != -ENOENT)
		fail_where("option %s: ", quoted(key));
	if (err != -ENOENT)
		return err;
	/* Docker puts options of its own beside the user's. */
	if (of == DOCKER_ENDPOINT && !strncmp(key, "com.docker.", strlen("com.docker.")))
		return 0;
	return say_elsewhere(key);
}

int docker_options_read(const json_t *values, enum docker_of of, struct docker_options *o)
{
	const json_t *value;
	const char *key;
	int err = 0;

	if (of != DOCKER_ENDPOINT)
		*o = (struct docker_options){.instance = {"default"}};
	json_object_foreach((json_t *)values, key, value) {
		err = err ?: read_one(key, value, of, o);
	}
	if (err || of == DOCKER_ENDPOINT || *o->tenant.s)
		return err;
	return misuse("name the tenant with %s tenant=NAME",
		      of == DOCKER_POOL ? "--ipam-opt" : "-o");
}
