// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "record/tenant_find.h"
#include "store/attach.h"
#include "tools/metrics/expo.h"
#include "tools/metrics/parts.h"
#include "tools/metrics/read.h"
#include "wire/underlay.h"

#define AT(field) offsetof(struct tsw_stats, field)

enum unit { PACKETS, BYTES, UNITS };
enum { TEXT_LEN = 256, NUMBER_LEN = 12 };

struct way {
	const char *word; /* value of the label */
	size_t at;	  /* of a struct tsw_counter */
};

static const struct way ways[] = {
	{"local", AT(local)},
	{"tunnel_tx", AT(tunnel_tx)},
	{"tunnel_rx", AT(tunnel_rx)},
	{"gateway", AT(gateway)},
};
static const struct way slow_ways[] = {{"tx", AT(slow_tx)}, {"rx", AT(slow_rx)}};
static const struct way answers[] = {{NULL, AT(answered)}};

/* Counters of tenants, each as packets and as octets. */
struct family {
	const char *name[UNITS];
	const char *all[UNITS]; /* of the sum over all tenants, in place of each */
	const char *help[UNITS];
	const char *key; /* of the label that tells the way */
	const struct way *ways;
	size_t n_ways;
};

/* clang-format off */
static const struct family families[] = {
	{.name = {"tsw_tenant_packets_total", "tsw_tenant_bytes_total"},
	 .all = {"tsw_tenants_packets", "tsw_tenants_bytes"},
	 .help = {"Frames, as on a wire: endpoint to endpoint here, to and from other hosts, by the "
		  "gateway here; between that and another host: both.",
		  "Octets of these frames, without outer headers."},
	 .key = "way", .ways = ways, .n_ways = sizeof(ways) / sizeof(ways[0])},
	{.name = {"tsw_tenant_slow_packets_total", "tsw_tenant_slow_bytes_total"},
	 .all = {"tsw_tenants_slow_packets", "tsw_tenants_slow_bytes"},
	 .help = {"Those of the tunnel frames that the kernel's tunnel device carried.",
		  "Octets of these frames."},
	 .key = "direction", .ways = slow_ways, .n_ways = sizeof(slow_ways) / sizeof(slow_ways[0])},
	{.name = {"tsw_tenant_answered_packets_total", "tsw_tenant_answered_bytes_total"},
	 .all = {"tsw_tenants_answered_packets", "tsw_tenants_answered_bytes"},
	 .help = {"Answers given at the port: ARP, neighbour discovery, too big, echo of the gateway.",
		  "Octets of these answers."},
	 .ways = answers, .n_ways = sizeof(answers) / sizeof(answers[0])},
};

static const struct family drop_family = {
	.name = {"tsw_drop_packets_total", "tsw_drop_bytes_total"},
	.all = {"tsw_tenants_drop_packets", "tsw_tenants_drop_bytes"},
	.help = {"Dropped frames; without a tenant where it cannot be told.",
		 "Octets of dropped frames."},
};
/* clang-format on */

static __u64 unit_of(const struct tsw_counter *counter, enum unit unit)
{
	return unit == BYTES ? counter->bytes : counter->packets;
}

static __u64 count_of(const struct tsw_stats *stats, const struct way *way, enum unit unit)
{
	return unit_of((const void *)((const char *)stats + way->at), unit);
}

/* A renumbering that was killed leaves a name twice, until the next command that changes a thing.
 * A series must not come twice. */
static bool is_double(const struct metrics *m, size_t i)
{
	const struct tenant_row *row = &m->tenants.row[i];

	return i && !strcmp(row->tenant.name, row[-1].tenant.name);
}

/* The sum falls when a tenant is deleted, so it is a gauge. */
static void begin_all(struct expo *x, const struct family *f, enum unit unit)
{
	char help[TEXT_LEN];

	snprintf(help, sizeof(help),
		 "%s Sum over the tenants that there are now: falls when one is deleted.",
		 f->help[unit]);
	expo_begin(x, f->all[unit], EXPO_GAUGE, help);
}

static void print_all(struct expo *x, const struct metrics *m, const struct family *f,
		      enum unit unit)
{
	__u64 sum;
	size_t i, way;

	begin_all(x, f, unit);
	for (way = 0; way < f->n_ways; way++) {
		for (sum = 0, i = 0; i < m->tenants.n; i++)
			sum += count_of(&m->stats[i], &f->ways[way], unit);
		if (f->key)
			expo_label(x, f->key, f->ways[way].word);
		expo_value(x, sum);
	}
	expo_end(x);
}

