// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints docs/state.schema.json from the tables of fields: `make schema`. What no table says is
 * here: patterns, defaults, and what a tenant's fields have to do with each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/spell.h"
#include "record/fields.h"
#include "state/keys.h"
#include "state/state.h"

#define HIDDEN                                                                        \
	"\\u0000-\\u0020/\\u007f-\\u00a0\\u00ad\\u061c\\u2000-\\u200f\\u2028-\\u202f" \
	"\\u205f-\\u206f\\u3000\\ufe00-\\ufe0f\\ufeff\\ufff0-\\ufffb"

static json_t *ref(const char *name)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

static json_t *string(const char *pattern)
{
	return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}

static json_t *integer(json_int_t least, json_int_t most, const char *help)
{
	return json_pack("{s:s, s:I, s:I, s:s*}", "type", "integer", "minimum", least, "maximum",
			 most, "description", help);
}

static json_t *list(const char *of, int least, int most, bool unique)
{
	json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", ref(of));

	if (least)
		json_object_set_new(schema, "minItems", json_integer(least));
	if (most)
		json_object_set_new(schema, "maxItems", json_integer(most));
	if (unique)
		json_object_set_new(schema, "uniqueItems", json_true());
	return schema;
}

static json_t *choice(const char *const *words)
{
	json_t *all = json_array();

	for (; *words; words++)
		json_array_append_new(all, json_string(*words));
	return json_pack("{s:o}", "enum", all);
}

/* An object that the file has below this key: one, or a list of them. */
static json_t *later(const char *key, bool must)
{
	const size_t len = strlen(key);
	char one[32];

	if (!strcmp(key, "publish"))
		return list(key, 0, 0, false);
	if (!strcmp(key, "groups"))
		return list("name", 0, TSW_POLICY_GROUPS, true);
	if (!strcmp(key, "policies"))
		return list("policy", 0, 0, false);
	if (key[len - 1] != 's')
		return ref(key);
	snprintf(one, sizeof(one), "%.*s", (int)len - 1, key);
	return list(one, must, 0, false);
}

static json_t *number(const struct field *f)
{
	if (f->min == f->max)
		return json_pack("{s:I}", "const", (json_int_t)f->min);
	return f->min == 1 && f->max == 65535 ? ref("port") : integer(f->min, f->max, NULL);
}

static json_t *schema_of_list(const struct field *f, bool must)
{
	switch (f->kind) {
	case FIELD_DEVICES:
		return list("dev", 0, TSW_UNDERLAYS, true);
	case FIELD_IPS:
		return list("ip", 0, TSW_ENDPOINT_IPS, true);
	case FIELD_VTEPS:
	case FIELD_SNATS:
	case FIELD_RESOLVERS:
		return list("ip", must, TSW_FAMILIES, false);
	case FIELD_CIDRS:
	case FIELD_NETWORKS:
	case FIELD_NETS:
		return list("prefix", must, TSW_GATEWAY_ADDRS, false);
	case FIELD_NAMES:
		return list("name", 0, TSW_GATEWAY_RANKS - 1, true);
	case FIELD_GROUPS:
		return list("name", 0, TSW_POLICY_MEMBER, true);
	case FIELD_VIPS:
		return list("ip", 0, TSW_VIPS, true);
	case FIELD_KEYS:
		return list("key", 0, TSW_CRYPT_PARITIES, true);
	case FIELD_CLOSED:
		return list("closed", 0, TSW_CLOSED_MOST + 1, true);
	case FIELD_LATER:
		return later(f->key, must);
	default:
		break; /* of commands alone */
	}
	fprintf(stderr, "%s: no schema for its kind\n", f->key);
	exit(1);
}

