// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/closed.h"
#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/key.h"
#include "base/parse.h"
#include "base/text.h"

enum { PATH_LEN = 256 };

/* ---- where and why ---------------------------------------------------------------- */

/* Returns the length of PATH. */
static size_t write_path(const struct json_at *at, char path[PATH_LEN])
{
	size_t used = at->up ? write_path(at->up, path) : 0;
	int n;

	if (at->key)
		n = snprintf(path + used, PATH_LEN - used, "%s%s", used ? "." : "",
			     escaped(at->key));
	else
		n = snprintf(path + used, PATH_LEN - used, "[%zu]", at->index);
	return used + (size_t)n < PATH_LEN ? used + (size_t)n : PATH_LEN - 1;
}

int json_where(const struct json_at *at)
{
	char path[PATH_LEN];

	if (at && write_path(at, path))
		fail_where("%s: ", path);
	return -EINVAL;
}

/* As the user wrote it, or as much of it as fits a message. */
static const char *shown(const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	const char *out = json_is_string(value) ? quoted(json_string_value(value))
			  : text		? escaped(text)
						: "the value";

	free(text);
	return out;
}

static int wrong(const json_t *value, const char *what)
{
	return misuse("%s is not %s", shown(value), what);
}

static int unknown_key(const json_t *value, const struct field *fields, __u64 may)
{
	const char *key, *before = "";
	json_t *unused;
	size_t i;

	json_object_foreach((json_t *)value, key, unused) {
		for (i = 0; fields[i].key; i++)
			if (may & FIELD(i) && !strcmp(fields[i].key, key))
				break;
		if (!fields[i].key)
			break;
	}
	misuse("unknown key %s; use one of: ", quoted(key));
	for (i = 0; fields[i].key; i++)
		if (may & FIELD(i)) {
			fail_more("%s%s", before, fields[i].key);
			before = ", ";
		}
	return -EINVAL;
}

/* ---- reading ---------------------------------------------------------------------- */

static int read_number(const json_t *value, __u64 least, __u64 most, __u64 *n)
{
	*n = (__u64)json_integer_value(value);
	if (json_is_integer(value) && json_integer_value(value) >= 0 && *n >= least && *n <= most)
		return 0;
	return misuse("%s is not a number from %" PRIu64 " to %" PRIu64, shown(value),
		      (uint64_t)least, (uint64_t)most);
}

static int read_short(const json_t *value, __u32 least, __u32 most, __u32 *to)
{
	__u64 n;
	int err = read_number(value, least, most, &n);

	if (!err)
		*to = (__u32)n;
	return err;
}

static int read_mtu(const struct field *f, const json_t *value, __u32 *mtu)
{
	int err = read_short(value, 0, f->max, mtu);

	if (err || !*mtu || *mtu >= f->min)
		return err;
	return misuse("%u is not a number from %u to %u, or 0", *mtu, f->min, f->max);
}

/* A file defines what it names, so names of older versions are refused wherever they stand. */
static int read_text(const struct field *f, const json_t *value, void *object)
{
	const char *text = json_string_value(value);

	if (!text)
		return wrong(value, "a string");
	return f->kind == FIELD_NAME ? parse_name(text, (void *)((char *)object + f->offset))
				     : field_read(f, text, object);
}

static int read_scalar(const struct field *f, const json_t *value, void *object)
{
	void *to = (char *)object + f->offset;

	switch (f->kind) {
	case FIELD_NUMBER:
	case FIELD_IF_NUMBER:
		return read_short(value, f->min, f->max, to);
	case FIELD_SIZE:
	case FIELD_LIMIT:
		return read_short(value, 1, 0xffffffffU, to);
	case FIELD_RATE:
		return read_number(value, RATE_MIN, RATE_MAX, to);
	case FIELD_MTU:
		return read_mtu(f, value, to);
	case FIELD_ON:
	case FIELD_IF_ON:
	case FIELD_IF_OFF:
		if (!json_is_boolean(value))
			return wrong(value, "true or false");
		*(bool *)to = json_is_true(value);
		return 0;
	default:
		return read_text(f, value, object);
	}
}

