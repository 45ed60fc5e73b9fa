// SPDX-License-Identifier: GPL-2.0-only
/* Runs the pinned program once on the frame, and finds out what it did. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sched.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/route.h"
#include "store/attach.h"
#include "trace/trace.h"

enum { MORE = 256, WAYS = 2, WHOSE = 2, SHORTEST_TUNNEL = 20 + 8 + 14 };

/* Counters of drops that a run may change: with or without the tenant, each way and reason. */
enum { DROPS = WHOSE * WAYS * TSW_DROP_MAX };

/* Counters that the run may change, of the CPU it runs on. */
struct counts {
	struct tsw_tenant_stats stats;
	struct tsw_counter drop[DROPS];
};

struct run {
	int cpu;
	int action;
	struct __sk_buff ctx;
	__u8 align[2] TRACE_ALIGN;
	__u8 octets[TRACE_FRAME_MAX + MORE];
	__u32 len;
	struct counts before, after;
	struct tsw_host_stats hops; /* before */
};

static struct tsw_drop_key drop_key(const struct trace *tr, int i)
{
	const __u16 from = tr->host ? TSW_DIR_FROM_TUNNEL : TSW_DIR_FROM_ENDPOINT;

	return (struct tsw_drop_key){.tenant = i / (WAYS * TSW_DROP_MAX) ? 0 : tr->id,
				     .reason = (__u16)(i % TSW_DROP_MAX),
				     .direction =
					     i / TSW_DROP_MAX % WAYS ? TSW_DIR_TO_ENDPOINT : from};
}

static void read_counts(struct trace *tr, int cpu, struct counts *c)
{
	const struct maps *maps = &tr->t->maps;
	struct tsw_drop_key key;
	int i, err;

	memset(c, 0, sizeof(*c));
	err = map_of_cpu(maps, MAP_STATS, &tr->id, cpu, &c->stats);
	for (i = 0; i < DROPS; i++) {
		key = drop_key(tr, i);
		if (key.reason && (!err || err == -ENOENT))
			err = map_of_cpu(maps, MAP_DROPS, &key, cpu, &c->drop[i]);
	}
	if (err && err != -ENOENT && !tr->err)
		tr->err = err;
}

static bool more(const struct tsw_counter *before, const struct tsw_counter *after)
{
	return after->packets != before->packets;
}

/* The reason that was counted. If other frames were dropped meanwhile, prefers the expected one. */
static void find_drop(struct trace *tr, const struct run *run)
{
	struct trace_end *end = &tr->ended;
	int i;

	for (i = 0; i < DROPS; i++) {
		const struct tsw_drop_key key = drop_key(tr, i);
		const bool expected =
			tr->end.reason == key.reason && tr->end.direction == key.direction;

		if (!more(&run->before.drop[i], &run->after.drop[i]) || (end->reason && !expected))
			continue;
		end->reason = key.reason;
		end->direction = key.direction;
	}
}

static bool is_inward(__u32 mark)
{
	const __u32 class = mark & TSW_MARK_CLASS;

	return class == TSW_MARK_TENANT || class == TSW_MARK_HELD || class == TSW_MARK_SELF ||
	       class == TSW_MARK_NAMES;
}

/* Whether the frame is an ICMP or ICMPv6 error about an MTU. */
static bool is_too_big(const struct run *run)
{
	const __u8 *l3 = run->octets + sizeof(struct tsw_mac) * 2 + 2;

	if (l3[0] >> 4 == 4)
		return l3[9] == IPPROTO_ICMP && l3[20] == ICMP_DEST_UNREACH;
	return l3[0] >> 4 == 6 && l3[6] == IPPROTO_ICMPV6 && l3[40] == ICMP6_PACKET_TOO_BIG;
}

static bool read_tunnel(struct trace *tr, const struct run *run)
{
	struct trace_outer o;
	__u32 host;

	if (run->len < tr->frame.len + SHORTEST_TUNNEL ||
	    !trace_outer_read(run->octets, run->len, &o) || o.id != tr->id)
		return false;
	tr->outer = o;
	if (trace_have(tr, MAP_VTEPS, &o.dst, &host))
		tr->ended.host = host;
	return true;
}

