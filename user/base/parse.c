// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/hidden.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/utf8.h"

int parse_number(const char *text, __u32 min, __u32 max, __u32 *value)
{
	const char *p = text;
	__u64 n = 0;

	do {
		if (!isdigit((unsigned char)*p))
			goto bad;
		n = n * 10 + (__u64)(*p - '0');
		if (n > max)
			goto bad;
	} while (*++p);
	if (n < min)
		goto bad;
	*value = (__u32)n;
	return 0;
bad:
	return misuse("%s is not a decimal number from %u to %u", quoted(text), min, max);
}

int parse_seconds(const char *text, __u32 most, __u32 *ms)
{
	const char *p = text;
	__u64 n = 0, unit = 1000;
	bool digits = false;

	for (; isdigit((unsigned char)*p) && n <= most * 1000ULL; p++, digits = true)
		n = n * 10 + (__u64)(*p - '0') * 1000;
	if (*p == '.' && digits)
		for (p++, digits = false; isdigit((unsigned char)*p) && unit > 1;
		     p++, digits = true)
			n += (__u64)(*p - '0') * (unit /= 10);
	if (*p || !digits || n > most * 1000ULL)
		return misuse("%s is not a number of seconds from 0 to %u, like 10 or 0.25",
			      quoted(text), most);
	*ms = (__u32)n;
	return 0;
}

struct unit {
	const char *word;
	__u64 factor;
};

static const struct unit rate_units[] = {
	{"", 1},
	{"bit", 1},
	{"kbit", 1000},
	{"mbit", 1000000},
	{"gbit", 1000000000},
	{"tbit", 1000000000000},
	{"kibit", 1ULL << 10},
	{"mibit", 1ULL << 20},
	{"gibit", 1ULL << 30},
	{"tibit", 1ULL << 40},
	{"bps", 8},
	{"kbps", 8000},
	{"mbps", 8000000},
	{"gbps", 8000000000},
	{"tbps", 8000000000000},
	{"kibps", 8ULL << 10},
	{"mibps", 8ULL << 20},
	{"gibps", 8ULL << 30},
	{"tibps", 8ULL << 40},
	{NULL, 0},
};

static const struct unit size_units[] = {
	{"", 1},	 {"b", 1},	 {"k", 1 << 10},  {"kb", 1 << 10}, {"m", 1 << 20},
	{"mb", 1 << 20}, {"g", 1 << 30}, {"gb", 1 << 30}, {NULL, 0},
};

/* Reads decimal digits and a unit in any case. False for other text and values above MAX. */
static bool read_quantity(const char *text, const struct unit *units, __u64 max, __u64 *value)
{
	__u64 n = 0;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		n = n * 10 + (__u64)(*text - '0');
		if (n > max)
			return false;
	}
	while (units->word && strcasecmp(text, units->word))
		units++;
	if (!units->word || n > max / units->factor)
		return false;
	*value = n * units->factor;
	return true;
}

#define SIZE_OCTETS_MAX 0xffffffffULL

int parse_rate(const char *text, __u64 *rate)
{
	*rate = 0;
	if (!strcmp(text, "none") ||
	    (read_quantity(text, rate_units, RATE_MAX, rate) && *rate >= RATE_MIN))
		return 0;
	return misuse("%s is not a rate: use 1kbit to 1tbit, like 100mbit or 10mbps, or none",
		      quoted(text));
}

int parse_size(const char *text, __u32 *size)
{
	__u64 octets = 0;

	*size = 0;
	if (strcmp(text, "none") &&
	    (!read_quantity(text, size_units, SIZE_OCTETS_MAX, &octets) || !octets))
		return misuse(
			"%s is not a size: use 1 to 4294967295, like 1500, 256k or 1m, or none",
			quoted(text));
	*size = (__u32)octets;
	return 0;
}

int parse_limit(const char *text, __u32 max, __u32 *limit)
{
	*limit = ~0U;
	if (!strcmp(text, "none") || !parse_number(text, 1, max, limit))
		return 0;
	return misuse("%s is not a number from 1 to %u, or none", quoted(text), max);
}

bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") || !strcmp(word, "--help");
}

static const char *fault_hidden(__u32 character)
{
	static _Thread_local char fault[64];

	if (character < ' ' || (character >= 0x7f && character < 0xa0))
		return "has a control character";
	snprintf(fault, sizeof(fault), "has the invisible character U+%04X", character);
	return fault;
}

/* KNOWN: only controls are refused, as older versions did. NULL: the text is good. */
static const char *text_fault(const char *text, bool known)
{
	__u32 character;
	size_t len;

	for (; *text; text += len) {
		len = utf8_next(text, &character);
		if (!len)
			return "is not UTF-8";
		if (is_hidden(character) && (!known || character < 0xa0))
			return fault_hidden(character);
	}
	return NULL;
}

