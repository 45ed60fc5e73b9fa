// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/map_update.h"
#include "kernel/system.h"
#include "lab.h"
#include "lab_load.h"

#define KEY_MAX 128

/* The maps; the programs are in lab_load.c. */
static struct tsw_bpf *bpf;

static struct bpf_map *map_of(enum map map)
{
	struct bpf_map *const maps[] = {
		[M_CONFIG] = bpf->maps.tsw_config,
		[M_CRYPT] = bpf->maps.tsw_crypt,
		[M_TENANTS] = bpf->maps.tsw_tenants,
		[M_HOSTS] = bpf->maps.tsw_hosts,
		[M_VTEPS] = bpf->maps.tsw_vteps,
		[M_PORTS] = bpf->maps.tsw_ports,
		[M_FDB] = bpf->maps.tsw_fdb,
		[M_DEVICES] = bpf->maps.tsw_devices,
		[M_CRYPT_DEVICES] = bpf->maps.tsw_crypt_devices,
		[M_ADDRS] = bpf->maps.tsw_addrs,
		[M_BINDINGS] = bpf->maps.tsw_bindings,
		[M_BOUND] = bpf->maps.tsw_bound,
		[M_VIPS] = bpf->maps.tsw_vips,
		[M_TAKEN] = bpf->maps.tsw_taken,
		[M_MACS] = bpf->maps.tsw_macs,
		[M_INNER] = bpf->maps.tsw_inner,
		[M_PREFIXES] = bpf->maps.tsw_prefixes,
		[M_GROUPS] = bpf->maps.tsw_groups,
		[M_STATS] = bpf->maps.tsw_stats,
		[M_HOST_STATS] = bpf->maps.tsw_host_stats,
		[M_DROPS] = bpf->maps.tsw_drops,
		[M_GATEWAYS] = bpf->maps.tsw_gateways,
		[M_MARKS] = bpf->maps.tsw_marks,
		[M_FLOWS] = bpf->maps.tsw_flows,
		[M_PEER_ROUTES] = bpf->maps.tsw_peer_routes,
		[M_LIMITS] = bpf->maps.tsw_limits,
		[M_NAMES] = bpf->maps.tsw_names,
		[M_ENDPOINTS] = bpf->maps.tsw_endpoints,
		[M_NETS] = bpf->maps.tsw_nets,
		[M_DOMAINS] = bpf->maps.tsw_domains,
		[M_BOOT] = bpf->maps.tsw_boot,
		[M_RELAYS] = bpf->maps.tsw_relays,
		[M_MOVES] = bpf->maps.tsw_moves,
		[M_REPLY] = bpf->maps.tsw_reply,
		[M_FAST] = bpf->maps.tsw_fast,
		[M_PROBES] = bpf->maps.tsw_probes,
		[M_SNATS] = bpf->maps.tsw_snats,
		[M_SNAT_USERS] = bpf->maps.tsw_snat_users,
		[M_PUBLISH] = bpf->maps.tsw_publish,
		[M_CLOSED] = bpf->maps.tsw_closed,
		[M_ROUTED] = bpf->maps.tsw_routed,
		[M_UPLINK_SLOTS] = bpf->maps.tsw_uplink_slots,
		[M_UPLINK_ADDRS] = bpf->maps.tsw_uplink_addrs,
		[M_ASKED] = bpf->maps.tsw_asked,
		[M_EXPECTED] = bpf->maps.tsw_expected,
		[M_POLICIES] = bpf->maps.tsw_policies,
		[M_POLICY_MEMBERS] = bpf->maps.tsw_policy_members,
		[M_POLICY_WAYS] = bpf->maps.tsw_policy_ways,
		[M_POLICY_CIDRS] = bpf->maps.tsw_policy_cidrs,
		[M_POLICY_CONNS] = bpf->maps.tsw_policy_conns,
		[M_POLICY_HITS] = bpf->maps.tsw_policy_hits,
		[M_FLOW_TABLES] = bpf->maps.tsw_flow_tables,
		[M_FLOW_CACHE] = bpf->maps.tsw_flow_cache,
	};

