// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "told.h"

#define NAME_TEXT (255 * 4 + 1) /* each octet as \DDD */

enum { UDP = 17, TCP = 6, A = 1, SOA = 6, PTR = 12, AAAA = 28, OPT = 41, ANY = 255, IN = 1 };

/* A message, and how far it was read. */
struct message {
	const __u8 *b;
	size_t len, at;
	char text[TOLD_TEXT]; /* what it says behind the head */
	unsigned int rcode;
	bool has_opt;
};

/* ---- names -------------------------------------------------------------------------- */

/* As RFC 1035 section 5.1 writes octets that are no plain letter; nor is what ends a name here. */
static void append(char *name, __u8 octet)
{
	char *end = name + strlen(name);

	if (octet > ' ' && octet < 127 && octet != '.' && octet != '|' && octet != '\\')
		end[0] = (char)octet, end[1] = '\0';
	else
		sprintf(end, "\\%03u", octet);
}

/*
 * RFC 1035 sections 2.3.4, 3.1, 4.1.4: a pointer leads back, to a name; what is said by it counts,
 * too. BEHIND: where the name's own octets end.
 */
static bool read_name(const struct message *m, size_t at, size_t *behind, char *name)
{
	size_t octets = 1, before = at, i;
	__u8 len;

	*behind = 0;
	*name = '\0';
	for (;;) {
		if (at >= m->len)
			return false;
		len = m->b[at];
		if (len >= 192) {
			if (at + 2 > m->len)
				return false;
			*behind = *behind ?: at + 2;
			at = told_half(m->b + at) & 0x3fff;
			if (at >= before || at < 12)
				return false;
			before = at;
			continue;
		}
		if (len > 63 || at + 1 + len > m->len || (octets += 1U + len) > 255 + 1U * !len)
			return false;
		if (!len)
			break;
		if (*name)
			strcat(name, ".");
		for (i = 0; i < len; i++)
			append(name, m->b[at + 1 + i]);
		at += 1U + len;
	}
	*behind = *behind ?: at + 1;
	if (!*name)
		strcpy(name, ".");
	return true;
}

static const char *type_text(__u16 type)
{
	static char text[12];

	switch (type) {
	case A:
		return "A";
	case AAAA:
		return "AAAA";
	case SOA:
		return "SOA";
	case PTR:
		return "PTR";
	case ANY:
		return "ANY";
	}
	snprintf(text, sizeof(text), "TYPE%u", type);
	return text;
}

/* ---- the message ---------------------------------------------------------------------- */

static bool read_question(struct message *m)
{
	char name[NAME_TEXT];
	size_t behind;

	if (!read_name(m, m->at, &behind, name) || behind + 4 > m->len)
		return false;
	told_say(m->text, " %s %s", name, type_text(told_half(m->b + behind)));
	if (told_half(m->b + behind + 2) != IN)
		told_say(m->text, " CLASS%u", told_half(m->b + behind + 2));
	m->at = behind + 4;
	return true;
}

/* RFC 1035 section 3.3.13: its server is the zone itself, no mailbox, and it holds for a moment. */
static bool read_soa(const struct message *m, size_t at, size_t end, const char *zone)
{
	char name[NAME_TEXT];

	return read_name(m, at, &at, name) && !strcmp(name, zone) && read_name(m, at, &at, name) &&
	       !strcmp(name, ".") && at + 20 == end && told_word(m->b + at) &&
	       told_word(m->b + at + 4) > told_word(m->b + at + 8) &&
	       told_word(m->b + at + 12) > told_word(m->b + at + 4) && !told_word(m->b + at + 16);
}

static bool read_data(struct message *m, __u16 type, size_t at, size_t len)
{
	char name[NAME_TEXT];
	size_t behind;

	if (type == SOA) {
		if (!read_name(m, 12, &behind, name) || !read_soa(m, at, at + len, name))
			return false;
	} else if (type == PTR) {
		if (!read_name(m, at, &behind, name) || behind != at + len)
			return false;
	} else if ((type != A || len != 4) && (type != AAAA || len != 16)) {
		return false;
	} else {
		inet_ntop(type == A ? AF_INET : AF_INET6, m->b + at, name, sizeof(name));
	}
	told_say(m->text, " | %s %s", type_text(type), name);
	return true;
}

/* Of the name that was asked, for this moment. */
static bool read_answer(struct message *m)
{
	char name[NAME_TEXT], asked[NAME_TEXT];
	size_t at, unused, len;

	if (!read_name(m, 12, &unused, asked) || !read_name(m, m->at, &at, name) ||
	    strcmp(name, asked) != 0 || at + 10 > m->len || told_half(m->b + at + 2) != IN ||
	    told_word(m->b + at + 4))
		return false;
	len = told_half(m->b + at + 8);
	m->at = at + 10 + len;
	return m->at <= m->len && read_data(m, told_half(m->b + at), at + 10, len);
}