/*
 * A frame that enters the router has the mark in its Ethernet header, and the switch's seal behind
 * it, see bpf/gateway/crossing.h. Returns the mark; 0: it does not enter.
 */
static __u32 sealed_mark(const struct trace *tr, const struct run *run)
{
	const struct tsw_mac *seal = &tr->t->config.seal;
	__be32 mark;

	if (!seal->b[0] || run->len < 2 * sizeof(*seal) || (run->octets[0] & ~0x08) != 0x02 ||
	    memcmp(run->octets + sizeof(*seal), seal, sizeof(*seal)) != 0)
		return 0;
	memcpy(&mark, run->octets + 2, sizeof(mark));
	return is_inward(ntohl(mark)) ? ntohl(mark) : 0;
}

/* An answer is for the sender's MAC. One of an unknown address gets it by the port's, or by all. */
static bool is_back(const struct trace *tr, const struct run *run)
{
	static const struct tsw_mac all = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct tsw_mac to;

	memcpy(&to, run->octets, sizeof(to));
	return mac_equal(&to, &tr->frame.src) ||
	       (tr->behind && (mac_equal(&to, &tr->port.mac) || mac_equal(&to, &all)));
}

/* The kernel does not report a redirect's target; the counters and the frame show it. */
static enum trace_kind redirected(struct trace *tr, const struct run *run)
{
	const struct tsw_stats *b = &run->before.stats.count, *a = &run->after.stats.count;
	bool here, slow;

	tr->ended.mark = sealed_mark(tr, run);
	if (tr->ended.mark)
		return TRACE_GATEWAY;
	if (tr->host)
		return TRACE_DELIVERED;
	if (read_tunnel(tr, run))
		return TRACE_TUNNEL;
	if (is_back(tr, run)) {
		tr->ended.reason = is_too_big(run) ? TSW_DROP_TOO_BIG : TSW_DROP_NONE;
		return TRACE_ANSWERED;
	}
	here = more(&b->local, &a->local);
	slow = more(&b->slow_tx, &a->slow_tx);
	if (slow && (!here || tr->end.kind == TRACE_KERNEL)) {
		tr->ended.host = tr->end.host;
		return TRACE_KERNEL;
	}
	return here ? TRACE_DELIVERED : TRACE_NEXT;
}

static void read_end(struct trace *tr, const struct run *run)
{
	tr->ended = (struct trace_end){};
	switch (run->action) {
	case TC_ACT_REDIRECT:
		tr->ended.kind = redirected(tr, run);
		break;
	case TC_ACT_SHOT:
		tr->ended.kind = TRACE_DROPPED;
		find_drop(tr, run);
		break;
	default:
		tr->ended.kind = TRACE_PASSED;
	}
	/* A frame that goes by a device's egress has a stamp, which holds the device. */
	if (tr->ended.kind == TRACE_DELIVERED && run->ctx.cb[2] == tr->id)
		tr->ended.ifindex = run->ctx.cb[3];
}

/* Returns 0; or 1 if the kernel does not take a frame of this length. */
static int run_program(struct trace *tr, struct run *run)
{
	struct __sk_buff ctx = {.ifindex = tr->ifindex};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = tr->frame.octets,
		    .data_size_in = tr->frame.len, .data_out = run->octets,
		    .data_size_out = sizeof(run->octets), .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .ctx_out = &run->ctx,
		    .ctx_size_out = sizeof(run->ctx), .repeat = 1);
	enum prog prog = tr->host ? PROG_FROM_WIRE : PROG_FROM_PORT;
	int fd = prog_fd(tr->t, prog);

	if (fd < 0)
		return fd;
	if (bpf_prog_test_run_opts(fd, &opts)) {
		if (errno == EINVAL && tr->frame.len > 2048)
			return 1;
		return fail(errno, "cannot run program %s: %s", prog_name(prog), strerror(errno));
	}
	run->len = opts.data_size_out;
	run->action = (int)opts.retval;
	return 0;
}