	return maps[map];
}

int lab_map(enum map map)
{
	return bpf_map__fd(map_of(map));
}

int lab_open(void)
{
	int err = lab_net_make();

	if (err) {
		fprintf(stderr, "# the bench cannot be made: %s\n", strerror(-err));
		return -1;
	}
	bpf = lab_load_maps();
	if (!bpf)
		return -1;
	lab_fill();
	return 0;
}

void lab_close(void)
{
	lab_unload();
	bpf = NULL;
}

struct bpf_object *lab_object(void)
{
	return bpf->obj;
}

int lab_program(enum program program)
{
	static const char *const names[] = {
		[FROM_PORT] = "tsw_from_port",	     [TO_PORT] = "tsw_to_port",
		[FROM_WIRE] = "tsw_from_wire",	     [TO_WIRE] = "tsw_to_wire",
		[FROM_TUNNEL] = "tsw_from_tunnel",   [FROM_GATEWAY] = "tsw_from_gateway",
		[XDP] = "tsw_xdp_generic",	     [XDP_NATIVE] = "tsw_xdp_native",
		[TO_GATEWAY] = "tsw_to_gateway",     [LEAVE_GATEWAY] = "tsw_leave_gateway",
		[ENTER_WORLD] = "tsw_enter_world",   [LEAVE_WORLD] = "tsw_leave_world",
		[FROM_WORLD] = "tsw_from_world",     [TO_WORLD] = "tsw_to_world",
		[FAST_GATEWAY] = "tsw_fast_gateway", [LEAVE_BLIND] = "tsw_leave_gateway.blind",
	};

	return lab_program_named(names[program]);
}

void lab_set(enum map map, const void *key, const void *value)
{
	if (!map_update(lab_map(map), key, value, BPF_ANY))
		return;
	fprintf(stderr, "# map %s: %s\n", bpf_map__name(map_of(map)), strerror(errno));
	abort();
}

void lab_unset(enum map map, const void *key)
{
	bpf_map_delete_elem(lab_map(map), key);
}

void lab_clear(enum map map)
{
	__u8 key[KEY_MAX];

	while (!bpf_map_get_next_key(lab_map(map), NULL, key))
		lab_unset(map, key);
}

void lab_reply_busy(bool busy)
{
	const size_t size = bpf_map__value_size(map_of(M_REPLY)) / sizeof(__u64);
	const size_t cpus = (size_t)libbpf_num_possible_cpus();
	__u64 *value = calloc(cpus, size * sizeof(*value));
	__u32 zero = 0;
	size_t i;

	for (i = 0; value && i < cpus * size; i++)
		value[i] = i % size == size - 1 ? busy : ~0ULL; /* as a former answer leaves it */
	lab_set(M_REPLY, &zero, value);
	free(value);
}

/* Also where that cannot be read. */
bool lab_reply_is_busy(void)
{
	const size_t size = bpf_map__value_size(map_of(M_REPLY)) / sizeof(__u64);
	const size_t cpus = (size_t)libbpf_num_possible_cpus();
	__u64 *value = calloc(cpus, size * sizeof(*value));
	__u32 zero = 0;
	size_t cpu;
	bool busy;

	busy = !value || bpf_map_lookup_elem(lab_map(M_REPLY), &zero, value);
	for (cpu = 0; !busy && cpu < cpus; cpu++)
		busy = value[cpu * size + size - 1] != 0;
	free(value);
	return busy;
}

void lab_config(struct tsw_config *cfg)
{
	__u32 zero = 0;

	bpf_map_lookup_elem(lab_map(M_CONFIG), &zero, cfg);
}

void lab_config_set(const struct tsw_config *cfg)
{
	__u32 zero = 0;

	lab_set(M_CONFIG, &zero, cfg);
}

void lab_config_flag(__u32 on, __u32 off)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.flags = (cfg.flags | on) & ~off;
	lab_config_set(&cfg);
}

