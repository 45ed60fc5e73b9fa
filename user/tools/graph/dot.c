// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "base/utf8.h"
#include "tools/graph/dot.h"

enum { LABEL_LEN = 512 };

/* Easy to tell apart (0.1 in Oklab), with a contrast of 6 to black. */
static const char *const colours[DOT_COLOURS] = {
	"#f08070", "#40e040", "#4090f0", "#e040f0", "#40e0f0", "#40a070", "#f0d060",
	"#d0b0f0", "#a080a0", "#b0b090", "#f050a0", "#a070f0", "#b08040", "#90f0a0",
	"#f0d0d0", "#f080f0", "#50b0c0", "#a0c040", "#40d0a0", "#f0a040",
};

/* In a label a backslash begins an escape, and & an entity of HTML. */
static size_t escape_one(const char **text, char out[ESCAPE_LEN])
{
	__u32 character;
	size_t len = utf8_next(*text, &character);

	if (!len || is_hidden(character))
		return (size_t)snprintf(out, ESCAPE_LEN, "\\\\x%02x", (unsigned char)*(*text)++);
	*text += len;
	if (character == '"' || character == '\\')
		return (size_t)snprintf(out, ESCAPE_LEN, "\\%c", (char)character);
	if (character == '&')
		return (size_t)snprintf(out, ESCAPE_LEN, "&amp;");
	memcpy(out, *text - len, len);
	return len;
}

const char *dot_escape(const char *text, char *out, size_t room)
{
	return text_escape(text, escape_one, out, room);
}

const char *dot_label(const char *text)
{
	static char out[2][LABEL_LEN];
	static unsigned int next;

	next = !next;
	return dot_escape(text, out[next], LABEL_LEN);
}

/* Ids are often consecutive or round numbers, so neighbours of both kinds are spread. */
static unsigned int first_choice(__u32 id)
{
	return (id * 2654435761U >> 16) % DOT_COLOURS;
}

void dot_colours(const __u32 *ids, size_t n, unsigned char *slot)
{
	bool taken[DOT_COLOURS] = {};
	unsigned int choice, tries;
	size_t i;

	for (i = 0; i < n; i++) {
		choice = first_choice(ids[i]);
		for (tries = 0; taken[choice] && tries < DOT_COLOURS; tries++)
			choice = (choice + 1) % DOT_COLOURS;
		taken[choice] = true;
		slot[i] = (unsigned char)choice;
	}
}

const char *dot_colour(unsigned char slot)
{
	return colours[slot % DOT_COLOURS];
}
