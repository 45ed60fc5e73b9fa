// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"

int parse_group(const char *text, struct tsw_name *name)
{
	if (!strcmp(text, "none"))
		return misuse("%s cannot be a group's name: it stands for no group", quoted(text));
	return parse_name(text, name);
}

static int parse_length(const char *text, const char *slash, __u32 max, __u32 *length)
{
	const int err = slash ? parse_number(slash + 1, 0, max, length)
			      : misuse("%s has no prefix length: give it as in 10.0.0.0/8 or "
				       "fd00::/8",
				       quoted(text));

	if (err && slash)
		fail_more(", as the prefix length in %s must be", quoted(text));
	return err;
}

/*
 * A network of any addresses, 0.0.0.0/0 too, with no bit set behind its length. IPv4 is stored as
 * mapped addresses, so an IPv6 network must not contain those.
 */
static int parse_cidr(const char *text, struct tsw_prefix *cidr)
{
	const struct tsw_addr mapped = addr_from_v4(0);
	const char *slash = strchr(text, '/');
	char ip[INET6_ADDRSTRLEN + 2]; /* a longer text is cut, and is no address either */
	__be32 v4;
	int err;

	snprintf(ip, sizeof(ip), "%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
	if (inet_pton(AF_INET, ip, &v4) == 1) {
		cidr->addr = addr_from_v4(v4);
		err = parse_length(text, slash, 32, &cidr->len);
		cidr->len += err ? 0 : 96;
	} else if (inet_pton(AF_INET6, ip, &cidr->addr) == 1) {
		err = parse_length(text, slash, 128, &cidr->len);
		if (!err && (prefix_has(cidr, &mapped) || addr_is_v4(&cidr->addr)))
			err = misuse("%s has the IPv4-mapped addresses ::ffff:0:0/96 in it",
				     quoted(text));
	} else {
		err = misuse("%s is not an IPv4 or IPv6 network", quoted(text));
	}
	return err ?: refuse_host_bits(text, cidr);
}

int parse_who(const char *text, struct tsw_policy_who *who)
{
	static const char group[] = "group:", cidr[] = "cidr:";

	memset(who, 0, sizeof(*who));
	if (!strcmp(text, "any"))
		return 0;
	if (!strncmp(text, group, strlen(group))) {
		who->who = TSW_WHO_GROUP;
		return parse_group(text + strlen(group), &who->group);
	}
	if (!strncmp(text, cidr, strlen(cidr))) {
		who->who = TSW_WHO_CIDR;
		return parse_cidr(text + strlen(cidr), &who->cidr);
	}
	return misuse("%s is not group G, cidr CIDR or any", quoted(text));
}

int parse_ports(const char *text, struct tsw_port_range *ports)
{
	const char *dash = strchr(text, '-');
	char first[8];
	int err;

	*ports = (struct tsw_port_range){};
	if (!strcmp(text, "any"))
		return 0;
	snprintf(first, sizeof(first), "%.*s", dash ? (int)(dash - text) : (int)strlen(text), text);
	err = parse_number(first, 1, 65535, &ports->first);
	err = err ?: parse_number(dash ? dash + 1 : first, 1, 65535, &ports->last);
	if (err) {
		fail_more(" (in %s; use a port N, N-M or any)", quoted(text));
		return err;
	}
	if (ports->first <= ports->last)
		return 0;
	return misuse("%s is not a range: give the lower port first", quoted(text));
}

enum { NAT_PORTS_LEAST = 256 };

int parse_nat_ports(const char *text, __u32 min, struct tsw_port_range *ports)
{
	int err;

	*ports = (struct tsw_port_range){};
	if (!strcmp(text, "auto"))
		return 0;
	err = strcmp(text, "any") ? parse_ports(text, ports)
				  : misuse("%s is not a range of ports", quoted(text));
	if (err)
		return err;
	if (ports->first < min)
		return misuse("%s: ports below %u are for services", quoted(text), min);
	return ports->last < ports->first + NAT_PORTS_LEAST - 1
		       ? misuse("%s has fewer than %d ports", quoted(text), NAT_PORTS_LEAST)
		       : 0;
}