static void print_each(struct expo *x, const struct metrics *m, const struct family *f,
		       enum unit unit)
{
	size_t i, way;

	expo_begin(x, f->name[unit], EXPO_COUNTER, f->help[unit]);
	for (i = 0; i < m->tenants.n; i++)
		for (way = 0; !is_double(m, i) && way < f->n_ways; way++) {
			expo_label(x, "tenant", m->tenants.row[i].tenant.name);
			if (f->key)
				expo_label(x, f->key, f->ways[way].word);
			expo_value(x, count_of(&m->stats[i], &f->ways[way], unit));
		}
	expo_end(x);
}

static void print_drop(struct expo *x, const char *tenant, const struct tsw_drop_key *key,
		       __u64 value)
{
	if (tenant)
		expo_label(x, "tenant", tenant);
	expo_label(x, "reason", drop_reason(key->reason));
	expo_label(x, "direction", drop_direction(key->direction));
	expo_value(x, value);
}

/* NULL: not known, or not known any more. */
static const char *tenant_of(const struct metrics *m, const struct drop_row *drop)
{
	const struct tenant_row *row = tenants_row(&m->tenants, drop->key.tenant);

	return row && !is_double(m, (size_t)(row - m->tenants.row)) ? row->tenant.name : NULL;
}

/* ALL: of all tenants; else of those frames alone whose tenant is not known. */
static void print_drop_sums(struct expo *x, const struct metrics *m, bool all, enum unit unit)
{
	__u64 sum[TSW_DROP_MAX][TSW_DIR_MAX] = {};
	struct tsw_drop_key key = {};
	size_t i;

	for (i = 0; i < m->drops.n; i++) {
		const struct drop_row *drop = &m->drops.row[i];

		if (drop->key.reason < TSW_DROP_MAX && drop->key.direction < TSW_DIR_MAX &&
		    (all || !tenant_of(m, drop)))
			sum[drop->key.reason][drop->key.direction] += unit_of(&drop->count, unit);
	}
	for (key.reason = 0; key.reason < TSW_DROP_MAX; key.reason++)
		for (key.direction = 0; key.direction < TSW_DIR_MAX; key.direction++)
			if (sum[key.reason][key.direction])
				print_drop(x, all ? NULL : "", &key,
					   sum[key.reason][key.direction]);
}

static void print_drops(struct expo *x, const struct metrics *m, bool each, enum unit unit)
{
	const char *tenant;
	size_t i;

	if (each)
		expo_begin(x, drop_family.name[unit], EXPO_COUNTER, drop_family.help[unit]);
	else
		begin_all(x, &drop_family, unit);
	print_drop_sums(x, m, !each, unit);
	for (i = 0; each && i < m->drops.n; i++) {
		tenant = tenant_of(m, &m->drops.row[i]);
		if (tenant)
			print_drop(x, tenant, &m->drops.row[i].key,
				   unit_of(&m->drops.row[i].count, unit));
	}
	expo_end(x);
}

static void print_counters(struct expo *x, const struct metrics *m, bool each)
{
	enum unit unit;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		for (unit = 0; unit < UNITS; unit++)
			(each ? print_each : print_all)(x, m, &families[i], unit);
	for (unit = 0; unit < UNITS; unit++)
		print_drops(x, m, each, unit);
}

static void print_tenants(struct expo *x, const struct metrics *m)
{
	const struct tenant_row *row = m->tenants.row;
	char id[NUMBER_LEN];
	size_t i;

	expo_begin(x, "tsw_tenant_info", EXPO_GAUGE, "A tenant's id and encapsulation; always 1.");
	for (i = 0; i < m->tenants.n; i++) {
		if (is_double(m, i))
			continue;
		snprintf(id, sizeof(id), "%u", row[i].id);
		expo_label(x, "tenant", row[i].tenant.name);
		expo_label(x, "id", id);
		expo_of(x, "encap", encap_text(row[i].tenant.encap), 1);
	}
	expo_end(x);
	expo_begin(x, "tsw_tenant_endpoints", EXPO_GAUGE, "Endpoints of a tenant, on all hosts.");
	for (i = 0; i < m->tenants.n; i++)
		if (!is_double(m, i))
			expo_of(x, "tenant", row[i].tenant.name, row[i].tenant.endpoints);
	expo_end(x);
	expo_begin(x, "tsw_tenant_gateway_served", EXPO_GAUGE,
		   "Does this host serve the tenant's gateway? Of tenants that have one.");
	for (i = 0; i < m->tenants.n; i++)
		if (!is_double(m, i) && m->gateway[i].there)
			expo_of(x, "tenant", row[i].tenant.name, m->gateway[i].served);
	expo_end(x);
	expo_begin(x, "tsw_tenant_gateway_rank", EXPO_GAUGE,
		   "Which of the gateway's hosts serves it, as this host sees it; 1 is the first.");
	for (i = 0; i < m->tenants.n; i++)
		if (!is_double(m, i) && m->gateway[i].rank)
			expo_of(x, "tenant", row[i].tenant.name, m->gateway[i].rank);
	expo_end(x);
}