/* KNOWN: names that older versions took are allowed. NULL: the name is good. */
static const char *name_fault(const char *text, bool known)
{
	if (!*text)
		return "is empty";
	if (!strcmp(text, ".") || !strcmp(text, ".."))
		return "stands for a directory";
	if (is_help(text))
		return "asks for help";
	if (strchr(text, ' '))
		return "has a blank";
	if (strchr(text, '/'))
		return "has a slash";
	if (strlen(text) >= TSW_NAME_LEN)
		return "is longer than 63 octets";
	return text_fault(text, known);
}

static int read_name(const char *text, bool known, struct tsw_name *name)
{
	const char *fault = name_fault(text, known);

	if (fault)
		return misuse("%s cannot be a name, it %s", quoted(text), fault);
	memset(name, 0, sizeof(*name));
	snprintf(name->s, sizeof(name->s), "%s", text);
	return 0;
}

int parse_name(const char *text, struct tsw_name *name)
{
	return read_name(text, false, name);
}

int parse_known_name(const char *text, struct tsw_name *name)
{
	return read_name(text, true, name);
}

/* RFC 1123 section 2.1: letters, digits and, within a label, hyphens. NULL: the domain is good. */
static const char *domain_fault(const char *text)
{
	size_t label = 0, i;

	for (i = 0; text[i]; i++) {
		if (text[i] == '.' ? !label : !isalnum((unsigned char)text[i]) && text[i] != '-')
			return text[i] == '.' ? "has an empty part"
					      : "may only have letters, digits, hyphens and dots";
		if (text[i] == '-' && (!label || !text[i + 1] || text[i + 1] == '.'))
			return "has a hyphen at the end of a part";
		label = text[i] == '.' ? 0 : label + 1;
	}
	if (!label)
		return i ? "ends with a dot" : "is empty";
	return i <= DOMAIN_MAX ? NULL : "is longer than 62 octets";
}

int parse_domain(const char *text, struct tsw_name *domain)
{
	const char *fault = domain_fault(text);
	size_t i;

	if (fault)
		return misuse("%s cannot be a domain, it %s", quoted(text), fault);
	memset(domain, 0, sizeof(*domain));
	if (!strcasecmp(text, TSW_DOMAIN))
		return 0;
	for (i = 0; text[i]; i++)
		domain->s[i] = (char)tolower((unsigned char)text[i]);
	return 0;
}

int parse_description(const char *text, struct tsw_description *description)
{
	const char *fault = strlen(text) < sizeof(*description) ? text_fault(text, false)
								: "is longer than 127 octets";

	if (fault)
		return misuse("%s cannot be a description, it %s", quoted(text), fault);
	memset(description, 0, sizeof(*description));
	memcpy(description->text, text, strlen(text));
	return 0;
}

static int hex(char c)
{
	c = (char)tolower((unsigned char)c);
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int parse_mac(const char *text, struct tsw_mac *mac)
{
	static const struct tsw_mac zero;
	const char *p = text;
	int i, high, low;

	for (i = 0; i < TSW_MAC_LEN; i++, p += 3) {
		high = hex(p[0]);
		low = high < 0 ? -1 : hex(p[1]);
		if (low < 0 || p[2] != (i < TSW_MAC_LEN - 1 ? ':' : '\0'))
			return misuse("%s is not a MAC like 02:00:00:00:00:01", quoted(text));
		mac->b[i] = (__u8)(high << 4 | low);
	}
	if (mac->b[0] & 1)
		return misuse("%s is a multicast MAC, which no port can have", quoted(text));
	if (mac_equal(mac, &zero))
		return misuse("%s is the zero MAC, which no port can have", quoted(text));
	return 0;
}

/* RFC 1122 section 3.2.1.3, RFC 1112 section 4, RFC 6890: no interface on a LAN can have these. */
static const char *v4_fault(__u32 v4)
{
	if (v4 >> 24 == 0)
		return "is in 0.0.0.0/8, which no interface can have";
	if (v4 >> 24 == 127)
		return "is a loopback address";
	if (v4 >> 28 == 0xe)
		return "is a multicast address";
	if (v4 == 0xffffffff)
		return "is the broadcast address";
	return v4 >> 28 == 0xf ? "is in 240.0.0.0/4, which is reserved" : NULL;
}

static const char *v6_fault(const struct tsw_addr *addr)
{
	const struct in6_addr *v6 = (const struct in6_addr *)addr;

	if (IN6_IS_ADDR_UNSPECIFIED(v6))
		return "is the unspecified address";
	if (IN6_IS_ADDR_LOOPBACK(v6))
		return "is a loopback address";
	if (IN6_IS_ADDR_MULTICAST(v6))
		return "is a multicast address";
	return IN6_IS_ADDR_V4MAPPED(v6) ? "is an IPv4-mapped address: write it as IPv4" : NULL;
}

int parse_ip(const char *text, struct tsw_addr *addr)
{
	const char *fault;
	__be32 v4;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		fault = v4_fault(ntohl(v4));
		*addr = addr_from_v4(v4);
	} else if (inet_pton(AF_INET6, text, addr) == 1) {
		fault = v6_fault(addr);
	} else {
		return misuse("%s is not an IPv4 or IPv6 address%s", quoted(text),
			      strchr(text, '/') ? ": leave out the prefix length" : "");
	}
	return fault ? misuse("%s %s", quoted(text), fault) : 0;
}

