// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "state/json_read.h"
#include "base/parse.h"
#include "base/text.h"

enum { PATH_LEN = 256 };

/* How long PATH is now. */
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
						: "what is there";

	free(text);
	return out;
}

static int wrong(const json_t *value, const struct json_at *at, const char *what)
{
	misuse("%s is not %s", shown(value), what);
	return json_where(at);
}

static int unknown_key(const json_t *value, const struct json_at *at,
		       const struct json_field *fields)
{
	const struct json_field *f;
	json_t *unused;
	const char *key;

	json_object_foreach((json_t *)value, key, unused) {
		for (f = fields; f->key && strcmp(f->key, key); f++)
			;
		if (f->key)
			continue;
		misuse("the key %s is not known; there are %s", quoted(key), fields->key);
		for (f = fields + 1; f->key; f++)
			fail_more(", %s", f->key);
		break;
	}
	return json_where(at);
}

int json_read_object(const json_t *value, const struct json_at *at, const struct json_field *fields,
		     void *to)
{
	const struct json_field *f;
	size_t n = 0;
	int err;

	if (!json_is_object(value))
		return wrong(value, at, "an object");
	for (f = fields; f->key; f++)
		n += json_object_get(value, f->key) != NULL;
	if (n != json_object_size(value))
		return unknown_key(value, at, fields);
	for (f = fields; f->key; f++) {
		const struct json_at here = {.up = at, .key = f->key};
		const json_t *field = json_object_get(value, f->key);

		if (!field && f->must) {
			misuse("\"%s\" is missing", f->key);
			return json_where(at);
		}
		err = field ? f->read(field, &here, f, (char *)to + f->offset) : 0;
		if (err)
			return err;
	}
	return 0;
}

int json_read_list(const json_t *value, const struct json_at *at, json_reader *item, void *to)
{
	size_t i;
	json_t *each;
	int err;

	if (!json_is_array(value))
		return wrong(value, at, "a list");
	json_array_foreach(value, i, each) {
		const struct json_at here = {.up = at, .index = i};

		err = item(each, &here, NULL, to);
		if (err)
			return err;
	}
	return 0;
}

int json_read_text(const json_t *value, const struct json_at *at, const char **text)
{
	*text = json_string_value(value);
	return *text ? 0 : wrong(value, at, "a string");
}

/* The json_reader NAME: a text that PARSE, of parse.h, takes. */
#define JSON_READER(name, parse)                                                            \
	int name(const json_t *value, const struct json_at *at, const struct json_field *f, \
		 void *to)                                                                  \
	{                                                                                   \
		const char *text;                                                           \
		int err = json_read_text(value, at, &text);                                 \
                                                                                            \
		(void)f;                                                                    \
		if (err)                                                                    \
			return err;                                                         \
		return parse(text, to) ? json_where(at) : 0;                                \
	}

JSON_READER(json_read_name, parse_name)
JSON_READER(json_read_mac, parse_mac)
JSON_READER(json_read_target, parse_target)

int json_read_device(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	const char *text;
	size_t length;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	length = strlen(text);
	if (!length || length >= IFNAMSIZ) {
		misuse("%s is no device's name: 1 to %d octets", quoted(text), IFNAMSIZ - 1);
		return json_where(at);
	}
	memcpy(to, text, length + 1);
	return 0;
}

int json_read_number64(const json_t *value, const struct json_at *at, const struct json_field *f,
		       void *to)
{
	const json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (__u64)n < f->min || (__u64)n > f->max) {
		misuse("%s is not a number from %" PRIu64 " to %" PRIu64, shown(value),
		       (uint64_t)f->min, (uint64_t)f->max);
		return json_where(at);
	}
	*(__u64 *)to = (__u64)n;
	return 0;
}

int json_read_number(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	__u64 n;
	int err = json_read_number64(value, at, f, &n);

	if (!err)
		*(__u32 *)to = (__u32)n;
	return err;
}

int json_read_bool(const json_t *value, const struct json_at *at, const struct json_field *f,
		   void *to)
{
	(void)f;
	if (!json_is_boolean(value))
		return wrong(value, at, "true or false");
	*(bool *)to = json_is_true(value);
	return 0;
}

int json_read_choice(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	const char *text;
	int err = json_read_text(value, at, &text);

	if (err)
		return err;
	return parse_choice(text, f->choices, to) ? json_where(at) : 0;
}

int json_skip(const json_t *value, const struct json_at *at, const struct json_field *f, void *to)
{
	(void)value, (void)at, (void)f, (void)to;
	return 0;
}