static void print_host_counts(struct expo *x, const struct metrics *m, const char *name,
			      const char *help, enum unit unit)
{
	size_t i;

	expo_begin(x, name, EXPO_COUNTER, help);
	for (i = 0; i < m->hosts.n; i++) {
		expo_label(x, "host", m->hosts.row[i].host.name);
		expo_label(x, "direction", "tx");
		expo_value(x, unit_of(&m->traffic[i].tx, unit));
		expo_label(x, "host", m->hosts.row[i].host.name);
		expo_label(x, "direction", "rx");
		expo_value(x, unit_of(&m->traffic[i].rx, unit));
	}
	expo_end(x);
}

static void print_hosts(struct expo *x, const struct metrics *m)
{
	size_t i;

	print_host_counts(x, m, "tsw_host_packets_total",
			  "Frames of all tenants to and from another host.", PACKETS);
	print_host_counts(x, m, "tsw_host_bytes_total",
			  "Octets of these frames, without outer headers.", BYTES);
	expo_begin(x, "tsw_host_endpoints", EXPO_GAUGE, "Endpoints that live on another host.");
	for (i = 0; i < m->hosts.n; i++)
		expo_of(x, "host", m->hosts.row[i].host.name, m->hosts.row[i].host.endpoints);
	expo_end(x);
	expo_begin(x, "tsw_host_mtu_bytes", EXPO_GAUGE,
		   "MTU of another host's underlay, as the host told; 0: it did not.");
	for (i = 0; i < m->hosts.n; i++)
		expo_of(x, "host", m->hosts.row[i].host.name, m->traffic[i].mtu);
	expo_end(x);
}

static void print_vips(struct expo *x, const struct metrics *m)
{
	size_t i;

	expo_begin(x, "tsw_vip_changes_total", EXPO_COUNTER,
		   "Changes of a vip from one endpoint to another.");
	for (i = 0; i < m->taken.n; i++) {
		const struct tsw_addr_key *key = row_key(&m->taken, i);
		const struct tsw_tenant *its = tenants_find(&m->tenants, key->tenant);
		const struct tsw_taken *taken = row_value(&m->taken, i);

		if (!its)
			continue;
		expo_label(x, "tenant", its->name);
		expo_label(x, "address", addr_text(&key->addr));
		expo_value(x, taken->changes);
	}
	expo_end(x);
}

static void print_maps(struct expo *x, const struct metrics *m)
{
	int map;

	expo_begin(x, "tsw_map_entries", EXPO_GAUGE, "Entries of a map.");
	for (map = 0; map < MAP_COUNT; map++)
		if (map != MAP_WATCH_EVENTS)
			expo_of(x, "map", m->map[map].usage.name, m->map[map].entries);
	expo_end(x);
	expo_begin(x, "tsw_map_capacity_entries", EXPO_GAUGE, "Entries that a map has room for.");
	for (map = 0; map < MAP_COUNT; map++)
		if (map != MAP_WATCH_EVENTS)
			expo_of(x, "map", m->map[map].usage.name, m->map[map].usage.capacity);
	expo_end(x);
	expo_begin(x, "tsw_map_memory_bytes", EXPO_GAUGE,
		   "Memory of a map, as the kernel accounts for it.");
	for (map = 0; map < MAP_COUNT; map++)
		expo_of(x, "map", m->map[map].usage.name, m->map[map].usage.bytes);
	expo_end(x);
}

static void print_programs(struct expo *x, const struct metrics *m)
{
	int prog;

	if (!m->runs_counted)
		return;
	expo_begin(x, "tsw_program_runs_total", EXPO_COUNTER,
		   "Runs of a program, while the kernel counts them.");
	for (prog = 0; prog < PROG_COUNT; prog++)
		expo_of(x, "program", prog_name(prog), m->prog[prog].runs);
	expo_end(x);
	expo_begin(x, "tsw_program_run_seconds_total", EXPO_COUNTER, "Time spent in these runs.");
	for (prog = 0; prog < PROG_COUNT; prog++) {
		expo_label(x, "program", prog_name(prog));
		expo_seconds(x, m->prog[prog].ns);
	}
	expo_end(x);
}

