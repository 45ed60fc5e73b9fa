// SPDX-License-Identifier: GPL-2.0-only
#include <netinet/in.h>
#include <string.h>

#include "base/spell.h"
#include "record/fields.h"

enum { LIMIT_MAX = 1 << 20 };

#define LIMITS(type, limits)                                                                   \
	{"rate_out", FIELD_RATE, offsetof(type, limits.rate[TSW_RATE_OUT]), 0, 0, NULL},       \
		{"rate_in", FIELD_RATE, offsetof(type, limits.rate[TSW_RATE_IN]), 0, 0, NULL}, \
	{                                                                                      \
		"burst", FIELD_SIZE, offsetof(type, limits.burst), 0, 0, NULL                  \
	}

enum { TIMEOUT_MIN = 5, TIMEOUT_MAX = 365 * 24 * 3600 }; /* seconds */

/* clang-format off */
#define TIMEOUT(key, which)                                                                 \
	{key, FIELD_IF_NUMBER, AT(tracking.timeout[which]), TIMEOUT_MIN, TIMEOUT_MAX, word_as_host, \
		"seconds after which an idle connection is forgotten; host: the host's own setting"}
#define HELPER(key, which, what)                                                            \
	{key, FIELD_IF_ON, AT(tracking.helper[which]), 0, 0, NULL,                          \
		"conntrack reads " what " and admits the connections that it announces", \
		.flag = TSW_GATEWAY_HELPER(which)}

#define AT(field) offsetof(struct tsw_switch_spec, field)

const struct field switch_fields[] = {
	[SWITCH_DEV]     = {"dev",    FIELD_DEVICES,  AT(dev),    0, 0, NULL},
	[SWITCH_LOCAL]   = {"local",  FIELD_VTEPS,    AT(local),  0, 0, NULL},
	[SWITCH_NAME]    = {"name",   FIELD_NEW_NAME, AT(name),   0, 0, NULL},
	[SWITCH_PORT]    = {"port",   FIELD_NUMBER,   AT(port),   1, 65535, NULL},
	[SWITCH_XDP]     = {"xdp",    FIELD_CHOICE,   AT(xdp),    0, 0, word_xdps},
	[SWITCH_ATTACH]  = {"attach", FIELD_CHOICE,   AT(attach), 0, 0, word_attaches},
	[SWITCH_MAX_ENDPOINTS] =
		{"max_endpoints", FIELD_NUMBER, AT(max_endpoints), 1, MAX_ENDPOINTS_MOST, NULL},
	[SWITCH_MAX_TENANTS] =
		{"max_tenants", FIELD_NUMBER, AT(max_tenants), 1, MAX_TENANTS_MOST, NULL},
	[SWITCH_ZONE]    = {"zone",   FIELD_ZONE,     AT(zone),   0, 0, NULL},
	[SWITCH_ENCRYPT] = {"encrypt", FIELD_IF_CHOICE, AT(encrypt), 0, 0, word_encrypts,
		"encrypts frames between hosts; mixed: in the clear to hosts without a key"},
	[SWITCH_WG_PORT] = {"wg_port", FIELD_NUMBER, AT(wg_port), 1, WG_PORT_MOST, NULL,
		"the first of four UDP ports for WireGuard, the same on every host"},
	[SWITCH_NAT_PORTS] = {"nat_ports", FIELD_NAT_PORTS, AT(nat_ports), 1024, 65535, NULL,
		"the ports of connections that leave as an address of this host; auto: below the host's own"},
	[SWITCH_CLOSED] = {"closed", FIELD_CLOSED, AT(closed), 0, 0, word_closed,
		"networks that gateways do not lead to; default: where clouds give a host its credentials"},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_host_spec, field)

