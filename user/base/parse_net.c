// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"

enum { ADDRESS_LEN = 64 };

/* Copies the text before the last SEPARATOR. Returns the text behind; NULL: neither, or no room. */
static const char *address_before(const char *text, char separator, char address[ADDRESS_LEN])
{
	const char *end = strrchr(text, separator);

	if (!end || end == text || end - text >= ADDRESS_LEN)
		return NULL;
	memcpy(address, text, (size_t)(end - text));
	address[end - text] = '\0';
	return end + 1;
}

/* An IPv6 address needs brackets in front of a port (RFC 3986 section 3.2.2). */
static bool without_brackets(char *address)
{
	const size_t len = strlen(address);

	if (address[0] != '[')
		return !strchr(address, ':');
	if (address[len - 1] != ']' || !memchr(address, ':', len))
		return false;
	memmove(address, address + 1, len - 2);
	address[len - 2] = '\0';
	return true;
}

int parse_target(const char *text, struct tsw_target *target)
{
	char address[ADDRESS_LEN];
	const char *port = address_before(text, ':', address);
	int err;

	if (!port || !without_brackets(address))
		return misuse("%s is not IP:PORT, like 10.0.0.1:80 or [fd00::1]:80", quoted(text));
	err = parse_ip(address, &target->addr);
	err = err ?: parse_number(port, 1, 65535, &target->port);
	if (err)
		fail_more(" (in %s)", quoted(text));
	return err;
}

int refuse_host_bits(const char *text, const struct tsw_prefix *prefix)
{
	const struct tsw_prefix network = {prefix_first(prefix), prefix->len};

	if (addr_equal(&network.addr, &prefix->addr))
		return 0;
	return misuse("%s has bits behind its prefix length: the network is %s", quoted(text),
		      prefix_text(&network));
}

int parse_network(const char *text, struct tsw_prefix *prefix)
{
	int err = parse_prefix(text, prefix);

	return err ?: refuse_host_bits(text, prefix);
}

/* A network that contains addresses hosts cannot have has one at an end; the first is checked. */
int parse_subnet(const char *text, struct tsw_prefix *prefix)
{
	struct tsw_addr last;
	int err = parse_network(text, prefix);

	if (err)
		return err;
	last = prefix_last(prefix);
	err = parse_ip(addr_text(&last), &last);
	if (err)
		fail_more(", in %s", quoted(text));
	return err;
}

int parse_boot_file(const char *text, struct tsw_boot_file *file)
{
	const size_t len = strlen(text);
	size_t i;

	for (i = 0; i < len && text[i] > ' ' && text[i] <= '~'; i++)
		;
	if (!len || len >= sizeof(*file) || i < len)
		return misuse("%s is not a boot file: use 1 to %zu octets of ASCII without spaces",
			      quoted(text), sizeof(*file) - 1);
	memset(file, 0, sizeof(*file));
	if (strcmp(text, "none") != 0)
		memcpy(file->text, text, len);
	return 0;
}
