// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "told.h"

#define HEAD4 (14 + 20 + 8) /* where DHCP begins */
#define FILE4 (HEAD4 + 108)
#define OPTIONS4 (HEAD4 + 240)
#define HEAD6 (14 + 40 + 8) /* where DHCPv6 begins */

static const char *const types[] = {"",	   "discover", "offer",	  "request", "decline",
				    "ack", "nak",      "release", "inform"};

static const char *ip4_text(const __u8 *octets)
{
	static char text[4][INET_ADDRSTRLEN];
	static int turn;

	turn = (turn + 1) % 4;
	return inet_ntop(AF_INET, octets, text[turn], INET_ADDRSTRLEN);
}

/*
 * Options from AT to END. 53 is the type; of the others code and value, in hexadecimal, in order.
 * The value of 52, where there is one, goes to *OVERLOAD.
 */
static bool tell_options(const struct frame *f, size_t at, size_t end, __u8 *overload, char *text)
{
	const __u8 *b = f->b;
	size_t i;

	while (at < end && b[at] != 255) {
		if (!b[at]) {
			at++;
			continue;
		}
		if (at + 2 > end || at + 2 + b[at + 1] > end)
			return false;
		if (b[at] == 52 && (b[at + 1] != 1 || *overload || !(*overload = b[at + 2])))
			return false;
		if (b[at] != 53) {
			told_say(text, " %u:", b[at]);
			for (i = 0; i < b[at + 1]; i++)
				told_say(text, "%02x", b[at + 2 + i]);
		}
		at += 2U + b[at + 1];
	}
	return at < end;
}

/* `file` has options, which are read behind the others, or a name: RFC 2131 4.1. */
static bool tell_all(const struct frame *f, char *text)
{
	const __u8 *server = f->b + HEAD4 + 20, *file = f->b + FILE4;
	const size_t len = strnlen((const char *)file, 128);
	__u8 overload = 0, again = 3;
	size_t i;

	if (told_word(server))
		told_say(text, " next %s", ip4_text(server));

	if (!tell_options(f, OPTIONS4, f->len, &overload, text) || overload > 1)
		return false;
	if (overload)
		return tell_options(f, FILE4, FILE4 + 128, &again, text);
	for (i = len; i < 128; i++)
		if (file[i])
			return false;
	if (len)
		told_say(text, " file %s", (const char *)file);
	return len < 128;
}

static __u32 pseudo4(const struct frame *f)
{
	__u8 octets[12] = {};

	memcpy(octets, f->b + 26, 8);
	octets[9] = 17;
	memcpy(octets + 10, f->b + 38, 2);
	return frame_sum(octets, sizeof(octets), 0);
}

bool told_dhcp(const struct frame *f, char *text)
{
	const __u8 *b = f->b, all[6] = {255, 255, 255, 255, 255, 255};
	__u8 a[6], type;

	frame_mac(a, MAC_A);
	if (f->len < OPTIONS4 + 4 || b[12] != 8 || b[14] != 0x45 || b[23] != 17 ||
	    memcmp(b + 34, "\0\x43\0\x44", 4) != 0 ||
	    ntohs(*(const __u16 *)(b + 16)) != f->len - 14 ||
	    ntohs(*(const __u16 *)(b + 38)) != f->len - 34 || frame_checksum(b + 14, 20, 0) ||
	    frame_checksum(b + 34, f->len - 34, pseudo4(f)) || b[HEAD4] != 2 ||
	    memcmp(b + HEAD4 + 28, a, 6) != 0 ||
	    memcmp(b + HEAD4 + 236, "\x63\x82\x53\x63", 4) != 0 || b[OPTIONS4] != 53 ||
	    f->len - HEAD4 < 300 || f->len > 14 + 576)
		return false;
	if (memcmp(b, a, 6) != 0 && memcmp(b, all, 6) != 0)
		return false;
	type = b[OPTIONS4 + 2];
	snprintf(text, TOLD_TEXT, "%s to %s%s of %s you %s ci %s", types[type & 7],
		 ip4_text(b + 30), b[0] == 255 ? " for all" : "", ip4_text(b + 26),
		 ip4_text(b + HEAD4 + 16), ip4_text(b + HEAD4 + 12));
	return tell_all(f, text);
}

/* ---- DHCPv6 ------------------------------------------------------------------------- */

static const char *ip6_text(const __u8 *octets)
{
	static char text[4][INET6_ADDRSTRLEN];
	static int turn;

	turn = (turn + 1) % 4;
	return inet_ntop(AF_INET6, octets, text[turn], INET6_ADDRSTRLEN);
}

__u16 told_half(const __u8 *b)
{
	return (__u16)(b[0] << 8 | b[1]);
}

__u32 told_word(const __u8 *b)
{
	return (__u32)told_half(b) << 16 | told_half(b + 2);
}

void told_say(char *text, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + len, TOLD_TEXT - len, fmt, args);
	va_end(args);
}

static bool tell_ia(const __u8 *b, size_t len, char *text)
{
	told_say(text, " ia %u %u %u", told_word(b), told_word(b + 4), told_word(b + 8));
	for (b += 12, len -= 12; len >= 28; b += 28, len -= 28) {
		if (told_half(b) != 5 || told_half(b + 2) != 24 ||
		    told_word(b + 20) != told_word(b + 24))
			return false;
		told_say(text, " %s %u", ip6_text(b + 4), told_word(b + 20));
	}
	return !len;
}

static bool tell_option(__u16 code, const __u8 *b, size_t len, char *text)
{
	if (code == 3)
		return len >= 12 && tell_ia(b, len, text);
	if (code == 13)
		told_say(text, " status %u", told_half(b));
	else if (code == 14)
		told_say(text, " rapid");
	else if (code == 23)
		told_say(text, " dns %s", len == 16 ? ip6_text(b) : "?");
	else if (code == 59)
		told_say(text, " boot %.*s", (int)len, (const char *)b);
	else
		told_say(text, " %u:", code);
	if (code < 3 || code == 24)
		for (size_t i = 0; i < len; i++)
			told_say(text, "%02x", b[i]);
	return true;
}

static __u32 pseudo6(const struct frame *f)
{
	__u8 octets[40] = {};

	memcpy(octets, f->b + 22, 32);
	memcpy(octets + 34, f->b + 58, 2);
	octets[39] = 17;
	return frame_sum(octets, sizeof(octets), 0);
}

bool told_dhcp6(const struct frame *f, char *text)
{
	const __u8 *b = f->b;
	size_t at = HEAD6 + 4;
	__u8 a[6];

	frame_mac(a, MAC_A);
	if (f->len < HEAD6 + 4 || memcmp(b, a, 6) != 0 || b[14] != 0x60 || b[20] != 17 ||
	    told_half(b + 18) != f->len - 54 || told_half(b + 58) != f->len - 54 ||
	    memcmp(b + 54, "\2\43\2\42", 4) != 0 || frame_checksum(b + 54, f->len - 54, pseudo6(f)))
		return false;
	told_say(text, "%s to %s of %s",
		 b[HEAD6] == 7	 ? "reply"
		 : b[HEAD6] == 2 ? "advertise"
				 : "?",
		 ip6_text(b + 38), ip6_text(b + 22));
	while (at + 4 <= f->len && at + 4 + told_half(b + at + 2) <= f->len) {
		if (!tell_option(told_half(b + at), b + at + 4, told_half(b + at + 2), text))
			return false;
		at += 4U + told_half(b + at + 2);
	}
	return at == f->len;
}
