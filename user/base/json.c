// SPDX-License-Identifier: GPL-2.0-only
#include "base/hidden.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

json_t *json_text(const char *text)
{
	return json_string(text) ?: json_string(escaped(text));
}

json_t *json_text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}

json_t *json_addrs(const struct tsw_addr of[TSW_FAMILIES])
{
	json_t *list = json_array();
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&of[family]))
			json_array_append_new(list, json_string(addr_text(&of[family])));
	return list;
}

const char *json_text_in(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* RFC 8259 section 7: beyond U+FFFF as a pair of surrogates. */
static void print_code(FILE *file, __u32 character)
{
	if (character > 0xffff)
		fprintf(file, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10),
			0xdc00 + (character & 0x3ff));
	else
		fprintf(file, "\\u%04x", character);
}

/* Only strings of JSON have characters beyond ASCII, so each of those may become an escape. */
void json_write(FILE *file, const char *text, const char *indent)
{
	const char *from = text; /* the first octet that is not printed yet */
	__u32 character;
	size_t len;

	while ((len = utf8_next(text, &character))) {
		text += len;
		if (character != '\n' && (character < 0x7f || !is_hidden(character)))
			continue;
		fwrite(from, 1, (size_t)(text - from) - (character == '\n' ? 0 : len), file);
		if (character == '\n')
			fputs(indent, file);
		else
			print_code(file, character);
		from = text;
	}
	fputs(from, file);
}
