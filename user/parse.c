// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "parse.h"
#include "text.h"

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

bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") || !strcmp(word, "--help");
}

static const char *name_fault(const char *text)
{
	__u32 character;
	const char *p;
	size_t len;

	if (!*text)
		return "is empty";
	if (!strcmp(text, ".") || !strcmp(text, ".."))
		return "stands for a directory";
	if (is_help(text))
		return "asks for help";
	for (p = text; *p; p += len) {
		len = utf8_next(p, &character);
		if (!len)
			return "is not UTF-8";
		if (character < ' ' || (character >= 0x7f && character < 0xa0))
			return "has a control character";
		if (character == ' ')
			return "has a blank";
		if (character == '/')
			return "has a slash";
	}
	return p - text < TSW_NAME_LEN ? NULL : "is longer than 63 octets";
}

int parse_name(const char *text, struct tsw_name *name)
{
	const char *fault = name_fault(text);

	if (fault)
		return misuse("%s cannot be a name, it %s", quoted(text), fault);
	memset(name, 0, sizeof(*name));
	snprintf(name->s, sizeof(name->s), "%s", text);
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
		return misuse("%s is a multicast MAC, no single port can have it", quoted(text));
	if (mac_equal(mac, &zero))
		return misuse("%s is the zero MAC, no port can have it", quoted(text));
	return 0;
}

/* RFC 1122 section 3.2.1.3, RFC 1112 section 4, RFC 6890: what no interface on a LAN can have. */
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
	return IN6_IS_ADDR_V4MAPPED(v6) ? "is an IPv4 address in IPv6's clothes" : NULL;
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
			      strchr(text, '/') ? ": no prefix length here" : "");
	}
	return fault ? misuse("%s %s", quoted(text), fault) : 0;
}

int parse_vtep(const struct tsw_addr *addr)
{
	if (!addr_is_link_local(addr))
		return 0;
	return misuse(
		"%s is a link-local address, which cannot be a tunnel's end: no route leads to "
		"it",
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

/* Takes the word at *FROM, without its quotes, down to *TO; both move on. */
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
			return fail(ENOMEM, "out of memory");
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
		/* Its NUL falls on a quote or the blank behind, never on what is still to be read. */
		word = text = p;
		err = take_word(&p, &text);
		if (!err)
			err = line_add(line, word);
		if (err)
			return err;
	}
}

void line_free(struct line *line)
{
	free(line->word);
	line->word = NULL;
}