int parse_prefix(const char *text, struct tsw_prefix *prefix)
{
	const struct tsw_addr mapped = addr_from_v4(0);
	const char *slash = strchr(text, '/');
	char ip[INET6_ADDRSTRLEN + 2]; /* a longer text is cut, and is no address either */
	__u32 len, max;
	int err;

	if (!slash)
		return misuse("%s has no prefix length: give it as in 10.0.0.254/24 or fd00::1/64",
			      quoted(text));
	snprintf(ip, sizeof(ip), "%.*s", (int)(slash - text), text);
	err = parse_ip(ip, &prefix->addr);
	if (err) {
		fail_more(", in %s", quoted(text));
		return err;
	}
	max = addr_is_v4(&prefix->addr) ? 32 : 128;
	err = parse_number(slash + 1, 1, max, &len);
	if (err) {
		fail_more(", as the prefix length in %s must be", quoted(text));
		return err;
	}
	prefix->len = 128 - max + len;
	/* Maps and tries hold IPv4 as mapped addresses, so no IPv6 network may contain those. */
	if (max == 128 && prefix_has(prefix, &mapped))
		return misuse("%s has the IPv4-mapped addresses ::ffff:0:0/96 in it", quoted(text));
	return 0;
}

static const char service[] = "is a service address of the switch";

/* Hosts can have all addresses of networks of two (RFC 3021, RFC 6164) and of one. */
static const char *host_part_fault(const struct tsw_prefix *prefix)
{
	struct tsw_addr first = prefix_first(prefix), last = prefix_last(prefix);

	if (addr_is_service(&prefix->addr))
		return service;
	if (prefix->len >= 127)
		return NULL;
	if (addr_is_v4(&prefix->addr) && addr_equal(&prefix->addr, &last))
		return "is the broadcast address of its network";
	if (!addr_equal(&prefix->addr, &first))
		return NULL;
	return addr_is_v4(&prefix->addr) ? "is its network's address, not a host's"
					 : "is the anycast address of all routers in its network";
}

int parse_own_ip(const char *text, struct tsw_addr *addr)
{
	int err = parse_ip(text, addr);

	return !err && addr_is_service(addr) ? misuse("%s %s", quoted(text), service) : err;
}

int parse_interface(const char *text, struct tsw_prefix *prefix)
{
	const char *fault;
	int err = parse_prefix(text, prefix);

	if (err)
		return err;
	if (addr_is_link_local(&prefix->addr))
		return misuse("%s is a link-local address, by which no packet leaves its network",
			      quoted(text));
	fault = host_part_fault(prefix);
	return fault ? misuse("%s %s", quoted(text), fault) : 0;
}

int parse_vtep(const struct tsw_addr *addr)
{
	if (!addr_is_link_local(addr))
		return 0;
	return misuse("%s is a link-local address, which cannot be a tunnel's end: it has no route",
		      quoted(addr_text(addr)));
}

int parse_choice(const char *text, const char *const *choices, __u32 *value)
{
	char list[128] = "";
	size_t used = 0;
	__u32 i;

	for (i = 0; choices[i]; i++) {
		if (!strcmp(text, choices[i])) {
			*value = i;
			return 0;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 choices[i]);
	}
	return misuse("%s is not one of %s", quoted(text), list);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Moves the word at *FROM, without its quotes, down to *TO. Both advance. */
static int take_word(char **from, char **to)
{
	bool inside = false;
	char *p = *from, *out = *to;

	for (; *p && (inside || !is_blank(*p)); p++) {
		if (*p == '"')
			inside = !inside;
		else
			*out++ = *p;
	}
	if (inside)
		return misuse("a quote is not closed");
	*from = *p ? p + 1 : p; /* before the NUL below, which may fall on *p */
	*out++ = '\0';
	*to = out;
	return 0;
}

static int line_add(struct line *line, char *word)
{
	if (line->n + 1 >= line->room) {
		int room = line->room ? line->room * 2 : 32;
		char **grown = realloc(line->word, (size_t)room * sizeof(*grown));

		if (!grown)
			return fail_memory();
		line->word = grown;
		line->room = room;
	}
	line->word[line->n++] = word;
	line->word[line->n] = NULL;
	return 0;
}

int parse_line(char *text, struct line *line)
{
	char *p = text, *word;
	int err;

	line->n = 0;
	for (;;) {
		while (is_blank(*p))
			p++;
		if (!*p || *p == '#')
			return 0;
		/* The word's NUL overwrites a quote or the blank behind it, nothing unread. */
		word = text = p;
		err = take_word(&p, &text);
		err = err ?: line_add(line, word);
		if (err)
			return err;
	}
}

void line_free(struct line *line)
{
	free(line->word);
	line->word = NULL;
}