const struct field host_fields[] = {
	[HOST_NAME]   = {"name",   FIELD_NEW_NAME, AT(name), 0, 0, NULL},
	[HOST_IP]     = {"ip",     FIELD_VTEPS,    AT(ip),   0, 0, NULL,
		"its tunnel addresses, at most one of each family; others send to the first"},
	[HOST_ZONE]   = {"zone",   FIELD_ZONE,     AT(zone), 0, 0, NULL,
		"the name of what fails together, such as a rack or a site"},
	[HOST_KEY]    = {"key",    FIELD_KEYS,     AT(key),  0, 0, NULL,
		"its public key for encryption; of two keys the second is the new one"},
	[HOST_MTU]    = {"mtu",    FIELD_IF_NUMBER, AT(mtu), MTU_MIN, MTU_MAX, NULL,
		"the MTU of its underlay; longer tunnel frames are not sent to it"},
	[HOST_SWITCH] = {"switch", FIELD_LATER,    0,        0, 0, NULL},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_tenant_spec, field)

const struct field tenant_fields[] = {
	[TENANT_NAME]        = {"name",        FIELD_NEW_NAME, AT(name),      0, 0, NULL},
	[TENANT_ID]          = {"id",          FIELD_NUMBER,   AT(id),        1, 0xffffffffU, NULL,
		NULL, TSW_AUTO_ID},
	[TENANT_ENCAP]       = {"encap",       FIELD_CHOICE,   AT(encap),     0, 0, word_encaps},
	[TENANT_MTU]         = {"mtu",         FIELD_MTU,      AT(mtu),       MTU_MIN, MTU_MAX, NULL,
		"0, or none: the largest that the underlay allows"},
	[TENANT_BROADCAST]   = {"broadcast",   FIELD_ON,       AT(broadcast), 0, 0, NULL,
		.flag = TSW_TENANT_BROADCAST},
	[TENANT_DHCP]        = {"dhcp",        FIELD_IF_ON,    AT(dhcp),      0, 0, NULL,
		"answers endpoints' DHCP requests with their addresses", .flag = TSW_TENANT_DHCP},
	[TENANT_NEVER_DEFAULT] = {"never_default", FIELD_IF_ON, AT(never_default), 0, 0, NULL,
		"with dhcp on, endpoints get no default route", .flag = TSW_TENANT_NEVER_DEFAULT},
	[TENANT_DHCP_RELAY]  = {"dhcp_relay",  FIELD_RESOLVERS, AT(dhcp_relay), 0, 0, NULL,
		"with dhcp on, the endpoint that answers DHCP in place of the switch"},
	[TENANT_DNS]         = {"dns",         FIELD_IF_ON,    AT(dns),       0, 0, NULL,
		"answers endpoints' DNS requests for each other's names and addresses", .flag = TSW_TENANT_DNS},
	[TENANT_DOMAIN]      = {"domain",      FIELD_DOMAIN,   AT(domain),    0, 0, NULL,
		"endpoints have names as NAME.TENANT.DOMAIN; the default is tsw.internal"},
	[TENANT_BOOT_SERVER] = {"boot_server", FIELD_RESOLVERS, AT(boot_server), 0, 0, NULL,
		"with dhcp on, the TFTP server that endpoints boot from; one of each family"},
	[TENANT_BOOT_FILE]   = {"boot_file",   FIELD_FILE,     AT(boot_file), 0, 0, NULL,
		"the file that they load there, or a URL"},
	[TENANT_RATE_OUT]    = LIMITS(struct tsw_tenant_spec, limits),
	[TENANT_CONNECTIONS] = {"connections", FIELD_LIMIT,    AT(limits.connections), 1, LIMIT_MAX, NULL},
	[TENANT_HALF_OPEN]   = {"half_open",   FIELD_LIMIT,    AT(limits.half_open),   1, LIMIT_MAX, NULL},
	[TENANT_NET]         = {"net",         FIELD_NETS,     AT(net),       0, 0, NULL,
		"its subnets, from which `ip auto` takes addresses"},
	[TENANT_DESCRIPTION] = {"description", FIELD_LINE,     AT(description), 0, 0, NULL,
		"one line, up to 127 octets of UTF-8"},
	[TENANT_POLICY]      = {"policy",      FIELD_IF_CHOICE, AT(policy),   0, 0, word_modes,
		"on: rules decide who reaches endpoints in groups; audit: drops are only counted"},
	[TENANT_DEFAULT]     = {"default",     FIELD_IF_CHOICE, AT(deny),     0, 0, word_actions,
		"the action if neither end is in a group and no rule matches"},
	[TENANT_FLOWS]       = {"flows",       FIELD_IF_ON,    AT(flows),     0, 0, NULL,
		"counts who talks to whom, for tsw flows", .flag = TSW_TENANT_FLOWS},
	[TENANT_FLOW_ENTRIES] = {"flow_entries", FIELD_IF_NUMBER, AT(flow_entries), TSW_FLOWS_LEAST,
		TSW_FLOWS_MOST, NULL, "the most flows on each host; the default is 16384"},
	[TENANT_MAX_ENDPOINTS] = {"max_endpoints", FIELD_IF_NUMBER, AT(max_endpoints), 1,
		MAX_ENDPOINTS_MOST, NULL,
		"the most endpoints; the default is seven eighths of the switch's, but at least 1024"},
	[TENANT_GATEWAY]     = {"gateway",     FIELD_LATER,    0,             0, 0, NULL},
	[TENANT_GROUPS]      = {"groups",      FIELD_LATER,    0,             0, 0, NULL},
	[TENANT_POLICIES]    = {"policies",    FIELD_LATER,    0,             0, 0, NULL},
	[TENANT_ENDPOINTS]   = {"endpoints",   FIELD_LATER,    0,             0, 0, NULL},
	[TENANT_PUBLISH]     = {"publish",     FIELD_LATER,    0,             0, 0, NULL},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_endpoint_spec, field)