static json_t *schema_of(const struct field *f, bool host, bool must)
{
	switch (f->kind) {
	case FIELD_NAME:
	case FIELD_NEW_NAME:
		return ref(host ? "host_name" : "name");
	case FIELD_NUMBER:
	case FIELD_IF_NUMBER:
		return number(f);
	case FIELD_MTU:
		return json_pack("{s:[{s:i}, o]}", "anyOf", "const", 0,
				 integer(f->min, f->max, NULL));
	case FIELD_CHOICE:
	case FIELD_IF_CHOICE:
		return f->choices == word_protos ? ref("proto") : choice(f->choices);
	case FIELD_ON:
	case FIELD_IF_ON:
	case FIELD_IF_OFF:
		return json_pack("{s:s}", "type", "boolean");
	case FIELD_RATE:
		return ref("rate");
	case FIELD_SIZE:
		return ref("burst");
	case FIELD_LIMIT:
		return ref("share");
	case FIELD_ZONE:
		return json_pack("{s:s, s:i}", "type", "string", "maxLength", TSW_NAME_LEN - 1);
	case FIELD_DOMAIN:
		return json_pack("{s:s, s:i, s:s}", "type", "string", "maxLength", (int)DOMAIN_MAX,
				 "pattern",
				 "^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?"
				 "(\\.[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?)*$");
	case FIELD_LINE:
		return json_pack("{s:s, s:i}", "type", "string", "maxLength",
				 (int)sizeof(struct tsw_description) - 1);
	case FIELD_FILE:
		return string("^[!-~]{1,127}$");
	case FIELD_DEVICE:
		return ref("dev");
	case FIELD_MAC:
		return ref("mac");
	case FIELD_TARGET:
		return string("^([0-9.]+|\\[[0-9a-fA-F:.]+\\]):[0-9]+$");
	case FIELD_WHO:
		return json_pack("{s:[{s:s}, o, o]}", "anyOf", "const", "any",
				 string("^group:[^" HIDDEN "]+$"),
				 string("^cidr:[0-9a-fA-F:.]+/[0-9]+$"));
	case FIELD_PORTS:
		return string("^(any|[0-9]+(-[0-9]+)?)$");
	case FIELD_NAT_PORTS:
		return string("^(auto|[0-9]+-[0-9]+)$");
	default:
		return schema_of_list(f, must);
	}
}

/* ---- objects ---------------------------------------------------------------------------- */

#define RATE \
	"{\"burst\": {\"anyOf\": [{\"required\": [\"rate_out\"]}, {\"required\": [\"rate_in\"]}]}}"

static const struct object {
	const char *name;
	const struct json_keys *keys;
	const char *help;
	const char *defaults; /* JSON: key to value */
	const char *rules;    /* JSON: what is more to say of the object */
} objects[] = {
	{"switch", &switch_keys, "what `switch up` is told", "{}", "{}"},
	{"host", &host_keys, NULL, "{}", "{}"},
	{"tenant", &tenant_keys, NULL, "{\"encap\": \"vxlan\", \"broadcast\": true}",
	 "{\"if\": {\"not\": {\"properties\": {\"encap\": {\"const\": \"gre\"}},"
	 " \"required\": [\"encap\"]}}, \"then\": {\"properties\": {\"id\": {\"maximum\": 16777215}}},"
	 " \"dependentSchemas\": " RATE "}"},
	{"gateway", &gateway_keys, NULL, "{\"nat\": true}", "{}"},
	{"endpoint", &endpoint_keys, NULL, "{}",
	 "{\"dependentSchemas\": " RATE ", \"dependentRequired\": {\"to_dev\": [\"to_host\"]}}"},
	{"publish", &publish_keys, NULL, "{}", "{}"},
	{"policy", &policy_keys, "a rule: who of a tenant may talk to whom",
	 "{\"proto\": \"any\", \"port\": \"any\", \"action\": \"allow\", \"priority\": 1000,"
	 " \"log\": false}",
	 "{\"if\": {\"properties\": {\"proto\": {\"enum\": [\"any\", \"icmp\"]}}},"
	 " \"then\": {\"properties\": {\"port\": {\"const\": \"any\"}}}}"},
	{"peer", &peer_keys, "one half: what of `tenant` the other may reach", "{}",
	 "{\"dependentRequired\": {\"proto\": [\"port\"], \"port\": [\"proto\"]}}"},
};

static json_t *loads(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	if (!value)
		exit(1);
	return value;
}

static json_t *properties(const struct json_keys *keys, bool host, json_t *defaults,
			  json_t *required)
{
	json_t *all = json_object(), *one, *value;
	const struct field *f;
	bool must;
	size_t i;

	for (i = 0; keys->fields[i].key; i++) {
		f = &keys->fields[i];
		must = keys->must & FIELD(i);
		if (!(keys->may & FIELD(i)))
			continue;
		one = schema_of(f, host || !strcmp(f->key, "host"), must);
		value = json_object_get(defaults, f->key);
		if (value)
			json_object_set(one, "default", value);
		if (f->help)
			json_object_set_new(one, "description", json_string(f->help));
		json_object_set_new(all, f->key, one);
		if (must)
			json_array_append_new(required, json_string(f->key));
	}
	return all;
}

