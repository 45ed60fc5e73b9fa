// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hidden.h"
#include "base/json.h"
#include "cli/out.h"
#include "cli/terminal.h"
#include "record/fields.h"

static void print_json(const struct out *out, const json_t *value, const char *indent)
{
	char *text = json_dumps(value, out->pretty ? JSON_INDENT(2) : JSON_COMPACT);

	if (text)
		json_write(stdout, text, indent);
	free(text);
}

/* A name that an older version took may have hidden characters. */
static void print_string(const char *text)
{
	const size_t room = strlen(text) * sizeof("\\xff") + 1;
	char *shown = hidden_in(text) ? malloc(room) : NULL;

	fputs(shown ? hidden_shown(text, shown, room) : text, stdout);
	free(shown);
}

/* Free text stands in quotes, because it could look like the fields that follow. */
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void print_scalar(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		print_string(json_string_value(value));
		break;
	case JSON_INTEGER:
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_TRUE:
		printf("on");
		break;
	case JSON_FALSE:
		printf("off");
		break;
	default:
		printf("-");
	}
}

struct unit {
	const char *word;
	json_int_t factor;
};

/* Prints the value in the largest unit that divides it. The last unit is 1. */
static void print_quantity(json_int_t value, const struct unit *unit)
{
	while (value % unit->factor)
		unit++;
	printf("%" JSON_INTEGER_FORMAT "%s", value / unit->factor, unit->word);
}

/* Units that parse_rate() and parse_size() read. */
static const struct unit rate_units[] = {
	{"tbit", 1000000000000}, {"gbit", 1000000000}, {"mbit", 1000000},
	{"kbit", 1000},		 {"bit", 1},
};
static const struct unit size_units[] = {{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"", 1}};

static bool takes_none(enum field_kind kind)
{
	return kind == FIELD_RATE || kind == FIELD_SIZE || kind == FIELD_LIMIT ||
	       kind == FIELD_MTU || kind == FIELD_IF_NUMBER;
}

/* Prints a value in the form that a command takes. FIELD is NULL if no command takes it. */
static void print_value(const struct field *field, const json_t *value)
{
	if (field && json_is_null(value) && takes_none(field->kind))
		printf("none");
	else if (field && field->kind == FIELD_RATE && json_is_integer(value))
		print_quantity(json_integer_value(value), rate_units);
	else if (field && field->kind == FIELD_SIZE && json_is_integer(value))
		print_quantity(json_integer_value(value), size_units);
	else if (field && (field->kind == FIELD_LINE || field->kind == FIELD_FILE) &&
		 json_is_string(value))
		print_quoted(json_string_value(value));
	else
		print_scalar(value);
}

/* The word of a key has - for each _. */
static void print_key(const char *key)
{
	for (; *key; key++)
		putchar(*key == '_' ? '-' : *key);
	putchar(' ');
}

static void print_field(const char *key, const json_t *value, bool *first, bool lead)
{
	if (!*first)
		putchar(' ');
	if (!*first || !lead)
		print_key(key);
	print_value(field_of_key(key), value);
	*first = false;
}

/* Whether the value gets lines of its own: an object, or a list of objects. */
static bool is_nested(const json_t *value)
{
	return json_is_object(value) || json_is_object(json_array_get(value, 0));
}

/* Prints the fields of one level on a line. The key of a list is repeated for each item. */
static void print_fields(json_t *object, bool lead)
{
	const char *key;
	json_t *value, *item;
	bool first = true;
	size_t i;

	json_object_foreach(object, key, value) {
		if (is_nested(value))
			continue;
		if (json_is_array(value)) {
			json_array_foreach(value, i, item)
				print_field(key, item, &first, false);
		} else {
			print_field(key, value, &first, lead);
		}
	}
	putchar('\n');
}

static void print_line(const char *key, json_t *object)
{
	printf("    ");
	print_key(key);
	print_fields(object, false);
}

static void print_nested(const char *key, json_t *value)
{
	json_t *item;
	size_t i;

	if (json_is_object(value))
		print_line(key, value);
	else if (is_nested(value))
		json_array_foreach(value, i, item)
			print_line(key, item);
}

static void print_text(json_t *object, bool lead)
{
	const char *key;
	json_t *value;

	print_fields(object, lead);
	json_object_foreach(object, key, value)
		print_nested(key, value);
}

/* Each field has a line. An empty list has none. */
static void print_block(json_t *object)
{
	const char *key;
	json_t *value, *one;

	json_object_foreach(object, key, value) {
		one = json_pack("{s:O}", key, value);
		if (is_nested(value))
			print_nested(key, value);
		else if (!json_is_array(value) || json_array_size(value))
			print_fields(one, false);
		json_decref(one);
	}
}

void out_lines(const char *word, const json_t *list, size_t most, size_t bad)
{
	const size_t n = json_array_size(list);
	json_t *item;
	size_t i;

	progress_wait();
	json_array_foreach(list, i, item) {
		if (i == most)
			break;
		printf("%s%s%s ", i < bad ? colour(stdout, COLOUR_BAD) : "", word,
		       i < bad ? colour(stdout, COLOUR_NONE) : "");
		print_fields(item, true);
	}
	if (n > most)
		printf("%s ... and %zu more\n", word, n - most);
}

void out_list_begin(struct out *out)
{
	progress_wait();
	out->open = true;
	out->begun = false;
	if (out->json)
		putchar('[');
}

void out_item(struct out *out, json_t *item)
{
	if (!out->json) {
		print_text(item, true);
	} else {
		printf("%s%s", out->begun ? "," : "", out->pretty ? "\n  " : "");
		print_json(out, item, "  ");
	}
	out->begun = true;
	json_decref(item);
}

void out_list_end(struct out *out)
{
	out->open = false;
	if (out->json)
		printf("%s]\n", out->pretty && out->begun ? "\n" : "");
}

void out_list(struct out *out, json_t *list)
{
	json_t *item;
	size_t i;

	out_list_begin(out);
	json_array_foreach(list, i, item)
		out_item(out, json_incref(item));
	out_list_end(out);
	json_decref(list);
}

void out_block(struct out *out, json_t *object)
{
	if (out->json) {
		out_object(out, object);
		return;
	}
	progress_wait();
	print_block(object);
	json_decref(object);
}

void out_object(struct out *out, json_t *object)
{
	progress_wait();
	if (out->json && out->open) {
		out_item(out, json_incref(object));
		out_list_end(out);
	} else if (!out->json) {
		print_text(object, false);
	} else {
		print_json(out, object, "");
		putchar('\n');
	}
	json_decref(object);
}

int out_flush(void)
{
	errno = 0; /* the cause of an earlier failure is not known any more */
	if (fflush(stdout) || ferror(stdout))
		return fail(errno ? errno : EIO, "cannot write the output: %s",
			    strerror(errno ? errno : EIO));
	return 0;
}
