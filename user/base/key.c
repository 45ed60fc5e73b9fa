// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/err.h"
#include "base/key.h"
#include "base/text.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { BITS = 6, DIGITS = 43, TEXTS = 4 }; /* 43 digits hold two bits more than a key; then '=' */

void key_write(const __u8 key[TSW_CRYPT_KEY], char to[KEY_TEXT])
{
	unsigned int bits = 0, i;
	__u32 held = 0;
	char *at = to;

	for (i = 0; i < TSW_CRYPT_KEY; i++) {
		held = held << 8 | key[i];
		for (bits += 8; bits >= BITS; bits -= BITS)
			*at++ = digits[held >> (bits - BITS) & 63];
	}
	*at++ = digits[held << (BITS - bits) & 63];
	*at++ = '=';
	*at = '\0';
}

const char *key_text(const __u8 key[TSW_CRYPT_KEY])
{
	static _Thread_local char text[TEXTS][KEY_TEXT];
	static _Thread_local int next;
	char *out = text[next++ % TEXTS];

	key_write(key, out);
	return out;
}

bool key_read(const char *text, __u8 key[TSW_CRYPT_KEY])
{
	unsigned int bits = 0, i, n = 0;
	const char *digit;
	__u32 held = 0;

	if (strlen(text) != DIGITS + 1 || text[DIGITS] != '=')
		return false;
	for (i = 0; i < DIGITS; i++) {
		digit = strchr(digits, text[i]);
		if (!digit)
			return false;
		held = held << BITS | (__u32)(digit - digits);
		bits += BITS;
		if (bits < 8)
			continue;
		bits -= 8;
		key[n++] = (__u8)(held >> bits);
	}
	return !(held & ((1U << bits) - 1));
}

bool key_is_none(const __u8 key[TSW_CRYPT_KEY])
{
	static const __u8 none[TSW_CRYPT_KEY];

	return key_equal(key, none);
}

bool key_equal(const __u8 a[TSW_CRYPT_KEY], const __u8 b[TSW_CRYPT_KEY])
{
	return !memcmp(a, b, TSW_CRYPT_KEY);
}

int parse_key(const char *text, struct tsw_key *key)
{
	if (!key_read(text, key->octet))
		return misuse(
			"%s is not a key: use 32 octets in base64 (44 characters), as `switch "
			"show` prints them",
			quoted(text));
	return key_is_none(key->octet) ? misuse("%s is not a host's key: it is zero", quoted(text))
				       : 0;
}