/* Takes what is in INTO already as what stands first. */
static void add_object(const struct json_keys *keys, const char *name, const char *defaults,
		       json_t *into)
{
	json_t *required = json_array(), *values = loads(defaults);
	json_t *all = properties(keys, !strcmp(name, "host"), values, required);

	json_object_set_new(into, "type", json_string("object"));
	if (json_array_size(required))
		json_object_set(into, "required", required);
	json_object_set_new(into, "additionalProperties", json_false());
	json_object_set_new(into, "properties", all);
	json_decref(required);
	json_decref(values);
}

static void add_words(json_t *defs)
{
	json_t *name = loads("{\"type\": \"string\", \"description\": \"1 to 63 octets without "
			     "control characters, blanks and slashes; not `.`, `..`, `help`, `-h`, "
			     "`--help`\", \"maxLength\": 63}");

	json_object_set_new(name, "pattern", json_string("^[^" HIDDEN "]+$"));
	json_object_set_new(defs, "name", name);
	json_object_set_new(defs, "host_name",
			    json_pack("{s:[o, {s:{s:s}}], s:s}", "allOf", ref("name"), "not",
				      "const", NO_HOST, "description", "of one in `hosts`"));
	json_object_set_new(defs, "dev",
			    json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1,
				      "maxLength", IFNAMSIZ - 1));
	json_object_set_new(defs, "ip",
			    json_pack("{s:s, s:[{s:s}, {s:s}]}", "type", "string", "anyOf",
				      "pattern", "^[0-9]+(\\.[0-9]+){3}$", "pattern",
				      "^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$"));
	json_object_set_new(defs, "prefix", string("^[0-9a-fA-F:.]+/[0-9]+$"));
	json_object_set_new(defs, "closed", string("^(default|[0-9a-fA-F:.]+(/[0-9]+)?)$"));
	json_object_set_new(defs, "mac", string("^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$"));
	json_object_set_new(defs, "port", integer(1, 65535, NULL));
	json_object_set_new(defs, "key", string("^[0-9A-Za-z+/]{42}[AEIMQUYcgkosw048]=$"));
	json_object_set_new(defs, "proto", choice(word_protos));
	json_object_set_new(defs, "rate", integer(RATE_MIN, RATE_MAX, "bits a second"));
	json_object_set_new(defs, "burst", integer(1, 4294967295, "octets; goes with a rate"));
	json_object_set_new(defs, "share",
			    integer(1, 4294967295, "at each gateway's host; 4294967295: no limit"));
}

/* ---- printing: an object that fits its line is one ---------------------------------------- */

static void print(const json_t *value, int depth)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY);
	const char *before = "{\n", *key;
	json_t *one;

	if (!json_is_object(value) || (depth && strlen(text) + 2 * (size_t)depth <= 90)) {
		fputs(text, stdout);
		free(text);
		return;
	}
	free(text);
	json_object_foreach((json_t *)value, key, one) {
		printf("%s%*s\"%s\": ", before, 2 * depth + 2, "", key);
		print(one, depth + 1);
		before = ",\n";
	}
	printf("\n%*s}", 2 * depth, "");
}

int main(void)
{
	json_t *file = json_object(), *defs = json_object();
	const struct object *o;

	json_object_set_new(file, "$schema",
			    json_string("https://json-schema.org/draft/2020-12/schema"));
	json_object_set_new(file, "title",
			    json_string("The state of tenant-switch, as `tsw save` prints and "
					"`tsw apply` reads it"));
	add_object(&file_keys, "file", "{}", file);
	add_words(defs);
	for (o = objects; o < objects + sizeof(objects) / sizeof(objects[0]); o++) {
		json_t *one = json_object();

		add_object(o->keys, o->name, o->defaults, one);
		if (o->help)
			json_object_set_new(one, "description", json_string(o->help));
		json_object_update_new(one, loads(o->rules));
		json_object_set_new(defs, o->name, one);
	}
	json_object_set_new(file, "$defs", defs);
	print(file, 0);
	putchar('\n');
	json_decref(file);
	return fflush(stdout) ? 1 : 0;
}