/* Replaces the list as a whole. */
static int read_list(const struct field *f, const json_t *value, const struct json_at *at,
		     void *object)
{
	json_t *item;
	size_t i;

	if (!json_is_array(value)) {
		wrong(value, "a list");
		return json_where(at);
	}
	field_clear(f, object);
	if (f->kind == FIELD_CLOSED && !json_array_size(value))
		return field_read(f, CLOSED_NONE, object);
	json_array_foreach(value, i, item) {
		const struct json_at here = {.up = at, .index = i};

		if (read_text(f, item, object))
			return json_where(&here);
	}
	return 0;
}

static int read_field(const struct field *f, const json_t *value, const struct json_at *at,
		      void *object)
{
	if (f->kind == FIELD_LATER)
		return 0;
	if (field_is_list(f))
		return read_list(f, value, at, object);
	return read_scalar(f, value, object) ? json_where(at) : 0;
}

int fields_read(const json_t *value, const struct json_at *at, struct json_keys keys, void *object,
		__u64 *given)
{
	const struct field *fields = keys.fields;
	__u64 there = 0;
	size_t i;

	if (!json_is_object(value)) {
		wrong(value, "an object");
		return json_where(at);
	}
	for (i = 0; fields[i].key; i++)
		if (keys.may & FIELD(i) && json_object_get(value, fields[i].key))
			there |= FIELD(i);
	if ((size_t)__builtin_popcountll(there) != json_object_size(value)) {
		unknown_key(value, fields, keys.may);
		return json_where(at);
	}
	for (i = 0; fields[i].key; i++) {
		const struct json_at here = {.up = at, .key = fields[i].key};

		if (keys.must & ~there & FIELD(i)) {
			misuse("\"%s\" is missing", fields[i].key);
			return json_where(at);
		}
		if (there & FIELD(i) &&
		    read_field(&fields[i], json_object_get(value, fields[i].key), &here, object))
			return -EINVAL;
	}
	if (given)
		*given = there;
	return 0;
}

int json_each(const json_t *value, const struct json_at *up, const char *key, json_item *read,
	      void *to)
{
	const struct json_at list = {.up = up, .key = key};
	json_t *item;
	size_t i;
	int err;

	value = json_object_get(value, key);
	if (!value)
		return 0;
	if (!json_is_array(value)) {
		wrong(value, "a list");
		return json_where(&list);
	}
	json_array_foreach(value, i, item) {
		const struct json_at here = {.up = &list, .index = i};

		err = read(item, &here, to);
		if (err)
			return err;
	}
	return 0;
}

/* ---- writing ---------------------------------------------------------------------- */

static const char *own_text(const void *at)
{
	return at;
}

static const char *addr_of(const void *at)
{
	return addr_text(at);
}

static const char *key_of(const void *at)
{
	return key_text(((const struct tsw_key *)at)->octet);
}

static const char *prefix_of(const void *at)
{
	return prefix_text(at);
}

/* The preferred address first. */
static json_t *pair_json(const struct tsw_addr_pair *pair)
{
	const int first = pair->preferred == TSW_IPV6 ? TSW_IPV6 : TSW_IPV4;
	const int order[] = {first, first == TSW_IPV4 ? TSW_IPV6 : TSW_IPV4};
	json_t *list = json_array();
	int i;

	for (i = 0; i < TSW_FAMILIES; i++)
		if (!addr_is_none(&pair->of[order[i]]))
			json_array_append_new(list, json_string(addr_text(&pair->of[order[i]])));
	return list;
}

