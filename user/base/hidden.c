// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "base/utf8.h"

/*
 * Unicode 16: general categories Cc, Cf, Zl, Zp and Zs, the property Default_Ignorable_Code_Point,
 * and U+2800, which looks like a blank. In order.
 */
static const struct range {
	__u32 first, last;
} hidden[] = {
	{0x0, 0x1f},	    {0x7f, 0xa0},	{0xad, 0xad},	    {0x34f, 0x34f},
	{0x600, 0x605},	    {0x61c, 0x61c},	{0x6dd, 0x6dd},	    {0x70f, 0x70f},
	{0x890, 0x891},	    {0x8e2, 0x8e2},	{0x115f, 0x1160},   {0x1680, 0x1680},
	{0x17b4, 0x17b5},   {0x180b, 0x180f},	{0x2000, 0x200f},   {0x2028, 0x202f},
	{0x205f, 0x206f},   {0x2800, 0x2800},	{0x3000, 0x3000},   {0x3164, 0x3164},
	{0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},
	{0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

enum { RANGES = sizeof(hidden) / sizeof(hidden[0]), ASCII_END = 0x7f };

bool is_hidden(__u32 character)
{
	size_t low = 0, high = RANGES, half;

	if (character >= ' ' && character < ASCII_END)
		return false;
	if ((character & 0xfffe) == 0xfffe) /* no characters, in each plane */
		return true;
	while (low < high) {
		half = (low + high) / 2;
		if (hidden[half].last < character)
			low = half + 1;
		else
			high = half;
	}
	return low < RANGES && hidden[low].first <= character;
}

__u32 hidden_in(const char *text)
{
	__u32 character;
	size_t len;

	while ((len = utf8_next(text, &character))) {
		if (is_hidden(character))
			return character;
		text += len;
	}
	return 0;
}

static size_t show_one(const char **text, char out[ESCAPE_LEN])
{
	__u32 character;
	size_t len = utf8_next(*text, &character);

	if (!len || is_hidden(character))
		return (size_t)snprintf(out, ESCAPE_LEN, "\\x%02x", (unsigned char)*(*text)++);
	memcpy(out, *text, len);
	*text += len;
	return len;
}

const char *hidden_shown(const char *text, char *out, size_t room)
{
	return text_escape(text, show_one, out, room);
}
