// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "kernel/map_update.h"
#include "policies.h"

#define OF_ADDR 32 /* bits of a trie's prefix that are the tenant's */

static struct tsw_policy policy_of(__u32 tenant)
{
	struct tsw_policy policy = {};

	bpf_map_lookup_elem(lab_map(M_POLICIES), &tenant, &policy);
	return policy;
}

void lab_policy_mode(__u32 tenant, enum tsw_policy_mode mode)
{
	struct tsw_policy policy = policy_of(tenant);

	policy.mode = mode;
	lab_set(M_POLICIES, &tenant, &policy);
}

void lab_policy_connections(__u32 tenant, __u32 most)
{
	struct tsw_policy policy = policy_of(tenant);

	policy.connections = most;
	lab_set(M_POLICIES, &tenant, &policy);
}

void lab_policy_table(__u32 tenant, __u32 table)
{
	struct tsw_policy policy = policy_of(tenant);

	policy.table = table;
	lab_set(M_POLICIES, &tenant, &policy);
}

void lab_policy_changed(__u32 tenant)
{
	struct tsw_policy policy = policy_of(tenant);

	policy.generation++;
	lab_set(M_POLICIES, &tenant, &policy);
}

void lab_policy_begin(__u32 tenant, enum tsw_policy_mode mode, bool deny)
{
	const struct tsw_policy policy = {
		.mode = mode, .deny = deny, .generation = 1, .table = tenant};

	lab_set(M_POLICIES, &tenant, &policy);
	lab_tenant_flag(tenant, TSW_TENANT_POLICY);
	lab_port_flag(tenant, NULL, TSW_PORT_POLICY);
}

void lab_policy_member(__u32 tenant, const char *mac, __u16 group, __u16 other)
{
	const struct tsw_policy_member member = {.group = {group, other}};
	struct tsw_policy policy = policy_of(tenant);
	struct tsw_fdb_key key = {.tenant = tenant};

	frame_mac(key.mac.b, mac);
	lab_set(M_POLICY_MEMBERS, &key, &member);
	policy.members++;
	lab_set(M_POLICIES, &tenant, &policy);
	lab_policy_changed(tenant);
}

void lab_policy_cidr(__u32 tenant, const char *ip, __u32 len, __u16 number)
{
	const struct tsw_policy_cidr cidr = {.number = number, .length = len};
	struct tsw_policy_cidr_key key = {.prefix = OF_ADDR + len, .tenant = tenant};

	frame_ip((__u8 *)&key.addr, ip);
	lab_set(M_POLICY_CIDRS, &key, &cidr);
	lab_policy_changed(tenant);
}

static struct tsw_policy_way_key way_key(const struct policy_way *way)
{
	return (struct tsw_policy_way_key){.tenant = way->tenant ? way->tenant : RED,
					   .from = way->from,
					   .to = way->to,
					   .proto = way->proto,
					   .length = way->length,
					   .port = htons(way->port)};
}

static void way_put(const struct policy_way *way, bool always)
{
	const enum tsw_policy_action action = way->deny ? TSW_POLICY_DENY : TSW_POLICY_ALLOW;
	const __u32 weight = TSW_POLICY_WEIGHT(way->priority ? way->priority : 1000, action, 0);
	const struct tsw_policy_way_key key = way_key(way);
	struct tsw_policy policy = policy_of(key.tenant);
	struct tsw_policy_way now = {};

	if (!always && !bpf_map_lookup_elem(lab_map(M_POLICY_WAYS), &key, &now) &&
	    now.then.weight >= weight)
		return;
	policy.lengths |= 1U << way->length;
	policy.generation++;
	now = (struct tsw_policy_way){.generation = policy.generation,
				      .then = {.number = way->number, .weight = weight}};
	lab_set(M_POLICY_WAYS, &key, &now);
	lab_set(M_POLICIES, &key.tenant, &policy);
}

void lab_policy_way(const struct policy_way *way)
{
	way_put(way, true);
}

void lab_policy_way_add(const struct policy_way *way)
{
	way_put(way, false);
}

void lab_policy_way_unset(const struct policy_way *way)
{
	const struct tsw_policy_way_key key = way_key(way);

	lab_unset(M_POLICY_WAYS, &key);
	lab_policy_changed(key.tenant);
}

__u64 lab_policy_hits(__u32 tenant, __u32 number)
{
	const struct tsw_policy_hit_key key = {.tenant = tenant, .number = number};
	struct tsw_counter of_cpu[LAB_CPUS] = {};
	__u64 sum = 0;

	if (bpf_map_lookup_elem(lab_map(M_POLICY_HITS), &key, of_cpu))
		return 0;
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		sum += of_cpu[cpu].packets;
	return sum;
}

static __u32 tick(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec * 1000000000ULL + now.tv_nsec) >> TSW_FAIR_TICK & TSW_CONN_UNTIL;
}

/*
 * Each bucket of the tenant: EACH may change it. BPF_F_LOCK writes in place. Without it the kernel
 * puts the entry in front of those that share its hash, and the walk meets these again and again.
 * A bucket may have been swept away meanwhile.
 */
static void buckets(__u32 tenant, void (*each)(struct tsw_policy_conn *c, void *context),
		    void *context)
{
	struct tsw_policy_conn_key key, next, *prev = NULL;
	struct tsw_policy_bucket bucket;
	const int map = lab_map(M_POLICY_CONNS);

	while (!bpf_map_get_next_key(map, prev, &next)) {
		key = next;
		prev = &key;
		if (key.tenant != tenant || bpf_map_lookup_elem(map, &key, &bucket))
			continue;
		for (size_t i = 0; i < TSW_POLICY_BUCKET; i++)
			each(&bucket.conn[i], context);
		if (map_update(map, &key, &bucket, BPF_EXIST | BPF_F_LOCK))
			assert_int_equal(errno, ENOENT);
	}
}

static void count_one(struct tsw_policy_conn *c, void *context)
{
	*(size_t *)context += c->until > tick();
}

size_t lab_policy_conns(__u32 tenant)
{
	size_t n = 0;

	buckets(tenant, count_one, &n);
	return n;
}

static void age_one(struct tsw_policy_conn *c, void *context)
{
	const __u32 ticks = *(__u32 *)context;

	c->until = c->until > ticks ? c->until - ticks : 0;
}

void lab_policy_age(__u32 tenant, __u32 ticks)
{
	buckets(tenant, age_one, &ticks);
}

bool policy_passes(enum program program, __u32 dev, const struct spec *spec)
{
	struct __sk_buff ctx = {.ifindex = dev, .mark = dev == GW ? TENANT_MARK : 0};
	struct packet_run run;
	struct frame in;

	frame_build(spec, &in);
	packet_tell_mark(program, &in, &ctx);
	assert_int_equal(packet_run(program, &in, &ctx, &run), 0);
	return run.verdict == TC_ACT_REDIRECT;
}

int policy_sent(enum program program, __u32 dev, const struct spec *spec)
{
	struct counts got;

	counts_clear();
	if (policy_passes(program, dev, spec))
		return 0;
	counts_read(&got);
	for (int reason = 1; reason < TSW_DROP_MAX; reason++)
		for (int dir = 0; dir < TSW_DIR_MAX; dir++)
			if (got.drops[lab_slot(RED)][reason][dir].packets)
				return reason;
	return -1;
}