const struct field endpoint_fields[] = {
	[ENDPOINT_NAME]     = {"name",   FIELD_NEW_NAME, AT(name),   0, 0, NULL},
	[ENDPOINT_TENANT]   = {"tenant", FIELD_NAME,     AT(tenant), 0, 0, NULL},
	[ENDPOINT_MAC]      = {"mac",    FIELD_MAC,      AT(mac),    0, 0, NULL, NULL, TSW_AUTO_MAC},
	[ENDPOINT_IP]       = {"ip",     FIELD_IPS,      AT(ip),     0, 0, NULL, NULL, TSW_AUTO_IP},
	[ENDPOINT_DEV]      = {"dev",    FIELD_DEVICE,   AT(dev),    0, 0, NULL,
		"a device of that host; other hosts ignore it"},
	[ENDPOINT_HOST]     = {"host",   FIELD_NAME,     AT(host),   0, 0, NULL, NULL, 0,
		FIELD(ENDPOINT_TO_HOST)},
	[ENDPOINT_TO_DEV]   = {"to_dev",  FIELD_DEVICE,  AT(to_dev),  0, 0, NULL,
		"its device on the host that it moves to"},
	[ENDPOINT_TO_HOST]  = {"to_host", FIELD_NAME,    AT(to_host), 0, 0, NULL,
		"the host that it moves to; frames follow when it announces itself there"},
	[ENDPOINT_SERVER]   = {"server", FIELD_IF_ON,    AT(server), 0, 0, NULL,
		"may send what DHCP servers and routers send", .flag = TSW_ENDPOINT_SERVER},
	[ENDPOINT_XDP]      = {"xdp",    FIELD_IF_ON,    AT(xdp),    0, 0, NULL,
		"all frames to it pass its own XDP programs; slower", .flag = TSW_ENDPOINT_XDP},
	[ENDPOINT_RATE_OUT] = LIMITS(struct tsw_endpoint_spec, limits),
	[ENDPOINT_GROUP]    = {"group",  FIELD_GROUPS,   AT(group),  0, 0, NULL,
		"groups of its tenant, for the rules of the policy"},
	[ENDPOINT_VIP]      = {"vip",    FIELD_VIPS,     AT(vip),    0, 0, NULL,
		"addresses that it shares with others of its tenant: who announced one last has it"},
	[ENDPOINT_PREFIX]   = {"prefix", FIELD_NETS,     AT(prefix), 0, 0, NULL,
		"networks behind it: it may send from them, and gets what is for them"},
	[ENDPOINT_MACS]     = {"macs",   FIELD_IF_NUMBER, AT(macs),  1, TSW_MACS, NULL,
		"other MACs that it may send from, as those behind a bridge in it"},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_gateway_spec, field)

