// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends unwanted tunnel frames as fast as one CPU can: VXLAN or GRE, over IPv4 or
 * IPv6, from one address or from all of a prefix, with one VNI or key or many. Prints
 * as JSON what it sent.
 *
 * The frames are XDP's live frames: pages that come to the device's peer as from the
 * ring of a NIC, with no socket buffer made before. A packet socket (PACKET_QDISC_BYPASS,
 * sendmmsg) reaches a quarter to a half of their rate, and its socket buffers would
 * have to be copied for a program at XDP of the peer. The peer must have GRO on, and so
 * must the device itself, or have a program at XDP: without, a veth takes no such frames.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "flood.h"
#include "program.h"

#include "bench/flood.skel.h" /* needs struct flood */

#define FRAME_MAX 1514
#define BATCH 64       /* frames that go to the device at once */
#define REPEAT 0x20000 /* frames of one BPF_PROG_TEST_RUN, from one look at the clock to the next */

struct options {
	const char *dev, *from_text, *ids_text, *cpu_text;
	unsigned int ifindex;
	struct tsw_mac mac;
	struct tsw_addr to, from;
	__u32 from_any;	      /* random bits at the end of `from` */
	__u32 encap;	      /* enum tsw_encap */
	__u32 id, ids;	      /* the first VNI or key, and how many */
	__u32 port, length;   /* of the whole frame; 0: with one of ETH_ZLEN inside */
	__u32 seconds, count; /* 0: no end by it */
	__u32 rate;	      /* frames a second; 0: full */
	__u32 cpu;
};

/* ---- the frame -------------------------------------------------------------------- */

struct frame {
	__u32 len;
	__u8 b[FRAME_MAX];
};

static void put(struct frame *f, const void *data, size_t len)
{
	memcpy(f->b + f->len, data, len);
	f->len += (__u32)len;
}

static __u32 sum16(const void *data, size_t len)
{
	const __u8 *b = data;
	__u32 sum = 0;

	for (; len >= 2; b += 2, len -= 2)
		sum += (__u32)b[0] << 8 | b[1];
	return sum;
}

/* An IPv4 header up to the frame's end, without its checksum. */
static struct iphdr ipv4(const struct frame *f, __u32 length, __u8 proto)
{
	return (struct iphdr){.version = 4,
			      .ihl = 5,
			      .tot_len = htons((__u16)(length - f->len)),
			      .frag_off = htons(0x4000), /* DF */
			      .ttl = 64,
			      .protocol = proto};
}

static void put_outer4(struct frame *f, const struct options *o, __u8 proto, struct flood *flood)
{
	struct iphdr ip = ipv4(f, o->length, proto);

	ip.daddr = o->to.w[3];
	flood->check = sum16(&ip, sizeof(ip));
	flood->check_at = f->len + offsetof(struct iphdr, check);
	flood->from_at = f->len + offsetof(struct iphdr, saddr);
	put(f, &ip, sizeof(ip));
}

static void put_outer6(struct frame *f, const struct options *o, __u8 proto, struct flood *flood)
{
	struct ipv6hdr ip = {.version = 6,
			     .payload_len = htons((__u16)(o->length - f->len - sizeof(ip))),
			     .nexthdr = proto,
			     .hop_limit = 64};

	memcpy(&ip.saddr, &o->from, sizeof(ip.saddr));
	memcpy(&ip.daddr, &o->to, sizeof(ip.daddr));
	flood->from_at = f->len + offsetof(struct ipv6hdr, daddr) - sizeof(__be32);
	put(f, &ip, sizeof(ip));
}

/* Checksum 0, over IPv6 too: RFC 6935. */
static void put_vxlan(struct frame *f, const struct options *o, struct flood *flood)
{
	const struct udphdr udp = {.dest = htons((__u16)o->port),
				   .len = htons((__u16)(o->length - f->len))};
	const __be32 vxlan[2] = {htonl(0x08000000)}; /* RFC 7348 section 5: the VNI is valid */

	flood->sport_at = f->len;
	put(f, &udp, sizeof(udp));
	flood->id_at = f->len + sizeof(vxlan[0]);
	flood->id_shift = 8;
	put(f, vxlan, sizeof(vxlan));
}

static void put_gre(struct frame *f, struct flood *flood)
{
	const __be32 gre[2] = {htonl(0x20006558)}; /* RFC 2890: a key; RFC 1701: Ethernet inside */

	flood->id_at = f->len + sizeof(gre[0]);
	put(f, gre, sizeof(gre));
}

