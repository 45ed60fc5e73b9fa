// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "base/text.h"

enum { BUFFERS = 16, BUFFER_LEN = 512, SHOWN_LEN = 100 };

static char *buffer(void)
{
	static char buffers[BUFFERS][BUFFER_LEN];
	static unsigned int next;

	return buffers[next++ % BUFFERS];
}

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

const char *escaped(const char *text)
{
	char *out = buffer(), *p = out;
	__u32 character;
	size_t len;

	while (*text && p - out < SHOWN_LEN) {
		len = utf8_next(text, &character);
		if (!len || is_hidden(character)) {
			p += snprintf(p, 5, "\\x%02x", (unsigned char)*text++);
			continue;
		}
		if (character == '"' || character == '\\')
			*p++ = '\\';
		memcpy(p, text, len);
		p += len;
		text += len;
	}
	snprintf(p, 4, "%s", *text ? "..." : "");
	return out;
}

const char *quoted(const char *text)
{
	char *out = buffer();

	snprintf(out, BUFFER_LEN, "\"%s\"", escaped(text));
	return out;
}

const char *mac_text(const struct tsw_mac *mac)
{
	char *out = buffer();

	snprintf(out, BUFFER_LEN, "%02x:%02x:%02x:%02x:%02x:%02x", mac->b[0], mac->b[1], mac->b[2],
		 mac->b[3], mac->b[4], mac->b[5]);
	return out;
}

const char *addr_text(const struct tsw_addr *addr)
{
	char *out = buffer();

	if (addr_is_v4(addr))
		inet_ntop(AF_INET, &addr->w[3], out, BUFFER_LEN);
	else
		inet_ntop(AF_INET6, addr, out, BUFFER_LEN);
	return out;
}

const char *prefix_text(const struct tsw_prefix *prefix)
{
	char *out = buffer();

	snprintf(out, BUFFER_LEN, "%s/%u", addr_text(&prefix->addr),
		 addr_is_v4(&prefix->addr) ? prefix->len - 96 : prefix->len);
	return out;
}

bool addr_is_v4(const struct tsw_addr *addr)
{
	return !addr->w[0] && !addr->w[1] && addr->w[2] == htonl(TSW_V4MAPPED);
}

bool addr_is_link_local(const struct tsw_addr *addr)
{
	return (addr->w[0] & htonl(0xffc00000)) == htonl(0xfe800000);
}

enum tsw_family addr_family(const struct tsw_addr *addr)
{
	return addr_is_v4(addr) ? TSW_IPV4 : TSW_IPV6;
}

const char *family_text(enum tsw_family family)
{
	return family == TSW_IPV4 ? "IPv4" : "IPv6";
}

bool addr_is_none(const struct tsw_addr *addr)
{
	return !addr->w[0] && !addr->w[1] && !addr->w[2] && !addr->w[3];
}

bool addr_equal(const struct tsw_addr *a, const struct tsw_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

struct tsw_addr addr_from_v4(__be32 v4)
{
	return (struct tsw_addr){.w = {0, 0, htonl(TSW_V4MAPPED), v4}};
}

bool mac_equal(const struct tsw_mac *a, const struct tsw_mac *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The bits of word I that are the network's. */
static __be32 prefix_mask(const struct tsw_prefix *prefix, __u32 i)
{
	const __u32 bits = prefix->len > i * 32 ? prefix->len - i * 32 : 0;

	return bits >= 32 ? ~0U : htonl(~(~0U >> bits));
}

struct tsw_addr prefix_first(const struct tsw_prefix *prefix)
{
	struct tsw_addr addr;
	__u32 i;

	for (i = 0; i < 4; i++)
		addr.w[i] = prefix->addr.w[i] & prefix_mask(prefix, i);
	return addr;
}

struct tsw_addr prefix_last(const struct tsw_prefix *prefix)
{
	struct tsw_addr addr;
	__u32 i;

	for (i = 0; i < 4; i++)
		addr.w[i] = prefix->addr.w[i] | ~prefix_mask(prefix, i);
	return addr;
}

bool prefix_has(const struct tsw_prefix *prefix, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < 4; i++)
		if ((prefix->addr.w[i] ^ addr->w[i]) & prefix_mask(prefix, i))
			return false;
	return true;
}

bool prefix_overlap(const struct tsw_prefix *a, const struct tsw_prefix *b)
{
	return a->len < b->len ? prefix_has(a, &b->addr) : prefix_has(b, &a->addr);
}