/* RFC 2308 section 2: the zone that has the name, or of a name that is not there one above it. */
static bool read_authority(struct message *m)
{
	char zone[NAME_TEXT], asked[NAME_TEXT];
	size_t at, unused, len, before;

	if (!read_name(m, 12, &unused, asked) || !read_name(m, m->at, &at, zone) ||
	    at + 10 > m->len || told_half(m->b + at) != SOA || told_half(m->b + at + 2) != IN ||
	    told_word(m->b + at + 4))
		return false;
	len = told_half(m->b + at + 8);
	before = strlen(asked) - strlen(zone);
	if (strlen(zone) > strlen(asked) || strcmp(asked + before, zone) != 0 ||
	    (before ? asked[before - 1] != '.' : m->rcode == 3))
		return false;
	m->at = at + 10 + len;
	told_say(m->text, " ~ SOA %s", zone);
	return m->at <= m->len && read_soa(m, at + 10, m->at, zone);
}

/* RFC 6891 section 6.1.2: the root's, once; version 0, no flags, no options. */
static bool read_opt(struct message *m)
{
	const __u8 *b = m->b + m->at;

	if (m->has_opt || m->at + 11 > m->len || b[0] || told_half(b + 1) != OPT ||
	    told_half(b + 3) < 512 || b[6] || told_half(b + 7) || told_half(b + 9))
		return false;
	m->rcode |= (unsigned int)b[5] << 4;
	m->has_opt = true;
	m->at += 11;
	return true;
}

static bool read_message(struct message *m, char *text)
{
	__u16 flags, i;

	if (m->len < 12)
		return false;
	flags = told_half(m->b + 2);
	m->rcode = flags & 15;
	m->at = 12;
	/* A response; not truncated, no recursion, nothing of DNSSEC; an authority or answers. */
	if (!(flags & 0x8000) || flags & 0x02e0 || told_half(m->b + 4) > 1 ||
	    told_half(m->b + 8) > !told_half(m->b + 6) || told_half(m->b + 10) > 1)
		return false;
	for (i = 0; i < told_half(m->b + 4); i++)
		if (!read_question(m))
			return false;
	for (i = 0; i < told_half(m->b + 6); i++)
		if (!read_answer(m))
			return false;
	if (told_half(m->b + 8) && !read_authority(m))
		return false;
	if (told_half(m->b + 10) && !read_opt(m))
		return false;
	told_say(text, "%u%s%s%s%s%s", m->rcode, flags & 0x0400 ? ",aa" : "",
		 flags & 0x0100 ? ",rd" : "", flags & 0x0010 ? ",cd" : "", m->has_opt ? ",opt" : "",
		 m->text);
	return m->at == m->len && m->len <= 512;
}

/* ---- the packet ----------------------------------------------------------------------- */

static bool is_reset(const __u8 *tcp, size_t len, char *text)
{
	told_say(text, "reset seq %08x", told_word(tcp + 4));
	if (tcp[13] & 16)
		told_say(text, " ack %08x", told_word(tcp + 8));
	return len == 20 && tcp[12] == 5 << 4 && (tcp[13] & ~16) == 4;
}

bool told_dns(const struct frame *f, char *text)
{
	const bool v6 = f->b[12] == 0x86;
	const size_t head = v6 ? 54 : 34, len = f->len - head;
	const __u8 *b = f->b, *upper = b + head;
	const __u8 proto = v6 ? b[20] : b[23];
	__u8 a[6], pseudo[4] = {0, proto, (__u8)(len >> 8), (__u8)len};
	struct message m = {.b = upper + 8, .len = len - 8};
	__u32 sum;

	frame_mac(a, MAC_A);
	if (f->len < head + 20 || memcmp(b, a, 6) != 0 || told_half(upper) != 53)
		return false;
	if (v6 ? told_half(b + 12) != 0x86dd || b[14] != 0x60 || told_half(b + 18) != len
	       : told_half(b + 12) != 0x0800 || b[14] != 0x45 || told_half(b + 16) != f->len - 14 ||
			    frame_checksum(b + 14, 20, 0))
		return false;
	sum = frame_sum(upper - (v6 ? 32 : 8), v6 ? 32 : 8, frame_sum(pseudo, 4, 0));
	if (frame_checksum(upper, len, sum))
		return false;
	if (proto == TCP)
		return is_reset(upper, len, text);
	return proto == UDP && told_half(upper + 4) == len && told_half(upper + 6) &&
	       read_message(&m, text);
}