/* Stays on one CPU from the first look to the last, because counters and next hops are per CPU. */
static int run_here(struct trace *tr, struct run *run)
{
	cpu_set_t before, one;
	int err;

	CPU_ZERO(&one);
	run->cpu = sched_getcpu();
	if (run->cpu < 0 || sched_getaffinity(0, sizeof(before), &before))
		return fail(errno, "cannot find out the CPU: %s", strerror(errno));
	CPU_SET(run->cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return fail(errno, "cannot stay on one CPU: %s", strerror(errno));
	if (tr->end.host)
		map_of_cpu(&tr->t->maps, MAP_HOST_STATS, &tr->end.host, run->cpu, &run->hops);
	read_counts(tr, run->cpu, &run->before);
	err = run_program(tr, run);
	read_counts(tr, run->cpu, &run->after);
	sched_setaffinity(0, sizeof(before), &before);
	return err;
}

/* The flow's hop: by source port or flow label, else the one that was looked up last. */
static const struct tsw_hop *find_hop(const struct trace *tr, const struct run *run,
				      const struct tsw_host_stats *stats)
{
	const struct tsw_hop *hop = stats->hop, *last = hop;
	int i;

	if (tr->outer.sport)
		return &hop[tr->outer.sport % TSW_HOPS];
	if (tr->outer.family == TSW_IPV6)
		return &hop[tr->outer.label % TSW_HOPS];
	for (i = 0; i < TSW_HOPS; i++) {
		if (hop[i].until != run->hops.hop[i].until)
			return &hop[i];
		if (hop[i].until > last->until)
			last = &hop[i];
	}
	return last;
}

/* The next hop that the program used. */
static void read_hop(struct trace *tr, const struct run *run)
{
	struct tsw_host_stats stats;
	const struct tsw_hop *hop;
	struct trace_hop *next = &tr->hop;

	if (map_of_cpu(&tr->t->maps, MAP_HOST_STATS, &tr->ended.host, run->cpu, &stats))
		return;
	hop = find_hop(tr, run, &stats);
	if (hop->family != AF_INET && hop->family != AF_INET6)
		return;
	*next = (struct trace_hop){.ifindex = hop->ifindex, .mtu = hop->mtu};
	if (hop->family == AF_INET)
		next->via = addr_from_v4(hop->addr[0]);
	else
		memcpy(&next->via, hop->addr, sizeof(next->via));
	next->resolved = neighbour_known(next->ifindex, &next->via, &next->mac);
}

int trace_run(struct trace *tr)
{
	struct run run = {};
	int err;

	tr->ended = (struct trace_end){};
	if (tr->end.kind == TRACE_UNSENT)
		tr->unrun = "the frame does not reach the switch";
	else if (trace_is_group(&tr->frame.dst) && tr->end.kind != TRACE_ANSWERED)
		tr->unrun = "a run would send the copies";
	else
		tr->unrun = tr->alters;
	if (tr->unrun)
		return 0;
	err = run_here(tr, &run);
	if (err > 0)
		tr->unrun = "the kernel can only run programs on shorter frames";
	if (err)
		return err < 0 ? err : 0;
	read_end(tr, &run);
	if (tr->ended.kind == TRACE_TUNNEL)
		read_hop(tr, &run);
	return tr->err;
}

bool trace_agrees(const struct trace *tr)
{
	const struct trace_end *a = &tr->end, *b = &tr->ended;
	const bool dropped = a->kind == TRACE_DROPPED;

	if (tr->unrun)
		return true;
	if (a->kind != b->kind || a->mark != b->mark)
		return false;
	if ((dropped || a->kind == TRACE_ANSWERED) && a->reason != b->reason)
		return false;
	if (dropped && a->direction != b->direction)
		return false;
	if (b->ifindex && a->ifindex != b->ifindex)
		return false;
	return a->kind != TRACE_TUNNEL ||
	       (a->host == b->host && tr->outer.encap == tr->tenant.encap);
}