const struct field gateway_fields[] = {
	[GATEWAY_IP]    = {"ip",    FIELD_CIDRS,  AT(ip),    0, 0, NULL,
		"its own addresses, each with its network"},
	[GATEWAY_HOST]  = {"host",  FIELD_NAME,   AT(host),  0, 0, NULL,
		"the host that serves it; none: each host serves its own", 0, FIELD(GATEWAY_BACKUP)},
	[GATEWAY_BACKUP] = {"backup", FIELD_NAMES, AT(backup), 0, 0, NULL,
		"the hosts that take over, in this order, when the one before does not answer"},
	[GATEWAY_MAC]   = {"mac",   FIELD_MAC,    AT(mac),   0, 0, NULL,
		"none: derived from the tenant's id"},
	[GATEWAY_NAT]   = {"nat",   FIELD_ON,     AT(nat),   0, 0, NULL, .flag = TSW_GATEWAY_NAT},
	[GATEWAY_SNAT]  = {"snat",  FIELD_SNATS,  AT(snat),  0, 0, NULL,
		"source addresses of outgoing connections, at most one of each family"},
	[GATEWAY_RESOLVER] = {"resolver", FIELD_RESOLVERS, AT(resolver), 0, 0, NULL,
		"with dns on, DNS servers for names outside of the tenant"},
	[GATEWAY_FAST]  = {"fast",  FIELD_IF_OFF, AT(fast),  0, 0, NULL,
		"off: all its frames pass the router's rules", .flag = TSW_GATEWAY_SLOW},
	[GATEWAY_METADATA] = {"metadata", FIELD_IF_ON, AT(metadata), 0, 0, NULL,
		"on: it leads to addresses that the switch closes, such as clouds' metadata addresses", .flag = TSW_GATEWAY_METADATA},
	[GATEWAY_TIMEOUT + TSW_TIMEOUT_TCP_ESTABLISHED] =
		TIMEOUT("timeout_tcp_established", TSW_TIMEOUT_TCP_ESTABLISHED),
	[GATEWAY_TIMEOUT + TSW_TIMEOUT_TCP_CLOSE_WAIT] =
		TIMEOUT("timeout_tcp_close_wait", TSW_TIMEOUT_TCP_CLOSE_WAIT),
	[GATEWAY_TIMEOUT + TSW_TIMEOUT_UDP] = TIMEOUT("timeout_udp", TSW_TIMEOUT_UDP),
	[GATEWAY_TIMEOUT + TSW_TIMEOUT_UDP_STREAM] =
		TIMEOUT("timeout_udp_stream", TSW_TIMEOUT_UDP_STREAM),
	[GATEWAY_HELPER + TSW_HELPER_FTP]  = HELPER("helper_ftp", TSW_HELPER_FTP, "TCP to port 21"),
	[GATEWAY_HELPER + TSW_HELPER_TFTP] = HELPER("helper_tftp", TSW_HELPER_TFTP, "UDP to port 69"),
	[GATEWAY_HELPER + TSW_HELPER_SIP]  = HELPER("helper_sip", TSW_HELPER_SIP, "UDP to port 5060"),
	[GATEWAY_DRAIN] = {"drain", FIELD_NUMBER, AT(drain), 0, DRAIN_MAX, NULL},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_publish_spec, field)

