/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking hosts through the tunnel whether they are alive: Probes in docs/wire.md. */
#ifndef TSW_AGENT_ASK_H
#define TSW_AGENT_ASK_H

#include <tsw/abi.h>

enum { ASK_ENCAPS = TSW_ENCAP_GRE + 1 }; /* VXLAN and GRE: Geneve has no questions */

struct asker {
	int fd[ASK_ENCAPS][TSW_FAMILIES]; /* -1: this host has no address of that family */
	__be16 port;
	__u32 interval_us;
	struct tsw_addr local[TSW_FAMILIES];
};

#define ASKER_CLOSED                                                               \
	{                                                                          \
		.fd = { [0 ... ASK_ENCAPS - 1] = {[0 ... TSW_FAMILIES - 1] = -1} } \
	}

/* By which priority of a socket CONFIG's programs let out what it sends. */
__u32 ask_priority(const struct tsw_config *config);

/* Sockets as CONFIG has addresses, whose questions its programs let out. */
int asker_open(struct asker *a, const struct tsw_config *config, __u32 interval_ms);
void asker_close(struct asker *a);

struct asked {
	struct tsw_addr addr;
	enum tsw_family family; /* of addr */
	enum tsw_encap encap;
	__be32 mine; /* its answer has it */
};

/* Like any frame it may get lost: whether it could be sent is not told. */
void ask(const struct asker *a, const struct asked *who);

#endif