/* Inside: UDP to the discard port, between endpoints 1 and 3 as selftests/lib_topo.sh has them. */
static void put_inner(struct frame *f, const struct options *o)
{
	const struct ethhdr eth = {.h_dest = {2, 0, 0, 0, 0, 3},
				   .h_source = {2, 0, 0, 0, 0, 1},
				   .h_proto = htons(ETH_P_IP)};
	struct udphdr udp = {.source = htons(9), .dest = htons(9)};
	struct iphdr ip;
	__u32 sum;

	put(f, &eth, sizeof(eth));
	ip = ipv4(f, o->length, IPPROTO_UDP);
	ip.saddr = htonl(0x0a000001);
	ip.daddr = htonl(0x0a000003);
	sum = sum16(&ip, sizeof(ip));
	sum = (sum >> 16) + (sum & 0xffff);
	ip.check = htons((__u16) ~(sum + (sum >> 16)));
	put(f, &ip, sizeof(ip));
	udp.len = htons((__u16)(o->length - f->len));
	put(f, &udp, sizeof(udp));
}

/* The first frame, padded to its length with zeros, and where others differ from it. */
static void frame_make(struct frame *f, const struct options *o, struct flood *flood)
{
	bool v4 = addr_is_v4(&o->to), vxlan = o->encap == TSW_ENCAP_VXLAN;
	struct ethhdr eth = {.h_source = {2, 0xff, 0, 0, 0, 1},
			     .h_proto = htons(v4 ? ETH_P_IP : ETH_P_IPV6)};
	__u8 proto = vxlan ? IPPROTO_UDP : IPPROTO_GRE;

	*f = (struct frame){};
	*flood = (struct flood){.from_any = o->from_any, .id = o->id, .ids = o->ids};
	flood->from = ntohl(o->from.w[3]) & ~o->from_any;
	flood->interval = o->rate ? 1000000000 / o->rate : 0;
	memcpy(eth.h_dest, &o->mac, sizeof(eth.h_dest));
	put(f, &eth, sizeof(eth));
	if (v4)
		put_outer4(f, o, proto, flood);
	else
		put_outer6(f, o, proto, flood);
	if (vxlan)
		put_vxlan(f, o, flood);
	else
		put_gre(f, flood);
	put_inner(f, o);
}

/* ---- sending ---------------------------------------------------------------------- */

static int pin(__u32 cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus)
		       ? fail(errno, "cannot run on CPU %u: %s", cpu, strerror(errno))
		       : 0;
}

/* Runs the program until it has sent enough, and prints what it sent. */
static int send_all(const struct options *o, const struct frame *f, struct flood_bpf *skel)
{
	const volatile __u64 *sent = &skel->bss->sent;
	struct xdp_md ctx = {.data_end = o->length, .ingress_ifindex = o->ifindex};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = f->b, .data_size_in = o->length,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = REPEAT,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = BATCH);
	double start = now(), took = 0;
	int err;

	while (!stopped && (!o->count || *sent < o->count)) {
		if (o->count && o->count - *sent < REPEAT)
			run.repeat = (int)(o->count - *sent);
		err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.flood_send), &run);
		if (err && err != -EINTR)
			return fail(err, "cannot send by %s: %s", quoted(o->dev), strerror(-err));
		took = now() - start;
		if (o->seconds && took >= o->seconds)
			break;
	}
	printf("{\"frames\":%llu,\"seconds\":%.3f,\"frames_per_second\":%.0f}\n", *sent, took,
	       took > 0 ? (double)*sent / took : 0);
	return 0;
}

static int flood(const struct options *o)
{
	struct flood_bpf *skel = flood_bpf__open();
	struct frame f;
	int err;

	if (!skel)
		return fail(errno, "cannot open the program: %s", strerror(errno));
	frame_make(&f, o, (struct flood *)&skel->rodata->flood);
	err = flood_bpf__load(skel);
	if (err)
		fail(err, "cannot load the program: %s", strerror(-err));
	if (!err && o->cpu_text)
		err = pin(o->cpu);
	err = err ?: send_all(o, &f, skel);
	flood_bpf__destroy(skel);
	return err;
}

/* ---- the command line ------------------------------------------------------------- */

static const char usage[] =
	"usage: bench_flood dev DEV mac MAC to IP from IP[/LEN] id N[-M] [encap vxlan|gre]\n"
	"                   [port N] [length OCTETS] [seconds N] [count N] [rate N] [cpu N]\n"
	"Sends frames out of DEV to the VTEP of MAC and IP, with random source addresses of\n"
	"IP/LEN and random VNIs or keys of N-M, until `seconds` (3) are over or `count` frames\n"
	"are sent; `rate`: at most that many a second. LENGTH is the whole frame's: if not given,\n"
	"one of 60 octets is inside. DEV and its peer need GRO or XDP.\n";

