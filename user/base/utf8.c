// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/utf8.h"

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t utf8_next(const char *text, __u32 *character)
{
	static const __u32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *t = (const unsigned char *)text;
	size_t len, i;

	if (!t[0])
		return 0;
	if (t[0] < 0x80) {
		*character = t[0];
		return 1;
	}
	len = (t[0] & 0xe0) == 0xc0 ? 2 : (t[0] & 0xf0) == 0xe0 ? 3 : (t[0] & 0xf8) == 0xf0 ? 4 : 0;
	if (!len)
		return 0;
	*character = t[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((t[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (t[i] & 0x3f);
	}
	if (*character < least[len] || *character > 0x10ffff || (*character >> 11) == 0x1b)
		return 0;
	return len;
}

bool text_is_utf8(const char *text)
{
	__u32 unused;
	size_t len;

	while ((len = utf8_next(text, &unused)))
		text += len;
	return !*text;
}

void text_cut(char *text, size_t len)
{
	size_t end = len - sizeof("...");

	while (end && (text[end] & 0xc0) == 0x80)
		end--;
	memcpy(text + end, "...", sizeof("..."));
}

const char *text_escape(const char *text, escape_fn *one, char *out, size_t room)
{
	char next[ESCAPE_LEN];
	size_t used = 0, len;

	while (*text) {
		len = one(&text, next);
		if (used + len >= room)
			break;
		memcpy(out + used, next, len);
		used += len;
	}
	out[used] = '\0';
	return out;
}
