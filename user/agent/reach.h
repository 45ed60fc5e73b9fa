/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks hosts once whether they answer through the tunnel: Probes in docs/wire.md. It works with and
 * without an agent, here and there. A packet of the underlay's MTU must fit both ways, because an
 * answer is as long as its question.
 */
#ifndef TSW_AGENT_REACH_H
#define TSW_AGENT_REACH_H

#include "agent/ask.h"
#include "record/hosts.h"
#include "store/tsw.h"

enum {
	REACH_MS = 250, /* for each try */
	REACH_TRIES = 3,
};

struct reach {
	const struct tsw *t;
	struct asker asker;
	struct reach_row {
		__u32 host;
		struct asked who;
		bool mine;	      /* this reach made the host's entry in tsw_probes */
		bool skip;	      /* do not ask this host */
		__u64 asked;	      /* kernel's ns */
		__u64 took;	      /* ns until the answer; 0: there was none */
		__u64 by[TSW_ENCAPS]; /* the last `took` by each */
	} * row;
	size_t n;
	int tries;
	bool agent; /* an agent asks, too */
};

/* Asks the hosts of ALL. -EPERM: this process may not open the sockets. */
int reach_begin(struct reach *r, const struct tsw *t, const struct hosts *all);
void reach_end(struct reach *r);

/* Asks each row that is not skipped, by that encapsulation; sets its `took`. */
int reach_ask(struct reach *r, enum tsw_encap encap);

/* The same by VXLAN, and by the others at once where that gets no answer. */
int reach_ask_any(struct reach *r);

/* The same by each, which tells which of them pass (`by`); `took` is the first one's. */
int reach_ask_each(struct reach *r);

#define cleanup_reach __attribute__((cleanup(reach_end)))

#endif