static json_t *list_json(const struct field *f, const void *at)
{
	static const char *(*const text[])(const void *) = {
		[FIELD_DEVICES] = own_text,   [FIELD_IPS] = addr_of,	[FIELD_CIDRS] = prefix_of,
		[FIELD_NETWORKS] = prefix_of, [FIELD_NAMES] = own_text, [FIELD_NETS] = prefix_of,
		[FIELD_GROUPS] = own_text,    [FIELD_KEYS] = key_of,	[FIELD_VIPS] = addr_of,
	};
	const struct field_items items = field_items(f, (const char *)at - f->offset);
	json_t *list;
	__u32 i;

	if (!items.size)
		return pair_json(at);
	list = json_array();
	for (i = 0; i < items.n; i++)
		json_array_append_new(list, json_text(text[f->kind](items.at + i * items.size)));
	return list;
}

static json_t *text_json(const char *text)
{
	return *text ? json_text(text) : NULL;
}

static json_t *number_json(__u64 n)
{
	return n ? json_integer((json_int_t)n) : NULL;
}

static json_t *target_json(const struct tsw_target *to)
{
	return json_string(target_text(&to->addr, to->port));
}

static json_t *choice_json(const struct field *f, __u32 value)
{
	return f->kind == FIELD_IF_CHOICE && !value ? NULL : json_string(f->choices[value]);
}

/* NULL: the key is left out. */
static json_t *value_json(const struct field *f, const void *at)
{
	switch (f->kind) {
	case FIELD_NAME:
	case FIELD_NEW_NAME:
	case FIELD_ZONE:
	case FIELD_DOMAIN:
	case FIELD_DEVICE:
	case FIELD_LINE:
	case FIELD_FILE:
		return text_json(at);
	case FIELD_NUMBER:
	case FIELD_IF_NUMBER:
	case FIELD_MTU:
	case FIELD_SIZE:
	case FIELD_LIMIT:
		return number_json(*(const __u32 *)at);
	case FIELD_RATE:
		return number_json(*(const __u64 *)at);
	case FIELD_CHOICE:
	case FIELD_IF_CHOICE:
		return choice_json(f, *(const __u32 *)at);
	case FIELD_ON:
		return json_boolean(*(const bool *)at);
	case FIELD_IF_ON:
		return *(const bool *)at ? json_true() : NULL;
	case FIELD_IF_OFF:
		return *(const bool *)at ? NULL : json_false();
	case FIELD_MAC:
		return json_string(mac_text(at));
	case FIELD_IP:
		return json_string(addr_text(at));
	case FIELD_TARGET:
		return target_json(at);
	case FIELD_WHO:
		return json_text(who_text(at));
	case FIELD_PORTS:
		return json_string(ports_text(at));
	case FIELD_NAT_PORTS:
		return field_is_empty(f, (const char *)at - f->offset)
			       ? NULL
			       : json_string(ports_text(at));
	case FIELD_TEXT:
		return text_json(*(const char *const *)at);
	case FIELD_NETS:
	case FIELD_NAMES:
	case FIELD_GROUPS:
	case FIELD_VIPS:
	case FIELD_KEYS:
	case FIELD_RESOLVERS:
		return field_is_empty(f, (const char *)at - f->offset) ? NULL : list_json(f, at);
	case FIELD_CLOSED:
		return closed_json(at);
	case FIELD_LATER:
	case FIELD_FLAG:
		return NULL;
	default:
		return list_json(f, at);
	}
}

json_t *fields_json(const struct field *fields, __u64 mask, const void *object)
{
	json_t *json = json_object(), *value;
	size_t i;

	for (i = 0; fields[i].key; i++) {
		value = mask & FIELD(i)
				? value_json(&fields[i], (const char *)object + fields[i].offset)
				: NULL;
		if (value)
			json_object_set_new(json, fields[i].key, value);
	}
	return json;
}

void fields_add(const struct field *fields, __u64 mask, const void *object, json_t *json)
{
	json_t *more = fields_json(fields, mask, object);

	json_object_update(json, more);
	json_decref(more);
}
