// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

static const __u32 tenants[TENANTS] = {RED, BLUE, GREEN, LARGE, VIOLET};
static const char *const whose[] = {"red", "blue", "green", "large", "violet", "nobody"};

/* Per CPU, as the kernel wants and gives it; large enough for any machine. */
static union {
	struct tsw_tenant_stats stats[LAB_CPUS];
	struct tsw_host_stats hosts[LAB_CPUS];
	struct tsw_counter drops[LAB_CPUS];
} each;

void counts_clear(void)
{
	memset(&each, 0, libbpf_num_possible_cpus() * (sizeof(each) / LAB_CPUS));
	lab_clear(M_DROPS);
	for (int i = 0; i < TENANTS; i++)
		lab_set(M_STATS, &tenants[i], &each);
	for (__u32 id = 1; id < HOSTS; id++)
		lab_set(M_HOST_STATS, &id, &each);
}

/* Adds up what the CPUs counted: `count` counters at the head of `size` octets each. */
static void read_counters(enum map map, const void *key, size_t size, struct tsw_counter *sum,
			  int count)
{
	int cpus = libbpf_num_possible_cpus();

	if (cpus > LAB_CPUS || bpf_map_lookup_elem(lab_map(map), key, &each))
		return;
	for (int cpu = 0; cpu < cpus; cpu++) {
		const struct tsw_counter *c = (void *)((char *)&each + cpu * size);

		for (int i = 0; i < count; i++) {
			sum[i].packets += c[i].packets;
			sum[i].bytes += c[i].bytes;
		}
	}
}

void counts_read(struct counts *c)
{
	struct tsw_drop_key key, *last = NULL;

	memset(c, 0, sizeof(*c));
	for (int i = 0; i < TENANTS; i++)
		read_counters(M_STATS, &tenants[i], sizeof(each.stats[0]), c->stats[i], MOVES);
	for (__u32 id = 1; id < HOSTS; id++)
		read_counters(M_HOST_STATS, &id, sizeof(each.hosts[0]), c->hosts[id], 2);
	for (; !bpf_map_get_next_key(lab_map(M_DROPS), last, &key); last = &key) {
		if (key.reason >= TSW_DROP_MAX || key.direction >= TSW_DIR_MAX) {
			fprintf(stderr, "# drop of reason %u, direction %u\n", key.reason,
				key.direction);
			abort();
		}
		read_counters(M_DROPS, &key, sizeof(each.drops[0]),
			      &c->drops[lab_slot(key.tenant)][key.reason][key.direction], 1);
	}
}

static bool same(const char *name, const char *what, const struct tsw_counter *got,
		 const struct tsw_counter *want)
{
	if (got->packets == want->packets && got->bytes == want->bytes)
		return true;
	fprintf(stderr, "# %s: %s counts %llu packets, %llu octets, not %llu, %llu\n", name, what,
		got->packets, got->bytes, want->packets, want->bytes);
	return false;
}

static bool drops_equal(const char *name, int slot, const struct counts *got,
			const struct counts *want)
{
	static const char *const words[] = {
#define WORD(id, word) [TSW_DROP_##id] = word,
		TSW_DROP_REASONS(WORD)
#undef WORD
	};
	char what[128];
	bool ok = true;

	for (int reason = 1; reason < TSW_DROP_MAX; reason++)
		for (int dir = 0; dir < TSW_DIR_MAX; dir++) {
			snprintf(what, sizeof(what), "%s %s[%d]", whose[slot], words[reason], dir);
			ok &= same(name, what, &got->drops[slot][reason][dir],
				   &want->drops[slot][reason][dir]);
		}
	return ok;
}

bool counts_equal(const char *name, const struct counts *got, const struct counts *want)
{
	static const char *const moves[] = {"local",   "tunnel_tx", "tunnel_rx", "gateway",
					    "slow_tx", "slow_rx",   "answered"};
	char what[128];
	bool ok = true;

	/* What follows is words for thousands of counters, in vain nearly always. */
	if (!memcmp(got, want, sizeof(*got)))
		return true;
	for (int tenant = 0; tenant < TENANTS; tenant++)
		for (int i = 0; i < MOVES; i++) {
			snprintf(what, sizeof(what), "%s %s", whose[tenant], moves[i]);
			ok &= same(name, what, &got->stats[tenant][i], &want->stats[tenant][i]);
		}
	for (int id = 1; id < HOSTS; id++) {
		snprintf(what, sizeof(what), "host %d", id);
		ok &= same(name, what, &got->hosts[id][0], &want->hosts[id][0]);
		ok &= same(name, what, &got->hosts[id][1], &want->hosts[id][1]);
	}
	for (int slot = 0; slot <= TENANTS; slot++)
		ok &= drops_equal(name, slot, got, want);
	return ok;
}
