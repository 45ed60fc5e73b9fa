/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking hosts through the tunnel whether they are alive: Probes in docs/wire.md. */
#ifndef TSW_AGENT_ASK_H
#define TSW_AGENT_ASK_H

#include <tsw/abi.h>

struct asker {
	int fd[TSW_ENCAPS][TSW_FAMILIES]; /* -1: this host has no address of that family */
	__be16 port;
	__u32 interval_us;
	struct tsw_addr local[TSW_FAMILIES];
};

#define ASKER_CLOSED                                                               \
	{                                                                          \
		.fd = { [0 ... TSW_ENCAPS - 1] = {[0 ... TSW_FAMILIES - 1] = -1} } \
	}

/* CONFIG's programs let out frames of a socket with this priority. */
__u32 ask_priority(const struct tsw_config *config);

/* Sends questions of any length in one piece, whatever MTU the kernel has learned for the way. */
void asker_keep_whole(const struct asker *a);

/* Opens a socket for each of CONFIG's addresses and encapsulations. */
int asker_open(struct asker *a, const struct tsw_config *config, __u32 interval_ms);
void asker_close(struct asker *a);

struct asked {
	struct tsw_addr addr;
	enum tsw_family family; /* of addr */
	enum tsw_encap encap;
	__be32 mine;  /* repeated in the answer */
	__u32 length; /* of the outer IP packet, padded behind the probe; 0: no padding */
};

enum { ASK_LONGEST = 65535 };

/* Sends a question. It may get lost like any frame, so errors are ignored. */
void ask(const struct asker *a, const struct asked *who);

#endif