void lab_changed(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.generation++;
	lab_config_set(&cfg);
}

void lab_tenant(__u32 tenant, __u32 mtu, __u32 flags)
{
	static const struct tsw_tenant_stats none[LAB_CPUS];
	bool gre = tenant == GREEN || tenant > TSW_VNI_MAX;
	struct tsw_tenant t = {
		.encap = gre ? TSW_ENCAP_GRE : TSW_ENCAP_VXLAN, .mtu = mtu, .flags = flags};

	if (tenant == VIOLET)
		t.encap = TSW_ENCAP_GENEVE;
	lab_set(M_STATS, &tenant, none);
	lab_set(M_TENANTS, &tenant, &t);
}

void lab_broadcast_off(__u32 tenant)
{
	struct tsw_tenant t = {};

	bpf_map_lookup_elem(lab_map(M_TENANTS), &tenant, &t);
	t.flags &= ~TSW_TENANT_BROADCAST;
	lab_set(M_TENANTS, &tenant, &t);
}

void lab_port(__u32 ifindex, __u32 tenant, const char *mac, __u32 flags)
{
	struct tsw_port port = {.tenant = tenant, .flags = flags};

	frame_mac(port.mac.b, mac);
	lab_set(M_PORTS, &ifindex, &port);
	lab_set(M_DEVICES, &ifindex, &ifindex);
}

void lab_fdb(__u32 tenant, const char *mac, enum tsw_place place, __u32 id)
{
	struct tsw_fdb_key key = {.tenant = tenant};
	struct tsw_fdb fdb = {.place = place, .id = id};

	frame_mac(key.mac.b, mac);
	lab_set(M_FDB, &key, &fdb);
}

void lab_fdb_unset(__u32 tenant, const char *mac)
{
	struct tsw_fdb_key key = {.tenant = tenant};

	frame_mac(key.mac.b, mac);
	lab_unset(M_FDB, &key);
}

void lab_addr(__u32 tenant, const char *ip, const char *mac)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_addr_owner owner = {};

	frame_ip((__u8 *)&key.addr, ip);
	frame_mac(owner.mac.b, mac);
	lab_set(M_ADDRS, &key, &owner);
}

static struct tsw_limit_key limit_key(__u32 tenant, const char *mac)
{
	struct tsw_limit_key key = {.tenant = tenant};

	if (mac)
		frame_mac(key.mac.b, mac);
	return key;
}

struct tsw_bucket lab_bucket(__u32 tenant, const char *mac, enum tsw_rate which)
{
	struct tsw_limit_key key = limit_key(tenant, mac);
	struct tsw_limit limit = {};

	bpf_map_lookup_elem(lab_map(M_LIMITS), &key, &limit);
	return limit.bucket[which];
}

void lab_bucket_set(__u32 tenant, const char *mac, enum tsw_rate which, const struct tsw_bucket *b)
{
	struct tsw_limit_key key = limit_key(tenant, mac);
	struct tsw_limit limit = {};

	bpf_map_lookup_elem(lab_map(M_LIMITS), &key, &limit);
	limit.bucket[which] = *b;
	lab_set(M_LIMITS, &key, &limit);
}

void lab_limit(__u32 tenant, const char *mac, enum tsw_rate which, __u64 rate, __u32 octets)
{
	const struct tsw_bucket bucket = {.rate = rate, .depth = octets * TSW_LIMIT_BITS / rate};

	lab_bucket_set(tenant, mac, which, &bucket);
	lab_port_flag(tenant, mac, mac ? TSW_PORT_LIMIT(which) : TSW_PORT_TENANT_LIMIT(which));
}

void lab_name(__u32 tenant, const char *mac, const char *name, const char *first_ip)
{
	struct tsw_endpoint_key endpoint_key = {.tenant = tenant};
	struct tsw_fdb_key key = {.tenant = tenant};
	struct tsw_endpoint ep = {};

	frame_mac(key.mac.b, mac);
	ep.mac = key.mac;
	frame_ip((__u8 *)&ep.first, first_ip);
	snprintf(endpoint_key.name.s, sizeof(endpoint_key.name.s), "%s", name);
	lab_set(M_NAMES, &key, &endpoint_key.name);
	lab_set(M_ENDPOINTS, &endpoint_key, &ep);
}

