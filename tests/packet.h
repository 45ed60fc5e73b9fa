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

/* A line of a table says what most lines have by a macro, and then what is different. */
#pragma GCC diagnostic ignored "-Woverride-init"

enum verdict { DROPPED, PASSED, REDIRECTED };

/* One line of a table: what goes in, and all that may come of it. */
struct packet_case {
	const char *name;
	enum program program;
	__u32 dev; /* 0: red's A, or the underlay */
	struct spec in;
	void (*setup)(void); /* changes the maps; they are put right again after it */
	__u16 gso_size, gso_segs;
	__u32 cb[5];
	__u32 mark;

	enum verdict verdict;
	const struct spec *out; /* NULL: the frame is not changed; not looked at when dropped */
	void (*make)(const struct frame *in, struct frame *out); /* the same, made from `in` */
	__u32 to; /* the port that it is stamped for; 0: none, cb as it was */
	__u32 mark_out;
	enum tsw_drop drop;	 /* counted, whatever the verdict */
	unsigned int moves;	 /* MOVE() of the tenant's counters */
	__u32 host;		 /* whose rx or tx moves with it */
	__u32 tenant;		 /* whose; 0: red's */
	struct tsw_counter size; /* what is counted; 0: one packet, of the length it has */
};

struct packet_suite {
	const char *name;
	const struct packet_case *cases;
	size_t count;
	const struct CMUnitTest *more;
	size_t more_count;
};

int packet_main(const struct packet_suite *suite);

/* What a run of one program gave. */
struct packet_run {
	int verdict; /* the program's return value */
	struct frame out;
	struct __sk_buff ctx;
};

/* In to `run`, from `ctx` (which may be NULL for XDP). 0, or -errno. */
int packet_run(enum program program, const struct frame *in, const struct __sk_buff *ctx,
	       struct packet_run *run);
void packet_check(const struct packet_case *c); /* runs one case, fails the test if it differs */

#endif