const struct field publish_fields[] = {
	[PUBLISH_PROTO] = {"proto", FIELD_CHOICE, AT(proto), 0, 0, word_protos},
	[PUBLISH_PORT]  = {"port",  FIELD_NUMBER, AT(port),  1, 65535, NULL},
	[PUBLISH_TO]    = {"to",    FIELD_TARGET, AT(to),    0, 0, NULL,
		"IP:PORT or [IPv6]:PORT of an endpoint of the tenant"},
	[PUBLISH_HOST]  = {"host",  FIELD_NAME,   AT(host),  0, 0, NULL,
		"the only host that publishes the port; none: each host"},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_peer_spec, field)

const struct field peer_fields[] = {
	[PEER_TENANT] = {"tenant", FIELD_NAME,     AT(tenant), 0, 0, NULL},
	[PEER_WITH]   = {"with",   FIELD_NAME,     AT(with),   0, 0, NULL},
	[PEER_PROTO]  = {"proto",  FIELD_CHOICE,   AT(proto),  0, 0, word_protos},
	[PEER_PORT]   = {"port",   FIELD_NUMBER,   AT(port),   1, 65535, NULL},
	[PEER_PREFIX] = {"prefix", FIELD_NETWORKS, AT(prefix), 0, 0, NULL},
	{},
};

const struct field group_fields[] = {
	[GROUP_NAME] = {"name", FIELD_NEW_NAME, 0, 0, 0, NULL},
	{},
};

#undef AT
#define AT(field) offsetof(struct tsw_policy_spec, field)

const struct field policy_fields[] = {
	[POLICY_NAME]     = {"name",     FIELD_NEW_NAME, AT(name),     0, 0, NULL},
	[POLICY_FROM]     = {"from",     FIELD_WHO,      AT(from),     0, 0, word_who},
	[POLICY_TO]       = {"to",       FIELD_WHO,      AT(to),       0, 0, word_who},
	[POLICY_PROTO]    = {"proto",    FIELD_CHOICE,   AT(proto),    0, 0, word_policy_protos},
	[POLICY_PORT]     = {"port",     FIELD_PORTS,    AT(port),     0, 0, word_any,
		"destination ports, with tcp, udp or sctp: N, N-M or any"},
	[POLICY_ACTION]   = {"action",   FIELD_CHOICE,   AT(action),   0, 0, word_actions},
	[POLICY_PRIORITY] = {"priority", FIELD_NUMBER,   AT(priority), 1, PRIORITY_MAX, NULL,
		"the matching rule with the highest priority decides; among equals deny goes first"},
	[POLICY_LOG]      = {"log",      FIELD_ON,       AT(log),      0, 0, NULL},
	{},
};
/* clang-format on */

const struct field *field_of_key(const char *key)
{
	static const struct field *const tables[] = {
		tenant_fields, endpoint_fields, gateway_fields, switch_fields,
		host_fields,   publish_fields,	peer_fields,	policy_fields,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct field *f = tables[i]; f->key; f++)
			if (f->kind != FIELD_LATER && !strcmp(f->key, key))
				return f;
	return NULL;
}

__u32 fields_to_flags(const struct field *fields, const void *object, __u32 flags)
{
	const struct field *f;

	for (f = fields; f->key; f++)
		if (f->flag)
			flags = *((const bool *)object + f->offset) != (f->kind == FIELD_IF_OFF)
					? flags | f->flag
					: flags & ~f->flag;
	return flags;
}

void fields_from_flags(const struct field *fields, __u32 flags, void *object)
{
	const struct field *f;

	for (f = fields; f->key; f++)
		if (f->flag)
			*((bool *)object + f->offset) =
				!(flags & f->flag) == (f->kind == FIELD_IF_OFF);
}

__u8 proto_number(__u32 proto)
{
	return proto == TSW_PROTO_UDP ? IPPROTO_UDP : IPPROTO_TCP;
}