/* TEXT up to MARK into HEAD; what is behind MARK into TAIL, or NULL. */
static int split(const char *text, char mark, char head[64], const char **tail)
{
	const char *at = strchr(text, mark);
	size_t len = at ? (size_t)(at - text) : strlen(text);

	if (len >= 64)
		return misuse("%s is too long", quoted(text));
	memcpy(head, text, len);
	head[len] = '\0';
	*tail = at ? at + 1 : NULL;
	return 0;
}

static int read_from(struct options *o)
{
	const char *tail;
	char head[64];
	__u32 bits, len;
	int err = split(o->from_text, '/', head, &tail);

	err = err ?: parse_ip(head, &o->from);
	if (err || !tail)
		return err;
	/* The last 32 bits are those that can be random. */
	bits = addr_is_v4(&o->from) ? 32 : 128;
	err = parse_number(tail, bits - 32, bits, &len);
	if (err)
		return err;
	o->from_any = len == bits ? 0 : 0xffffffff >> (32 - (bits - len));
	return 0;
}

static int read_ids(struct options *o)
{
	__u32 last;
	const char *tail;
	char head[64];
	int err = split(o->ids_text, '-', head, &tail);

	err = err ?: parse_number(head, 1, 0xffffffff, &o->id);
	if (err)
		return err;
	last = o->id;
	if (tail)
		err = parse_number(tail, o->id, 0xffffffff, &last);
	o->ids = last - o->id + 1;
	return err;
}

#define AT(field) offsetof(struct options, field)

enum { DEV, MAC, TO, FROM, ID, ENCAP, PORT, LENGTH, SECONDS, COUNT, RATE, CPU };
static const char *const encaps[] = {"vxlan", "gre", NULL};
static const struct field words[] = {
	[DEV] = {"dev", FIELD_TEXT, AT(dev)},
	[MAC] = {"mac", FIELD_MAC, AT(mac)},
	[TO] = {"to", FIELD_IP, AT(to)},
	[FROM] = {"from", FIELD_TEXT, AT(from_text)},
	[ID] = {"id", FIELD_TEXT, AT(ids_text)},
	[ENCAP] = {"encap", FIELD_CHOICE, AT(encap), .choices = encaps},
	[PORT] = {"port", FIELD_NUMBER, AT(port), .min = 1, .max = 65535},
	[LENGTH] = {"length", FIELD_NUMBER, AT(length), .min = 1, .max = FRAME_MAX},
	[SECONDS] = {"seconds", FIELD_NUMBER, AT(seconds), .min = 1, .max = 3600},
	[COUNT] = {"count", FIELD_NUMBER, AT(count), .min = 1, .max = 0xffffffff},
	[RATE] = {"rate", FIELD_NUMBER, AT(rate), .min = 1, .max = 100000000},
	[CPU] = {"cpu", FIELD_TEXT, AT(cpu_text)},
	{},
};

static int read_texts(struct options *o)
{
	int err = read_from(o);

	o->ifindex = if_nametoindex(o->dev);
	if (!err && !o->ifindex)
		err = fail(errno, "no device %s here: %s", quoted(o->dev), strerror(errno));
	if (!err && o->cpu_text)
		err = parse_number(o->cpu_text, 0, CPU_SETSIZE - 1, &o->cpu);
	return err ?: read_ids(o);
}

/* What no single word can tell. */
static int options_check(struct options *o)
{
	bool v4 = addr_is_v4(&o->to), vxlan = o->encap == TSW_ENCAP_VXLAN;
	__u32 last = o->id + o->ids - 1;
	__u32 outer = 14 + (v4 ? 20 : 40) + (vxlan ? 16 : 8);
	__u32 least = outer + 14 + 20 + 8;

	if (v4 != addr_is_v4(&o->from))
		return misuse("from %s to %s: one is IPv4, one IPv6", quoted(addr_text(&o->from)),
			      quoted(addr_text(&o->to)));
	if (vxlan && last > TSW_VNI_MAX)
		return misuse("id \"%u\" is no VNI: at most %u", last, TSW_VNI_MAX);
	if (!o->length)
		o->length = outer + ETH_ZLEN;
	if (o->length < least)
		return misuse("length \"%u\" is too short: headers alone are %u", o->length, least);
	return 0;
}

static int check_and_run(void *options, __u64 given)
{
	struct options *o = options;
	int err = read_texts(o);

	if (o->count && !(given & FIELD(SECONDS)))
		o->seconds = 0;
	err = err ?: options_check(o);
	return err ?: flood(o);
}

int main(int argc, char **argv)
{
	static const struct program program = {"bench_flood", usage, words, FIELD(ENCAP) - 1,
					       check_and_run};
	struct options o = {.encap = TSW_ENCAP_VXLAN, .port = TSW_VXLAN_PORT, .seconds = 3};

	(void)argc;
	return program_main(&program, argv, &o);
}
