/* SPDX-License-Identifier: GPL-2.0-only */
/* One switch, and what was asked of all that is done with it. */
#ifndef TSW_TSW_H
#define TSW_TSW_H

#include <stdbool.h>

#include <tsw/abi.h>

#include "base/log.h"
#include "maps.h"
#include "base/version.h"

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
	PROG_COUNT
};

enum { WIDEST_UNKNOWN = -1 };

/* A device's links that wait for their programs, see early.h. */
struct early_link {
	__u32 ifindex;
	int in, out; /* or negative */
};

struct tsw {
	const char *netns;    /* -n, or NULL */
	const char *instance; /* checked to be a name */
	bool named;	      /* -i */
	__u32 inode;	      /* of the namespace that a library's handle is in */
	int home;	      /* fd of the namespace to go back to, or -1: stay */
	bool force;	      /* -f */
	struct log log;	      /* -q, -v */

	bool will_write; /* a command of this run changes the switch: take the lock first */
	bool open;	 /* what follows is valid */
	bool door;	 /* door_open() was done in this run */
	bool unfit;	 /* hosts are reached otherwise than before: door_fit() at the end */
	bool key_over;	 /* the old one of two own keys went in this run */
	bool torn;	 /* something failed half-way and is not settled yet */
	int lock;	 /* fd of the lock's directory, or -1 */
	int pins_lock;	 /* likewise of the pins' directory, see lock.h */
	__u32 wait_ms;	 /* -w: so long at most for the lock */
	struct maps maps;
	int prog[PROG_COUNT]; /* fds, opened when first used; or -1 */
	int widest;	      /* of hosts' families, an enum tsw_family; or WIDEST_UNKNOWN */
	__u32 ids_taken;      /* tenants' ids up to this one are, as far as this run knows */
	struct tsw_config config;
	struct tsw_totals totals; /* written back by session_leave() */

	struct {
		struct early_link *all;
		size_t n;
		int prog;
	} early;

	/* Whose endpoints were counted last, not written yet; id 0: nobody's. A batch mostly
	 * stays with one tenant and one host, and need not write them for each line. */
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
 * Something failed half-way: what comes next with the switch settles it first, or the end of this
 * run. Returns the failure that is set.
 */
int mark_torn(struct tsw *t);

#endif
