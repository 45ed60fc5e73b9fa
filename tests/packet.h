/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packet tests: tables of cases, each one frame through one program by
 * BPF_PROG_TEST_RUN, on the bench that lab.h draws.
 */
#ifndef TSW_TESTS_PACKET_H
#define TSW_TESTS_PACKET_H

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "counts.h"
#include "frame.h"
#include "lab.h"

/* The fields of an outer header that comes from another host. */
#define TO_US .dst = MAC_WIRE, .src = MAC_HOST2, .to = IP_WIRE
#define FROM_HOST2 TO_US, .from = IP_HOST2
#define FROM_HOST3 TO_US, .from = IP_HOST3
#define TO_US6 .dst = MAC_WIRE, .src = MAC_HOST2, .to = IP6_WIRE
#define FROM6_HOST2 TO_US6, .from = IP6_HOST2
#define FROM6_HOST4 TO_US6, .from = IP6_HOST4

/* The destination of a frame between tsw_xdp_native and tsw_from_wire. */
#define NOBODYS_MAC "02:74:73:77:00:00"

/* A line of a table says what most lines have by a macro, and then what is different. */
#pragma GCC diagnostic ignored "-Woverride-init"

enum verdict { DROPPED, PASSED, REDIRECTED };

/* One line of a table: what goes in, and all that may come of it. */
struct packet_case {
	const char *name;
	enum program program;
	__u32 dev; /* 0: red's A, or the underlay */
	struct spec in;
	void (*change)(struct frame *in); /* makes of it what no spec tells */
	void (*setup)(void);		  /* changes the maps; they are put right again after it */
	__u16 gso_size, gso_segs;
	__u32 cb[5];
	__u32 mark, priority; /* of FROM_GATEWAY the mark is in the frame, which is sealed */
	bool bare;	      /* it is not: the mark is skb's own */

	enum verdict verdict;
	const struct spec *out; /* NULL: the frame is not changed; not looked at when dropped */
	void (*make)(const struct frame *in, struct frame *out); /* the same, made from `in` */
	__u32 to;		     /* the port that it is stamped for; 0: none, cb as it was */
	__u32 mark_out;		     /* of a class for tenants: it enters the router with it */
	__u32 slot;		     /* of the uplink that it enters the router with */
	bool asks;		     /* the next hop of which the host does not know yet */
	__u32 to_router;	     /* the device of the router that it is stamped for */
	bool leased;		     /* by the fast way, so mark_out is skb's, with a stamp */
	__u32 priority_out;	     /* not of what goes to another host */
	enum tsw_drop drop;	     /* counted, whatever the verdict */
	unsigned int moves;	     /* MOVE() of the tenant's counters */
	__u32 host;		     /* whose rx or tx moves with it */
	__u32 tenant;		     /* whose; 0: red's */
	struct tsw_counter size;     /* what is counted; 0: one packet, of the length it has */
	const struct lab_flow *flow; /* in tsw_flows afterwards, alone; NULL: none is */
};

/* From host 2 over all that there is: VXLAN, GRE, Geneve, over IPv4 and over IPv6. */
struct packet_wire {
	const char *name;
	struct outer outer;
};

#define WIRES 6
extern const struct packet_wire packet_wires[WIRES];

/* And out, from A of a tenant to an endpoint on another host. */
struct packet_way {
	const char *name;
	__u32 tenant, dev;
	const char *mac, *ip, *ip6; /* of the endpoint there */
	__u32 host;
	const char *next_hop; /* MAC */
	__u32 mtu;	      /* of the tenant's packet, with an underlay of 1500 */
	struct outer outer;   /* as it goes out */
};

#define WAYS 9
extern const struct packet_way packet_ways[WAYS];

struct packet_suite {
	const char *name;
	const struct packet_case *cases;
	size_t count;
	const struct CMUnitTest *more;
	size_t more_count;
};

int packet_main(const struct packet_suite *suite);

/* Each check on each of `rows`, whose first member is its name: one test each. */
struct packet_matrix {
	const char *name;
	const struct CMUnitTest *checks;
	size_t check_count;
	const void *rows;
	size_t row_size, row_count;
};

int packet_main_matrix(const struct packet_matrix *matrix);

bool packet_is_xdp(enum program program);

/* What a run of one program gave. */
struct packet_run {
	int verdict; /* the program's return value */
	struct frame out;
	struct __sk_buff ctx; /* of a program at tc */
	__u8 meta[256];	      /* of XDP: what is before the frame */
	size_t meta_len;
};

/* In to `run`, at tc from `ctx`, at XDP from the underlay. 0, or -errno. */
int packet_run(enum program program, const struct frame *in, const struct __sk_buff *ctx,
	       struct packet_run *run);
/*
 * To a program at XDP of which FIRST octets are in its first buffer, the others in more. -EINVAL
 * before Linux 6.18, unless they are all.
 */
int packet_run_first(enum program program, const struct frame *in, __u32 first,
		     struct packet_run *run);
/*
 * Tells the program the context's mark, as its sender does. Where the frame crosses between the
 * host and the router, that is the seal, in place of the Ethernet addresses. Where it comes by a
 * lease, it is a stamp for the context's device.
 */
void packet_tell_mark(enum program program, struct frame *in, struct __sk_buff *ctx);
void packet_seal(struct frame *f, __u32 mark, __u8 slot);
__u32 packet_sealed_mark(const struct frame *f); /* 0: it has no seal, or its mark is 0 */
bool packet_is_same(const struct frame *in, const struct frame *out); /* but for these */
void packet_check(const struct packet_case *c); /* runs one case, fails the test if it differs */

/*
 * Takes over from an encapsulated frame what cannot be foretold, source port and flow label;
 * false: what is there cannot be right.
 */
bool packet_adopt(const struct outer *outer, const struct frame *got, struct frame *want);

/* Octets behind the Ethernet header that a frame has at least which tsw_from_wire delivers. */
#define PACKET_LEAST 20

#endif
