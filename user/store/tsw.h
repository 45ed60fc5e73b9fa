/* SPDX-License-Identifier: GPL-2.0-only */
/* One switch, and the options of this run of tsw or of the library's handle. */
#ifndef TSW_TSW_H
#define TSW_TSW_H

#include <stdbool.h>

#include <tsw/abi.h>

#include "base/log.h"
#include "base/version.h"
#include "maps.h"

enum prog {
	PROG_FROM_PORT,
	PROG_TO_PORT,
	PROG_FROM_WIRE,
	PROG_TO_WIRE,
	PROG_FROM_TUNNEL,
	PROG_FROM_GATEWAY,
	PROG_TO_GATEWAY,
	PROG_FROM_WORLD,
	PROG_TO_WORLD,
	PROG_LEAVE_GATEWAY,
	PROG_FAST_GATEWAY,
	PROG_ENTER_WORLD,
	PROG_LEAVE_WORLD,
	PROG_XDP_NATIVE,
	PROG_XDP_GENERIC,
	PROG_XDP_PASS,
	PROG_COUNT
};

enum { WIDEST_UNKNOWN = -1 };

/* A device's links that wait for their programs, see early.h. */
struct early_link {
	__u32 ifindex;
	int in, out; /* fds, or negative */
};

struct tsw {
	const char *netns;    /* -n, or NULL */
	const char *instance; /* checked to be a name */
	bool named;	      /* -i */
	__u32 inode;	      /* the network namespace of a library's handle */
	int home;	      /* fd of the namespace to return to, or -1: stay */
	bool force;	      /* -f */
	struct log log;	      /* -q, -v */

	bool will_write; /* a command of this run changes the switch: take the lock first */
	bool open;	 /* the members below are valid */
	bool door;	 /* door_open() was called in this run */
	bool unfit;	 /* the underlay or hosts have changed: call door_fit() at the end */
	bool key_over;	 /* this run removed the older of two own keys */
	bool torn;	 /* a change failed half-way and is not settled yet */
	int lock;	 /* fd of the lock's directory, or -1 */
	int pins_lock;	 /* fd of the pins' directory, see lock.h; or -1 */
	__u32 wait_ms;	 /* -w: the longest wait for the lock */
	struct maps maps;
	int prog[PROG_COUNT]; /* fds, opened when first used; or -1 */
	int widest;	      /* the family of hosts with the longest header; or WIDEST_UNKNOWN */
	__u32 ids_taken;      /* this run has seen that tenant ids up to this are taken */
	struct tsw_config config;
	struct tsw_totals totals; /* written back by session_leave() */

	struct {
		struct early_link *all;
		size_t n;
		int prog;
	} early;

	/* The tenant and the host whose counts of endpoints are not written yet; id 0: all are
	 * written. A batch mostly stays with one tenant and host, so it writes them rarely. */
	struct {
		__u32 id;
		struct tsw_tenant tenant;
		struct tsw_share share;
	} counted_tenant;
	struct {
		__u32 id;
		struct tsw_host host;
	} counted_host;
};

/*
 * Records that a change failed half-way. The next use of the switch, or the end of this run,
 * repairs what it left. Returns the code of the failure that is set.
 */
int mark_torn(struct tsw *t);

#endif