void lab_net(__u32 tenant, const char *ip, __u32 len)
{
	struct tsw_nets nets = {.n = 1, .at[0].prefix.len = len};

	frame_ip((__u8 *)&nets.at[0].prefix.addr, ip);
	lab_set(M_NETS, &tenant, &nets);
}

void lab_domain(__u32 tenant, const char *name)
{
	struct tsw_domain its = {};
	char *at;

	its.len = (__u32)snprintf(its.text, sizeof(its.text), ".%s", name);
	memcpy(its.wire, its.text, its.len);
	for (at = its.text; *at; at += 1 + its.wire[at - its.text])
		its.wire[at - its.text] = (__u8)strcspn(at + 1, ".");
	lab_set(M_DOMAINS, &tenant, &its);
}

void lab_host(__u32 id, const char *ip)
{
	struct tsw_host host = {};
	struct tsw_addr addr;
	bool v6 = frame_ip((__u8 *)&addr, ip);

	if (bpf_map_lookup_elem(lab_map(M_HOSTS), &id, &host))
		host.family = host.preferred = v6 ? TSW_IPV6 : TSW_IPV4;
	host.addr[v6 ? TSW_IPV6 : TSW_IPV4] = addr;
	lab_set(M_HOSTS, &id, &host);
	lab_set(M_VTEPS, &addr, &id);
}

void lab_host_mtu(__u32 id, __u32 mtu)
{
	struct tsw_host host = {};

	bpf_map_lookup_elem(lab_map(M_HOSTS), &id, &host);
	host.mtu = mtu;
	lab_set(M_HOSTS, &id, &host);
}

void lab_vtep_unset(const char *ip)
{
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	lab_unset(M_VTEPS, &addr);
}

void lab_ring(__u32 tenant, __u32 head, const __u32 *members, size_t count)
{
	struct tsw_group_key key = {.tenant = tenant, .member = head};
	struct tsw_group group = {.refs = 1};

	for (size_t i = 0; i <= count; i++) {
		group.next = i < count ? members[i] : head;
		lab_set(M_GROUPS, &key, &group);
		key.member = group.next;
	}
}

static void fill_config(void)
{
	struct tsw_config cfg = {
		.abi = TSW_ABI_VERSION,
		.underlay = {{.ifindex = WIRE}, {.ifindex = WIRE2}},
		.tunnel = TUNNEL,
		.gateway = GW,
		.uplink = UP,
		.secret = SECRET,
		.pass = LAB_PASS,
		.port = htons(TSW_VXLAN_PORT),
	};

	frame_mac(cfg.seal.b, SEAL);
	lab_router_config(&cfg);
	if (system_kernel_is_least(6, 3))
		cfg.flags = TSW_CFG_DECAP_L3;
	lab_config_set(&cfg);
	lab_config_local(IP_WIRE);
	lab_config_local(IP6_WIRE);
}

/* Where a tenant's endpoints are: ports of A and B, hosts of C to F. */
struct places {
	__u32 tenant, ports[2], hosts[4];
};

static const struct places places[TENANTS] = {
	{RED, {RED_A, RED_B}, {HOST2, HOST3, HOST4, HOST5}},
	{BLUE, {BLUE_A, BLUE_B}, {HOST3, HOST2, HOST5, HOST4}},
	{GREEN, {GREEN_A, GREEN_B}, {HOST2, HOST3, HOST4, HOST5}},
	{LARGE, {LARGE_A}, {HOST2, HOST3, HOST4, HOST5}},
	{VIOLET, {VIOLET_A}, {HOST2, HOST3, HOST4, HOST5}},
};

int lab_slot(__u32 tenant)
{
	int slot = 0;

	while (slot < TENANTS && places[slot].tenant != tenant)
		slot++;
	return slot;
}