/* A device that is gone has its number only. */
static void label_device(struct expo *x, const struct tsw_underlay *u, const struct link *dev,
			 char number[NUMBER_LEN])
{
	snprintf(number, NUMBER_LEN, "%u", u->ifindex);
	expo_label(x, "device", dev->name);
	expo_label(x, "ifindex", number);
}

static void print_devices(struct expo *x, const struct tsw_config *c, const struct metrics *m)
{
	const __u32 running = IFF_UP | IFF_RUNNING;
	char number[NUMBER_LEN];
	unsigned int i;

	expo_begin(x, "tsw_underlay_up", EXPO_GAUGE,
		   "Is this device of the underlay there, up, and has it a carrier?");
	for (i = 0; i < m->n_devs; i++) {
		label_device(x, &c->underlay[i], &m->dev[i], number);
		expo_value(x, m->dev[i].ifindex && (m->dev[i].flags & running) == running);
	}
	expo_end(x);
	expo_begin(x, "tsw_underlay_mtu_bytes", EXPO_GAUGE, "MTU of this device; 0: it is gone.");
	for (i = 0; i < m->n_devs; i++) {
		label_device(x, &c->underlay[i], &m->dev[i], number);
		expo_value(x, m->dev[i].mtu);
	}
	expo_end(x);
}

static void print_info(struct expo *x, const struct tsw_config *c)
{
	char abi[NUMBER_LEN], port[NUMBER_LEN];

	snprintf(abi, sizeof(abi), "%u", c->abi);
	snprintf(port, sizeof(port), "%u", ntohs(c->port));
	expo_begin(x, "tsw_switch_info", EXPO_GAUGE,
		   "The switch: its host's name, the version of tsw that tells this, and how it is "
		   "set; always 1.");
	expo_label(x, "name", c->name);
	expo_label(x, "version", TSW_VERSION);
	expo_label(x, "abi", abi);
	expo_label(x, "attach", c->attach == TSW_ATTACH_TCX ? "tcx" : "clsact");
	expo_label(x, "port", port);
	expo_of(x, "xdp", xdp_word(c->underlay[0].xdp), 1);
	expo_end(x);
}

static void print_switch(struct expo *x, const struct tsw *t, const struct metrics *m)
{
	const struct tsw_config *c = &t->config;
	size_t served = 0, flipped = 0, i;

	for (i = 0; i < m->tenants.n; i++) {
		served += m->gateway[i].served;
		flipped += m->gateway[i].rank > 1;
	}
	print_info(x, c);
	expo_one(x, "tsw_tenants", "Tenants.", t->totals.tenants);
	expo_one(x, "tsw_tenants_max", "Tenants that there is room for.", c->max_tenants);
	expo_one(x, "tsw_hosts", "Other hosts.", t->totals.hosts);
	expo_one(x, "tsw_endpoints", "Endpoints, on all hosts.", t->totals.endpoints);
	expo_one(x, "tsw_endpoints_max", "Endpoints that there is room for.", c->max_endpoints);
	expo_one(x, "tsw_gateways", "Tenants' gateways.", m->map[MAP_GATEWAYS].entries);
	expo_one(x, "tsw_gateways_served", "Gateways that this host serves.", served);
	expo_one(
		x, "tsw_gateways_flipped",
		"Gateways that another host serves than the first of theirs, as this host sees it.",
		flipped);
	expo_one(x, "tsw_snats_left", "Addresses of snat that this host has left to another.",
		 m->snats_left);
	expo_one(x, "tsw_slow_path_up",
		 "Is the kernel's tunnel device up, for what BPF cannot encapsulate?",
		 !!(c->flags & TSW_CFG_SLOW_PATH));
}

int cmd_metrics(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	const bool each = !(w->given & FIELD(OPTION_TENANTS)) || w->option.tenants;
	struct expo x = {.out = &cli->out, .instance = t->instance};
	cleanup_metrics struct metrics m = {};
	int err = metrics_read(t, &m);

	if (err)
		return err;
	out_list_begin(&cli->out);
	print_switch(&x, t, &m);
	print_devices(&x, &t->config, &m);
	metrics_agent(&x);
	print_maps(&x, &m);
	print_programs(&x, &m);
	print_hosts(&x, &m);
	print_vips(&x, &m);
	print_counters(&x, &m, each);
	if (each)
		print_tenants(&x, &m);
	err = metrics_parts(t, each ? &m.tenants : NULL, &x);
	if (!err)
		out_list_end(&cli->out);
	return err;
}
