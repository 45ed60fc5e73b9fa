// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "base/utf8.h"
#include "tools/place/shell.h"

/* The word with hidden characters as visible escapes. */
static void shell_escaped(const char *text, char *word, size_t len)
{
	size_t used = (size_t)snprintf(word, len, "$'"), n;
	__u32 character;
	char one[5];

	for (; (n = utf8_next(text, &character)) && used + 4 * n + 2 < len; text += n) {
		snprintf(one, sizeof(one), "%.*s", (int)n, text);
		if (character == '\'' || character == '\\')
			word[used++] = '\\';
		used += strlen(hidden_shown(one, word + used, len - used));
	}
	snprintf(word + used, len - used, "'");
}

void shell_word(const char *text, char *word, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.,:@%+";
	size_t used = 0;

	if (!text[strspn(text, plain)]) {
		snprintf(word, len, "%s", text);
		return;
	}
	if (hidden_in(text)) {
		shell_escaped(text, word, len);
		return;
	}
	word[used++] = '\'';
	for (; *text && used + 6 < len; text++)
		used += (size_t)snprintf(word + used, len - used, *text == '\'' ? "'\\''" : "%c",
					 *text);
	snprintf(word + used, len - used, "'");
}
