// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tools/metrics/expo.h"

enum { VALUE_LEN = 1024, NS = 1000000000 };

static const char *const types[] = {[EXPO_GAUGE] = "gauge", [EXPO_COUNTER] = "counter"};

void expo_begin(struct expo *x, const char *name, enum expo_type type, const char *help)
{
	x->name = name;
	if (!x->out->json) {
		printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, types[type]);
		return;
	}
	x->samples = json_array();
	x->family = json_pack("{s:s, s:s, s:s, s:o}", "name", name, "type", types[type], "help",
			      help, "samples", x->samples);
}

void expo_end(struct expo *x)
{
	if (x->out->json)
		out_item(x->out, x->family);
}

void expo_label(struct expo *x, const char *key, const char *value)
{
	x->label[x->n].key = key;
	x->label[x->n++].value = value;
}

/* The format has three escapes. Text that is not UTF-8 and hidden characters become \xNN. */
static size_t escape_one(const char **text, char out[ESCAPE_LEN])
{
	__u32 character;
	size_t len = utf8_next(*text, &character);

	if (!len || (character != '\n' && is_hidden(character)))
		return (size_t)snprintf(out, ESCAPE_LEN, "\\\\x%02x", (unsigned char)*(*text)++);
	*text += len;
	if (character == '\n')
		return (size_t)snprintf(out, ESCAPE_LEN, "\\n");
	if (character == '"' || character == '\\')
		return (size_t)snprintf(out, ESCAPE_LEN, "\\%c", (char)character);
	memcpy(out, *text - len, len);
	return len;
}

void expo_escape(const char *text, char *out, size_t room)
{
	text_escape(text, escape_one, out, room);
}

static void print_label(const char *key, const char *value, const char *before)
{
	char text[VALUE_LEN];

	expo_escape(value, text, sizeof(text));
	printf("%s%s=\"%s\"", before, key, text);
}

static void print_labels(struct expo *x)
{
	unsigned int i;

	printf("%s", x->name);
	print_label("switch", x->instance, "{");
	for (i = 0; i < x->n; i++)
		print_label(x->label[i].key, x->label[i].value, ",");
	fputs("} ", stdout);
}

static void add_sample(struct expo *x, json_t *value)
{
	json_t *labels = json_pack("{s:o}", "switch", json_text(x->instance));
	unsigned int i;

	for (i = 0; i < x->n; i++)
		json_object_set_new(labels, x->label[i].key, json_text(x->label[i].value));
	json_array_append_new(x->samples,
			      json_pack("{s:o, s:o}", "labels", labels, "value", value));
}

void expo_value(struct expo *x, __u64 value)
{
	if (x->out->json) {
		add_sample(x, json_integer((json_int_t)value));
	} else {
		print_labels(x);
		printf("%" PRIu64 "\n", (uint64_t)value);
	}
	x->n = 0;
}

void expo_seconds(struct expo *x, __u64 ns)
{
	if (x->out->json) {
		add_sample(x, json_real((double)ns / NS));
	} else {
		print_labels(x);
		printf("%" PRIu64 ".%09" PRIu64 "\n", (uint64_t)(ns / NS), (uint64_t)(ns % NS));
	}
	x->n = 0;
}

void expo_of(struct expo *x, const char *key, const char *label, __u64 value)
{
	expo_label(x, key, label);
	expo_value(x, value);
}

static void print_one(struct expo *x, const char *name, enum expo_type type, const char *help,
		      __u64 value)
{
	expo_begin(x, name, type, help);
	expo_value(x, value);
	expo_end(x);
}

void expo_one(struct expo *x, const char *name, const char *help, __u64 value)
{
	print_one(x, name, EXPO_GAUGE, help, value);
}

void expo_total(struct expo *x, const char *name, const char *help, __u64 value)
{
	print_one(x, name, EXPO_COUNTER, help, value);
}
