// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <tsw/object.h>

#include "base/hidden.h"
#include "base/text.h"
#include "base/utf8.h"

enum { BUFFERS = 16, BUFFER_LEN = 512, SHOWN_LEN = 100 };

static char *buffer(void)
{
	static _Thread_local char buffers[BUFFERS][BUFFER_LEN];
	static _Thread_local unsigned int next;

	return buffers[next++ % BUFFERS];
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

bool is_plain_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._:/@+-";

	return *text && *text != '-' && !text[strspn(text, plain)];
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

const char *target_text(const struct tsw_addr *addr, __u32 port)
{
	char *out = buffer();

	snprintf(out, BUFFER_LEN, addr_is_v4(addr) ? "%s:%u" : "[%s]:%u", addr_text(addr), port);
	return out;
}

const char *network_text(const struct tsw_prefix *network)
{
	return network->len == 128 ? addr_text(&network->addr) : prefix_text(network);
}

const char *who_text(const struct tsw_policy_who *who)
{
	char *out;

	if (who->who == TSW_WHO_ANY)
		return "any";
	out = buffer();
	if (who->who == TSW_WHO_GROUP)
		snprintf(out, BUFFER_LEN, "group:%s", who->group.s);
	else
		snprintf(out, BUFFER_LEN, "cidr:%s", prefix_text(&who->cidr));
	return out;
}

const char *ports_text(const struct tsw_port_range *ports)
{
	char *out;

	if (!ports->first)
		return "any";
	out = buffer();
	snprintf(out, BUFFER_LEN, ports->first == ports->last ? "%u" : "%u-%u", ports->first,
		 ports->last);
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

struct tsw_addr addr_service(enum tsw_family family)
{
	if (family == TSW_IPV4)
		return addr_from_v4(htonl(TSW_SERVICE_IP));
	return (struct tsw_addr){{htonl(TSW_SERVICE_IP6), 0, 0, htonl(TSW_SERVICE_IP6_LAST)}};
}

bool addr_is_service(const struct tsw_addr *addr)
{
	const struct tsw_addr service = addr_service(addr_family(addr));

	return addr_equal(addr, &service);
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

bool addr_is_among(const struct tsw_addr *addr, const struct tsw_addr *all, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (addr_equal(&all[i], addr))
			return true;
	return false;
}

bool addr_list_has(const struct tsw_addr_list *list, const struct tsw_addr *addr)
{
	return addr_is_among(addr, list->at, list->n);
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