static void fill_tenant(const struct places *p)
{
	static const char *const macs[] = {MAC_A, MAC_B, MAC_C, MAC_D, MAC_E, MAC_F};
	static const char *const ips[] = {IP_A, IP_B, IP_C, IP_D, IP_E, IP_F};
	static const char *const ip6s[] = {IP6_A, IP6_B, IP6_C, IP6_D, IP6_E, IP6_F};
	const __u32 ports[] = {p->ports[0], p->ports[1] ?: RED_N, RED_N};
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST2, TSW_MEMBER_HOST | HOST3};
	size_t here = p->ports[1] ? 2 : 1;

	lab_tenant(p->tenant, 0, TSW_TENANT_BROADCAST);
	for (size_t i = 0; i < COUNT(macs); i++) {
		lab_addr(p->tenant, ips[i], macs[i]);
		lab_addr(p->tenant, ip6s[i], macs[i]);
		if (i >= 2) {
			lab_fdb(p->tenant, macs[i], TSW_PLACE_HOST, p->hosts[i - 2]);
		} else if (i < here) {
			lab_port(p->ports[i], p->tenant, macs[i], TSW_PORT_GUARD_IP);
			lab_fdb(p->tenant, macs[i], TSW_PLACE_PORT, p->ports[i]);
		}
	}
	lab_ring(p->tenant, TSW_MEMBER_PORTS, ports, p->tenant == RED ? 3 : here);
	lab_ring(p->tenant, TSW_MEMBER_HOSTS, hosts, COUNT(hosts));
}

static void fill_hosts(void)
{
	static const struct {
		__u32 id;
		const char *ip, *mac; /* of an endpoint there */
	} hosts[] = {
		{HOST2, IP_HOST2, NULL},
		{HOST2, IP6_HOST2, NULL},
		{HOST3, IP_HOST3, NULL},
		{HOST4, IP6_HOST4, NULL},
		{HOST5, IP6_HOST5, NULL},
		{HOST5, IP_HOST5, NULL},
		{HOST_SILENT, IP_SILENT, MAC_ON_SILENT},
		{HOST_NO_ROUTE, IP_NO_ROUTE, MAC_ON_NO_ROUTE},
		{HOST_STRAY, IP_STRAY, MAC_ON_STRAY},
		{HOST_ROUTED, IP_ROUTED, MAC_ON_ROUTED},
		{HOST_TWO_WAYS, IP_TWO_WAYS, MAC_ON_TWO_WAYS},
		{HOST6_SILENT, IP6_SILENT, MAC_ON_SILENT6},
		{HOST6_NO_ROUTE, IP6_NO_ROUTE, MAC_ON_NO_ROUTE6},
		{HOST6_STRAY, IP6_STRAY, MAC_ON_STRAY6},
		{HOST6_ROUTED, IP6_ROUTED, MAC_ON_ROUTED6},
		{HOST6_TWO_WAYS, IP6_TWO_WAYS, MAC_ON_TWO_WAYS6},
	};

	for (size_t i = 0; i < COUNT(hosts); i++) {
		lab_host(hosts[i].id, hosts[i].ip);
		if (!hosts[i].mac)
			continue;
		lab_fdb(RED, hosts[i].mac, TSW_PLACE_HOST, hosts[i].id);
		lab_fdb(GREEN, hosts[i].mac, TSW_PLACE_HOST, hosts[i].id);
	}
	lab_fdb(RED, MAC_ON_GONE, TSW_PLACE_HOST, HOST_GONE);
}

void lab_fill(void)
{
	for (enum map map = M_TENANTS; map < M_STATS; map++)
		lab_clear(map);
	lab_reply_busy(false);
	fill_config();
	for (int i = 0; i < TENANTS; i++)
		fill_tenant(&places[i]);
	lab_port(RED_N, RED, MAC_N, 0);
	lab_fdb(RED, MAC_N, TSW_PLACE_PORT, RED_N);
	fill_hosts();
	lab_gateways_fill();
}
